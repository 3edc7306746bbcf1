//! The actions that a model may choose from: the local ones, the first-party skills, and some as users have them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use conversation::workspace::AGENT_ACTIONS;
use protocol::{ActionCard, Object};
use router::catalog::{Found, Skill, scan};
use router::config::RouterConfig;

use crate::utterance::Skills;

/// The repository's own folder.
#[must_use]
pub fn root() -> PathBuf {
    let eval = Path::new(env!("CARGO_MANIFEST_DIR"));
    eval.parent().unwrap_or(eval).to_owned()
}

/// What can be called in each of the homes.
#[derive(Debug)]
pub struct Homes([Actions; 3]);

impl Homes {
    /// Reads the real cards and manifests.
    ///
    /// # Errors
    /// When one of them can't be read.
    pub fn read() -> Result<Self> {
        let [first, more, counted] = [Skills::First, Skills::More, Skills::Counted];
        Ok(Self([Actions::read(first)?, Actions::read(more)?, Actions::read(counted)?]))
    }

    /// What can be called where these skills are.
    #[must_use]
    pub fn with(&self, skills: Skills) -> &Actions {
        let Self([first, more, counted]) = self;
        match skills {
            Skills::First => first,
            Skills::More => more,
            Skills::Counted => counted,
        }
    }

    /// The same, to be changed.
    pub fn first_mut(&mut self) -> &mut Actions {
        &mut self.0[0]
    }
}

/// Everything that can be called in one home.
#[derive(Debug)]
pub struct Actions {
    /// The local actions' cards.
    pub local: Vec<ActionCard>,
    /// The skills' cards, by name as a router publishes them.
    pub routed: Vec<ActionCard>,
    skills: Vec<Arc<Skill>>,
}

impl Actions {
    /// Reads the real cards and manifests of a home with these skills.
    ///
    /// # Errors
    /// When one of them can't be read.
    pub fn read(skills: Skills) -> Result<Self> {
        let users = match skills {
            Skills::First => "eval/skills",
            Skills::More => "eval/more_skills",
            Skills::Counted => "eval/counted_skills",
        };
        let mut local: Vec<ActionCard> = serde_json::from_str(AGENT_ACTIONS)
            .context("workspace/agent_action.json can't be read")?;
        // Sets are off at first.
        local.retain(|card| card.set.is_none());
        // It is there where there is more than one channel.
        local.retain(|card| card.name.as_str() != "_BROADCAST_MSG");
        let mut skills = Vec::new();
        // The frozen utterances ask for what no fresh home is given any more, too.
        for folder in ["router/skills", "skills/retired", users] {
            let found = scan(&root().join(folder), &RouterConfig::default(), &Found::default());
            ensure!(found.broken.is_empty(), "{folder}: {:?}", found.broken);
            skills.extend(found.skills.into_values().filter(|skill| is_offered(skill)));
        }
        skills.sort_by(|one, other| one.name().cmp(other.name()));
        let routed = skills.iter().map(|skill| skill.card.clone()).collect();
        Ok(Self { local, routed, skills })
    }

    /// The local actions' cards, then the skills'.
    #[must_use]
    pub fn cards(&self) -> [&[ActionCard]; 2] {
        [&self.local, &self.routed]
    }

    /// Whether there is such an action and it takes these parameters.
    #[must_use]
    pub fn take(&self, name: &str, params: &Object) -> bool {
        let skill = self.skills.iter().find(|skill| skill.name().as_str() == name);
        let local = self.local.iter().find(|card| card.name.as_str() == name);
        match (skill, local) {
            (Some(skill), _) => skill.check(params).is_ok(),
            (None, Some(card)) => takes(card, params),
            (None, None) => false,
        }
    }
}

/// Whether a fresh home offers the skill: no set is on there, and a skill that waits for a folder of its owner's is offered to
/// nobody.
fn is_offered(skill: &Skill) -> bool {
    skill.card.set.is_none() && skill.lacks().is_none()
}

/// A local action checks its parameters itself; for the two that there are, names and kinds are all there is.
fn takes(card: &ActionCard, params: &Object) -> bool {
    let kind = |name: &String| card.params[name]["type"].as_str().unwrap_or_default();
    let right = |name: &String| match (kind(name), params.get(name)) {
        ("object", Some(value)) => value.as_object().is_some_and(|object| !object.is_empty()),
        ("string", Some(value)) => value.as_str().is_some_and(|text| !text.is_empty()),
        (_, None) => card.optional.contains(name),
        _ => false,
    };
    card.params.keys().all(right) && params.keys().all(|name| card.params.contains_key(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_home_offers_nothing_of_a_set() {
        let folder = root().join("router/skills");
        let there = scan(&folder, &RouterConfig::default(), &Found::default());
        assert!(there.skills.values().any(|skill| skill.card.set.is_some()), "none is in a set");
        let homes = Homes::read().unwrap();
        let cards = homes.with(Skills::First).cards();
        assert!(cards.iter().all(|cards| !cards.is_empty()));
        assert!(cards.iter().copied().flatten().all(|card| card.set.is_none()));
    }
}
