//! The list of what a backup holds.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The name of the list in the archive.
pub(crate) const NAME: &str = "safeclaw-backup.json";

/// The form that is written here.
pub(crate) const FORMAT: u32 = 1;

/// The most bytes that a list may have: about 100,000 files.
pub(crate) const LONGEST: u64 = 16 * 1024 * 1024;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The form of the backup.
    pub(crate) format: u32,
    /// The version of SafeClaw that made it.
    pub(crate) made_by: String,
    /// When, in UTC, by RFC 3339.
    pub(crate) made_at: String,
    /// Whether the secrets are in it.
    pub(crate) has_secrets: bool,
    /// All files, in the order in which they stand.
    pub(crate) files: Vec<ManifestFile>,
}

/// A file of the home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    /// Where it lies in the home, with `/` between the parts.
    pub(crate) path: String,
    /// Its length in bytes.
    pub(crate) bytes: u64,
    /// The SHA-256 sum of its content, in hexadecimal.
    pub(crate) sha256: String,
    /// Whether its owner may run it.
    pub(crate) runs: bool,
    /// The bits of its mode that say who may read and run it, where that matters: a skill's files are read by the user that the
    /// sandbox gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shared_mode: Option<u32>,
}

impl ManifestFile {
    /// The mode that it is written with. Nobody but its owner may write to it.
    pub(crate) fn mode(&self) -> u32 {
        let own = if self.runs { 0o700 } else { 0o600 };
        self.shared_mode.map_or(own, |mode| mode & 0o755 | own)
    }

    /// Its path, if that stays in the home and can be shown.
    pub(crate) fn safe_path(&self) -> Option<PathBuf> {
        let path = Path::new(&self.path);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let is_shown = !self.path.is_empty() && !self.path.chars().any(char::is_control);
        (is_plain && is_shown).then(|| path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_home() {
        let safe = |path: &str| {
            let sha256 = String::new();
            ManifestFile { path: path.to_owned(), bytes: 0, sha256, runs: false, shared_mode: None }
                .safe_path()
                .is_some()
        };
        assert!(safe("workspace/memory.json") && safe(".env"));
        for path in
            ["", "/etc/passwd", "../x", "workspace/../../x", "./x", "a\nreplaces b", "a\u{1b}[2J"]
        {
            assert!(!safe(path), "{path}");
        }
    }
}
