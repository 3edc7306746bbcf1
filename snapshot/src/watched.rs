//! The files of a project that other programs run by themselves, as they are at one time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

/// Shells, editors, build tools and git run these, or what they name, without being asked.
const FILES: [&str; 16] = [
    ".envrc",
    ".git",
    ".gitattributes",
    ".gitmodules",
    ".cargo/config",
    ".cargo/config.toml",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".vscode/launch.json",
    ".idea/workspace.xml",
    ".npmrc",
    ".yarnrc.yml",
    ".pre-commit-config.yaml",
    "build.rs",
    "conftest.py",
    "sitecustomize.py",
];

/// Folders of such files.
const FOLDERS: [&str; 4] = [".git/hooks", ".husky", ".devcontainer", ".github/workflows"];

/// The largest file that is looked into, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// What was there, and what was in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched(BTreeMap<String, String>);

impl Watched {
    /// Looks at the project in `folder`.
    #[must_use]
    pub fn look(folder: &Path) -> Self {
        let names = FOLDERS.iter().flat_map(|inner| {
            let entries = fs::read_dir(folder.join(inner)).into_iter().flatten().flatten();
            entries
                .filter_map(move |entry| Some(format!("{inner}/{}", entry.file_name().to_str()?)))
        });
        // Git runs no sample.
        let names = names.filter(|name| !name.ends_with(".sample"));
        let names = FILES.iter().map(|name| (*name).to_owned()).chain(names);
        let states = names.filter_map(|name| {
            let state = state(&folder.join(&name))?;
            Some((name, state))
        });
        Self(states.collect())
    }

    /// What is new or another in `now`.
    pub fn changed<'a>(&'a self, now: &'a Self) -> impl Iterator<Item = &'a str> {
        now.0
            .iter()
            .filter(|(name, state)| self.0.get(*name) != Some(state))
            .map(|(name, _)| name.as_str())
    }
}

/// A folder counts as being there, a link as where it leads, a file as what is in it.
fn state(path: &Path) -> Option<String> {
    let facts = fs::symlink_metadata(path).ok()?;
    if facts.is_symlink() {
        return Some(format!("link to {}", fs::read_link(path).ok()?.display()));
    }
    if !facts.is_file() {
        return Some("there".to_owned());
    }
    if facts.len() > LARGEST {
        return Some(format!("{} bytes, {:?}", facts.len(), facts.modified().ok()));
    }
    Some(format!("{:x?}", Sha256::digest(fs::read(path).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_or_changed_is_named() {
        let project = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            fs::create_dir_all(project.path().join(name).parent().unwrap()).unwrap();
            fs::write(project.path().join(name), text).unwrap();
        };
        put(".envrc", "a");
        put("build.rs", "a");
        put(".git/hooks/pre-commit", "a");
        let before = Watched::look(project.path());
        put("build.rs", "b");
        put(".husky/pre-push", "b");
        put(".git/hooks/pre-commit", "b");
        put("src/main.rs", "b");
        let now = Watched::look(project.path());
        let changed: Vec<_> = before.changed(&now).collect();
        assert_eq!(changed, [".git/hooks/pre-commit", ".husky/pre-push", "build.rs"]);
    }
}
