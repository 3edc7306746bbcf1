//! What the router can run: the folders under router/skills, checked, and seen anew when they change.

mod bounds;
mod brings;
mod changes;
mod check;
pub mod folder;
mod held;
mod manifest;
mod marks;
mod params;
mod pins;
mod portrait;
mod process;
mod reach;
mod scan;
mod skill;
pub mod span;
mod walk;
mod watch;

use std::sync::Arc;

use home::Home;
use protocol::{ActionName, Code, Stopped};
use sha2::{Digest, Sha256};
use tokio::sync::watch as latest;

pub use brings::Brings;
pub use changes::changes;
pub use check::SkillError;
pub use check::printable;
pub use folder::{Folder, Place};
pub use held::{Held, Standing, standing};
pub use manifest::{Manifest, Mode};
pub use marks::{Governed, Marks};
pub use pins::{Known, Pin, Pins};
pub use portrait::{Piece, Portrait};
pub use process::{Per, Process, are_of_one_process};
pub use scan::{Found, scan};
pub use skill::{SecretUse, Skill};

use crate::config::RouterConfig;
use crate::defaults;

/// The skills as they were found last. Clones see the same ones.
#[derive(Debug, Clone)]
pub struct Catalog {
    found: latest::Receiver<Arc<Found>>,
}

impl Catalog {
    /// The skills of `home`, with the owner's wishes in `config`, and whatever they become: a folder
    /// that is added, changed or removed counts within a second, without a restart.
    ///
    /// `reload` reads the owner's wishes again when something has changed. Must be called within a tokio
    /// runtime.
    pub fn watched(
        home: &Home,
        config: &RouterConfig,
        reload: impl FnMut() -> RouterConfig + Send + 'static,
    ) -> Self {
        // What is new gets its pin at the second look, which keeps nobody waiting.
        let first = Arc::new(watch::look(home, config, &Found::default(), false));
        report(&Found::default(), &first);
        Self { found: watch::watched(home.clone(), first, reload) }
    }

    /// The skills as they were found once.
    #[must_use]
    pub fn fixed(found: Found) -> Self {
        // Without a sender the last value stays.
        Self { found: latest::channel(Arc::new(found)).1 }
    }

    /// The skill that runs `action`.
    ///
    /// # Errors
    /// `unknown_action` with the nearest name, or `disabled`, also when it is not what was pinned.
    pub fn find(&self, action: &ActionName) -> Result<Arc<Skill>, Stopped> {
        let found = self.found.borrow();
        let skill = found.skills.get(action).ok_or_else(|| unknown(action, &found))?;
        if let Some(why) = switched_off(skill) {
            return Err(Stopped::new(Code::Disabled, why));
        }
        match found.held.get(action) {
            Some(why) => Err(held_back(action, why)),
            None => Ok(Arc::clone(skill)),
        }
    }

    /// Makes sure, right before a run, that `skill` is what was judged, down to its files.
    ///
    /// # Errors
    /// `disabled`, when it is not.
    pub async fn confirm(&self, skill: &Arc<Skill>) -> Result<(), Stopped> {
        let looked_at = Arc::clone(skill);
        let unchanged = tokio::task::spawn_blocking(move || looked_at.is_as_it_was()).await;
        if self.serves(skill) && unchanged.unwrap_or(false) {
            return Ok(());
        }
        Err(held_back(skill.name(), &"its folder was changed just now"))
    }

    /// Whether `skill` is there as it is, and switched on.
    #[must_use]
    pub fn serves(&self, skill: &Arc<Skill>) -> bool {
        let found = self.found.borrow();
        let there = found.skills.get(skill.name());
        there.is_some_and(|there| Arc::ptr_eq(there, skill) && !there.disabled)
            && !found.held.contains_key(skill.name())
    }

    /// What agents may know of the skills that are switched on.
    #[must_use]
    pub fn cards(&self) -> protocol::Catalog {
        let found = self.found.borrow();
        let offered = |skill: &&Arc<Skill>| {
            !skill.disabled && skill.lacks().is_none() && !found.held.contains_key(skill.name())
        };
        let cards: Vec<_> =
            found.skills.values().filter(offered).map(|skill| skill.card.clone()).collect();
        // Cards are plain data and always have a JSON form.
        let digest = Sha256::digest(serde_json::to_vec(&cards).unwrap_or_default());
        let version = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        protocol::Catalog { version, cards }
    }

    /// All skills by name, and why each does not run that does not.
    #[must_use]
    pub fn shown(&self) -> Vec<(Arc<Skill>, Option<String>)> {
        let found = self.found.borrow();
        let held =
            |skill: &Skill| Some(held_back(skill.name(), found.held.get(skill.name())?).message);
        let off = |skill: &Skill| switched_off(skill).or_else(|| held(skill));
        found.skills.values().map(|skill| (Arc::clone(skill), off(skill))).collect()
    }

    /// Waits until the skills have changed; `false` when they never will again.
    pub async fn changed(&mut self) -> bool {
        self.found.changed().await.is_ok()
    }
}

/// Why the owner's settings keep a skill from running, and what changes that.
pub fn switched_off(skill: &Skill) -> Option<String> {
    let action = skill.name();
    if skill.disabled {
        let key = format!("skills.{action}.enabled");
        return Some(format!("{action} is switched off in router/config.json ({key})"));
    }
    let key = skill.lacks()?;
    let mend = match defaults::sets(action) {
        Some(command) => format!("`{}` does it", home::router_command(command)),
        None => "write it into router/config.json".to_owned(),
    };
    Some(format!("{action} is off until its owner has set {key}: {mend}"))
}

/// Why a skill does not run, and what lets it.
pub fn held_back(action: &ActionName, why: &impl std::fmt::Display) -> Stopped {
    let mend = home::router_command(&format!("trust {action}"));
    let mend = format!("`{mend}` shows what changed and asks for your yes");
    Stopped::new(Code::Disabled, format!("{action} does not run: {why}; {mend}"))
}

fn unknown(action: &ActionName, found: &Found) -> Stopped {
    if let Some(error) = found.broken_folder(action) {
        return Stopped::new(Code::UnknownAction, format!("{action} can't be run: {error}"));
    }
    let near = found
        .skills
        .keys()
        .map(|name| (strsim::jaro_winkler(name.as_str(), action.as_str()), name))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = near.map(|(_, name)| format!("; did you mean {name}?")).unwrap_or_default();
    Stopped::new(Code::UnknownAction, format!("there is no skill {action}{hint}"))
}

/// Tells the operator what has changed between two looks.
fn report(before: &Found, after: &Found) {
    for error in after.broken.iter().filter(|error| !before.broken.contains(error)) {
        tracing::warn!("skill left out: {error}");
    }
    for (name, why) in after.held.iter().filter(|(name, why)| before.held.get(*name) != Some(*why))
    {
        tracing::warn!("{}", held_back(name, why).message);
    }
    for name in after.skills.keys().filter(|name| !before.skills.contains_key(*name)) {
        tracing::info!("skill {name} is there");
    }
    for name in before.skills.keys().filter(|name| !after.skills.contains_key(*name)) {
        tracing::info!("skill {name} is gone");
    }
}
