//! The process that runs a skill: its own, or one that several actions share.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use protocol::ActionName;
use sandbox::Program;
use serde::Deserialize;

use super::check::SkillError;
use super::manifest::{Manifest, Mode};
use super::skill::Skill;
use super::walk::fault;
use crate::config::SkillConfig;
use crate::defaults;

/// Which process runs a skill, and for whom it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its name: the action's in lower case, or what several manifests say.
    pub name: String,
    /// For whom one that stays is.
    pub per: Per,
    /// Whether other actions may have the same.
    pub is_shared: bool,
}

/// For whom a process that stays is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// One process for all conversations.
    #[default]
    Router,
    /// One for each conversation, which keeps its state apart.
    Session,
}

impl Process {
    /// What `manifest` says of it.
    ///
    /// # Errors
    /// A name that is none, or a process that does not stay.
    pub(super) fn of(manifest: &Manifest) -> Result<Self, String> {
        let stays = manifest.mode == Mode::Serve;
        if !stays && (manifest.process.is_some() || manifest.per == Per::Session) {
            let why = "process, per: they are for a process that stays; say mode = \"serve\", too";
            return Err(why.to_owned());
        }
        let own = manifest.name.as_str().to_ascii_lowercase();
        let name = manifest.process.clone().unwrap_or(own);
        let is_name = ActionName::new(name.to_ascii_uppercase()).is_ok_and(|name| !name.is_local());
        if !is_name || name != name.to_ascii_lowercase() {
            return Err(format!("process: {name:?} is no name; write it like a skill's folder"));
        }
        Ok(Self { is_shared: manifest.process.is_some(), name, per: manifest.per })
    }

    /// Checks that the skill `name`, which is none of ours, runs `program` under no name of ours: the data and the wishes of
    /// first-party skills go by such names.
    ///
    /// # Errors
    /// The name, and what to do.
    pub(super) fn check_is_free(&self, name: &ActionName, program: &Program) -> Result<(), String> {
        let own = name.as_str().to_ascii_lowercase();
        let replaces_one = |name: &str| name == own && defaults::is_folder(name);
        let joins_one = |name: &str| {
            self.is_shared && name == self.name && matches!(program, Program::Builtin(_))
        };
        let is_taken =
            |name: &&str| defaults::is_ours(name) && !replaces_one(name) && !joins_one(name);
        match [own.as_str(), &self.name].into_iter().find(is_taken) {
            Some(name) => Err(format!(
                "name, process: {name} is a process of first-party skills; choose another"
            )),
            None => Ok(()),
        }
    }

    /// The owner's wishes for the skill `name`, with those that stand under the name of its process: what a process is
    /// given is said once for all its actions.
    pub(super) fn wishes(&self, name: &str, all: &BTreeMap<String, SkillConfig>) -> SkillConfig {
        let own = all.get(name).cloned().unwrap_or_default();
        match all.get(&self.name.to_ascii_uppercase()) {
            Some(shared) if self.is_shared => SkillConfig {
                enabled: own.enabled && shared.enabled,
                dry_run: own.dry_run || shared.dry_run,
                ..shared.clone()
            },
            _ => own,
        }
    }
}

/// Takes out of `skills` those whose process another skill has with other powers; the first-party ones come first.
pub(super) fn part_clashing(skills: &mut BTreeMap<ActionName, Arc<Skill>>) -> Vec<SkillError> {
    let mut all: Vec<_> = skills.values().cloned().collect();
    all.sort_by_key(|skill| !skill.first_party);
    let mut first: BTreeMap<&str, &Arc<Skill>> = BTreeMap::new();
    let mut clashing = Vec::new();
    for skill in all.iter().filter(|skill| skill.mode == Mode::Serve) {
        let holder = *first.entry(&skill.process.name).or_insert(skill);
        let Some(what) = differs(holder, skill) else { continue };
        let why = format!(
            "process: {} has the process {:?} with {what}; all its actions need the same",
            holder.name(),
            skill.process.name
        );
        clashing.push(fault(&skill.folder.join("skill.toml"), &why));
        skills.remove(skill.name());
    }
    clashing
}

/// In what the process of `one` would be another than that of `other`.
fn differs(one: &Skill, other: &Skill) -> Option<&'static str> {
    if one.name() == other.name() { None } else { other_powers(one, other) }
}

/// Whether a process that was started for `one` may run `other`, too: it is the same one, with the same powers.
#[must_use]
pub fn are_of_one_process(one: &Skill, other: &Skill) -> bool {
    one.process.is_shared && other_powers(one, other).is_none()
}

