//! Looks through router/skills.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::ActionName;
use sha2::{Digest, Sha256};

use super::check::{Looked, SkillError, check};
use super::held::Held;
use super::portrait::Portrait;
use super::process::part_clashing;
use super::skill::Skill;
use super::walk::{Listing, fault};
use crate::config::RouterConfig;

/// What a look through router/skills found.
#[derive(Debug, Default)]
pub struct Found {
    /// The skills that can be run, by name.
    pub skills: BTreeMap<ActionName, Arc<Skill>>,
    /// The folders that can't, each with its reason.
    pub broken: Vec<SkillError>,
    /// The skills that must not run because of their pins.
    pub held: BTreeMap<ActionName, Held>,
    /// Something is so new that it has to be looked at again.
    pub(super) unsettled: bool,
}

impl Found {
    /// What is wrong with the folder of `action`.
    pub fn broken_folder(&self, action: &ActionName) -> Option<&SkillError> {
        let folder = action.as_str().to_ascii_lowercase();
        self.broken
            .iter()
            .find(|error| error.file.components().any(|part| part.as_os_str() == folder.as_str()))
    }

    /// Whether these are the very same skills.
    pub(super) fn is_the_same_as(&self, other: &Self) -> bool {
        self.held == other.held
            && self.skills.len() == other.skills.len()
            && self.skills.values().zip(other.skills.values()).all(|(a, b)| Arc::ptr_eq(a, b))
    }
}

/// Looks through `folder`. One bad skill never stops the others; a folder that is missing has none. A skill
/// that is as it was `before` stays the same value, so that what hangs on it lives on.
pub fn scan(folder: &Path, config: &RouterConfig, before: &Found) -> Found {
    let mut found = Found::default();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return found,
        Err(error) => {
            found.broken.push(fault(folder, &format!("it can't be read: {error}")));
            return found;
        }
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for skill in &folders {
        let hidden = skill.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || skill.is_file() {
            continue;
        }
        match one(skill, config, before) {
            Ok(skill) => {
                found.skills.insert(skill.name().clone(), skill);
            }
            Err(error) => found.broken.push(error),
        }
    }
    found.broken.extend(part_clashing(&mut found.skills));
    let nothing = wishes_for_nothing(folder, &folders, &found, config);
    found.broken.splice(0..0, nothing);
    found
}

/// Wishes in router/config.json that name no folder: whoever switches something off has to know that it
/// is off.
fn wishes_for_nothing(
    skills: &Path,
    folders: &[PathBuf],
    found: &Found,
    config: &RouterConfig,
) -> Vec<SkillError> {
    let of_folders = folders
        .iter()
        .filter_map(|folder| Some(folder.file_name()?.to_str()?.to_ascii_uppercase()));
    let of_processes = found.skills.values().map(|skill| skill.process.name.to_ascii_uppercase());
    let names: Vec<String> = of_folders.chain(of_processes).collect();
    let missing = config.skills.keys().filter(|key| !names.contains(key));
    missing
        .map(|key| {
            let near = home::nearest(key, names.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            let file = skills.with_file_name("config.json");
            fault(&file, &format!("skills.{key}: there is no such skill{hint}"))
        })
        .collect()
}

fn one(folder: &Path, config: &RouterConfig, before: &Found) -> Result<Arc<Skill>, SkillError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let beside = folder.parent().unwrap_or(folder);
    // Its own wishes, and those that may be for its process, which no folder has the name of.
    let is_its = |key: &str| key == name || !beside.join(key.to_ascii_lowercase()).exists();
    let wishes: Vec<_> = config.skills.iter().filter(|(key, _)| is_its(key)).collect();
    let wishes = format!("{wishes:?}{:?}", config.limits);
    let listing = Listing::of(folder)?;
    let stamp = listing.stamp();
    let state = Sha256::new_with_prefix(wishes).chain_update(stamp);
    let fingerprint = state.finalize().into();
    let known = before.skills.values().find(|skill| skill.folder == folder);
    match known.filter(|skill| skill.fingerprint == fingerprint) {
        Some(skill) => Ok(Arc::clone(skill)),
        None => {
            let (portrait, written) = (Portrait::of_all(&listing)?, listing.written());
            check(folder, config, &Looked { fingerprint, stamp, written, portrait }).map(Arc::new)
        }
    }
}
