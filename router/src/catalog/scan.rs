//! Looks through router/skills.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::ActionName;
use sha2::{Digest, Sha256};

use super::check::{SkillError, check};
use super::skill::Skill;
use crate::config::RouterConfig;

/// How many files of a skill's folder are looked at.
const MOST_FILES: usize = 20_000;

/// Folders of tools and their intermediate products, which can be large and are never run from. What cargo
/// builds stands beside them, in `target/release`.
pub(super) const NOT_LOOKED_INTO: [&str; 5] =
    ["deps", "incremental", ".fingerprint", "node_modules", ".git"];

/// What a look through router/skills found.
#[derive(Debug, Default)]
pub struct Found {
    /// The skills that can be run, by name.
    pub skills: BTreeMap<ActionName, Arc<Skill>>,
    /// The folders that can't, each with its reason.
    pub broken: Vec<SkillError>,
}

impl Found {
    /// Whether these are the very same skills.
    pub(super) fn is_the_same_as(&self, other: &Self) -> bool {
        self.skills.len() == other.skills.len()
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
            found.broken.push(fault(folder, format!("it can't be read: {error}")));
            return found;
        }
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.sort();
    found.broken.extend(wishes_for_nothing(folder, &folders, config));
    for skill in folders {
        let hidden = skill.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || skill.is_file() {
            continue;
        }
        match one(&skill, config, before) {
            Ok(skill) => {
                found.skills.insert(skill.name().clone(), skill);
            }
            Err(error) => found.broken.push(error),
        }
    }
    found
}

/// Wishes in router/config.json that name no folder: whoever switches something off has to know that it
/// is off.
fn wishes_for_nothing(
    skills: &Path,
    folders: &[PathBuf],
    config: &RouterConfig,
) -> Vec<SkillError> {
    let names: Vec<String> = folders
        .iter()
        .filter_map(|folder| Some(folder.file_name()?.to_str()?.to_ascii_uppercase()))
        .collect();
    let missing = config.skills.keys().filter(|key| !names.contains(key));
    missing
        .map(|key| {
            let near = home::nearest(key, names.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            let file = skills.with_file_name("config.json");
            fault(&file, format!("skills.{key}: there is no such skill{hint}"))
        })
        .collect()
}

fn one(folder: &Path, config: &RouterConfig, before: &Found) -> Result<Arc<Skill>, SkillError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let config = config.skills.get(&name).cloned().unwrap_or_default();
    let mut state = Sha256::new_with_prefix(format!("{config:?}"));
    look_through(folder, &mut state)?;
    let fingerprint = state.finalize().into();
    let known = before.skills.values().find(|skill| skill.folder == folder);
    match known.filter(|skill| skill.fingerprint == fingerprint) {
        Some(skill) => Ok(Arc::clone(skill)),
        None => check(folder, &config, fingerprint).map(Arc::new),
    }
}

/// Takes what every file is at the moment into `state`, and refuses a folder with a link that leads out of
/// it: what that shows today, it may not show tomorrow.
fn look_through(folder: &Path, state: &mut Sha256) -> Result<(), SkillError> {
    let unreadable = |path: &Path, error| fault(path, format!("it can't be read: {error}"));
    if folder.is_symlink() {
        return Err(fault(folder, "it is a link; put the folder itself here".to_owned()));
    }
    let home = folder.canonicalize().map_err(|error| unreadable(folder, error))?;
    let mut waiting = vec![home.clone()];
    let mut seen = 0;
    while let Some(next) = waiting.pop() {
        let mut entries: Vec<_> = fs::read_dir(&next)
            .map_err(|error| unreadable(&next, error))?
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for path in entries {
            seen += 1;
            if seen > MOST_FILES {
                return Err(fault(folder, format!("it holds more than {MOST_FILES} files")));
            }
            if path.is_symlink() && !path.canonicalize().is_ok_and(|to| to.starts_with(&home)) {
                let why = "it is a link that leads out of the skill's folder; put a copy there";
                return Err(fault(&path, why.to_owned()));
            }
            let facts = fs::symlink_metadata(&path).map_err(|error| unreadable(&path, error))?;
            let version = (&path, facts.len(), facts.mode(), facts.mtime(), facts.mtime_nsec());
            state.update(format!("{version:?}"));
            if facts.is_dir() && !NOT_LOOKED_INTO.iter().any(|name| path.ends_with(name)) {
                waiting.push(path);
            }
        }
    }
    Ok(())
}

fn fault(file: &Path, why: String) -> SkillError {
    SkillError { file: file.to_owned(), why }
}