fn other_powers(one: &Skill, other: &Skill) -> Option<&'static str> {
    // A program of a folder is no other folder's.
    let is_own = matches!(one.program, Program::Command(_));
    [
        (is_own || one.program != other.program, "another program"),
        (one.process != other.process, "another `per`"),
        (one.settings != other.settings, "other [settings]"),
        (one.folders != other.folders, "other [folders]"),
        (one.limits != other.limits, "other [limits]"),
        (differ(&one.hosts, &other.hosts), "other hosts"),
        (differ(&one.allow_private, &other.allow_private), "other private addresses"),
        (differ(&one.secrets, &other.secrets), "other [secrets]"),
    ]
    .into_iter()
    .find_map(|(differs, what)| differs.then_some(what))
}

/// Patterns and templates are plain data, and their forms tell them apart.
fn differ(one: &dyn Debug, other: &dyn Debug) -> bool {
    format!("{one:?}") != format!("{other:?}")
}

#[cfg(test)]
mod tests {
    use testkit::TempHome;

    use super::*;
    use crate::catalog::{Found, scan};
    use crate::config::RouterConfig;

    const SHARED: &str = "mode = \"serve\"\nprocess = \"papers\"\nper = \"session\"\n";

    fn house(skills: &[(&str, &str)]) -> TempHome {
        let home = TempHome::new();
        for (name, more) in skills {
            let folder = name.to_ascii_lowercase();
            let manifest = format!(
                "name = \"{name}\"\ninstruction = \"x\"\neffect = \"none\"\nbuiltin = \"hello_world\"\n{more}"
            );
            home.put(format!("router/skills/{folder}/skill.toml"), manifest);
        }
        home
    }

    fn look(home: &TempHome, config: &str) -> Found {
        let config: RouterConfig = serde_json::from_str(config).unwrap();
        scan(&home.router_skills(), &config, &Found::default())
    }

    #[test]
    fn actions_share_a_process_and_what_it_is_given() {
        let folders = format!("{SHARED}[folders.papers]\naccess = \"write\"\n");
        let home = house(&[("FIND", &folders), ("ADD", &folders)]);
        let found = look(
            &home,
            r#"{"skills": {"PAPERS": {"folders": {"papers": "/srv/x"}}, "ADD": {"enabled": false}}}"#,
        );
        assert_eq!(found.broken, []);
        let of = |name: &str| &found.skills[&ActionName::new(name).unwrap()];
        assert_eq!(of("FIND").process, of("ADD").process);
        assert_eq!(of("FIND").process.per, Per::Session);
        assert_eq!(of("FIND").folders, of("ADD").folders);
        assert!(of("ADD").disabled && !of("FIND").disabled);
    }

    #[test]
    fn nobody_slips_into_a_process_with_other_powers() {
        for (more, why) in [
            ("[net]\nhosts = [\"a.example\"]\n", "other hosts"),
            ("[folders.papers]\naccess = \"write\"\n", "other [folders]"),
            ("[limits]\nfile = \"1GB\"\n", "other [limits]"),
        ] {
            let home = house(&[("FIND", SHARED), ("SLIP", &format!("{SHARED}{more}"))]);
            let found = look(&home, "{}");
            assert_eq!(found.skills.len(), 1);
            assert!(found.broken[0].why.contains(why), "{:?}", found.broken);
        }
        let found = look(&house(&[("FIND", SHARED), ("PAPERS", "mode = \"serve\"\n")]), "{}");
        assert!(found.broken[0].why.contains("another `per`"), "{:?}", found.broken);
    }

    #[test]
    fn nobody_takes_the_name_of_a_process_of_ours() {
        let shared = |name: &str| format!("mode = \"serve\"\nprocess = \"{name}\"\n");
        let more = "[folders.library]\naccess = \"write\"\n";
        for (name, mode) in [
            ("LIBRARY", String::new()),
            ("MEANING", String::new()),
            ("MEANING", "mode = \"serve\"\n".to_owned()),
            ("MACHINE", String::new()),
            ("LIBRARY", shared("papers")),
        ] {
            let found = look(&house(&[(name, &format!("{mode}{more}"))]), "{}");
            assert_eq!(found.skills.len(), 0, "{name} {mode}");
            let why = &found.broken[0].why;
            assert!(why.contains("is a process of first-party skills"), "{why}");
        }
        let home = house(&[]);
        home.put_script("find", "none", "true");
        let file = "router/skills/find/skill.toml";
        let manifest = home.text(file).replace("reads = \"none\"\n", "");
        home.put(file, manifest + &shared("meaning"));
        let why = &look(&home, "{}").broken[0].why;
        assert!(why.contains("meaning is a process"), "{why}");
    }

    #[test]
    fn only_one_that_stays_has_a_name_or_a_session() {
        for more in [
            "process = \"papers\"\n",
            "per = \"session\"\n",
            "mode = \"serve\"\nprocess = \"A b\"\n",
        ] {
            let found = look(&house(&[("FIND", more)]), "{}");
            assert!(found.broken[0].why.starts_with("process"), "{:?}", found.broken);
        }
    }
}
