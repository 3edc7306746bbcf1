//! Reads one `.env` file, without touching the environment of the process.
//!
//! The syntax is that of dotenvy, save that a `$` stands for itself: a value is never filled with other
//! variables, so that a password with a `$` in it arrives as it was written.

mod set;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{FileError, file, nearest};

/// The largest `.env` file that is read, in bytes.
const LIMIT: u64 = 64 * 1024;

/// The names that the `.env` at the root of a home may set, for whichever process.
pub const SHARED_NAMES: [&str; 8] = [
    "REDIS_URL",
    "REDIS_CA_FILE",
    "SAFECLAW_KEY_FILE",
    "COMMAND_QUEUE",
    "RESPONSE_PREFIX",
    "REMOTE_BROWSER_SERVER",
    "OLLAMA_HOST",
    "SAFECLAW_ACTIONS",
];

/// The names that it may set for the agent alone: the keys of language models' providers. They are no secrets of
/// skills, so the same names may stand in router/.env.
pub const MODEL_KEY_NAMES: [&str; 5] = [
    "OPENAI_API_KEY",
    "OPENAIAPIOPTIONS_APIKEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
];

/// Whether `name` is one of [`MODEL_KEY_NAMES`], or one of them for a single host, such as
/// OPENAI_API_KEY_OPENROUTER_AI.
#[must_use]
pub fn is_model_key(name: &str) -> bool {
    let of = |known: &&str| {
        name.strip_prefix(*known).map(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    MODEL_KEY_NAMES.iter().filter_map(of).any(|is_one| is_one)
}

/// The names that it may set for the agent's channels: what people and programs know them by. They are the agent's alone
/// as well.
pub const CHANNEL_KEY_NAMES: [&str; 2] = ["TELEGRAM_BOT_TOKEN", "SAFECLAW_HTTP_TOKEN"];

/// Stands in for `$` while dotenvy parses, which would otherwise replace `$NAME` from the environment of
/// the process. It is a noncharacter of Unicode, which no text uses.
const DOLLAR: &str = "\u{FDD0}";

/// What one `.env` file sets. A missing file sets nothing, and an empty value counts as not set.
#[derive(Clone, Default)]
pub struct EnvFile {
    path: PathBuf,
    values: BTreeMap<String, String>,
}

/// A `.env` file that can't be used. No message shows a value.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// It can't be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line in it has no meaning.
    #[error("{}: line {line} can't be read: write NAME=value, or NAME='value' with quotes closed", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// It holds secrets, and others than its owner can read it.
    #[error("{} holds secrets, and others can read it (mode {mode:03o}); run: chmod 600 '{}'", path.display(), path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// A name in a `.env` file that means nothing to SafeClaw; it is a warning, not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    path: PathBuf,
    name: String,
    nearest: Option<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} is not a name that is used here", self.path.display(), self.name)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean {nearest}?"),
            None => Ok(()),
        }
    }
}

impl EnvFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`EnvError`] names the file and the line.
    pub fn read(path: &Path) -> Result<Self, EnvError> {
        let bytes = file::read(path, LIMIT)?.unwrap_or_default();
        let broken = |line| EnvError::Line { path: path.to_owned(), line };
        let text = std::str::from_utf8(&bytes)
            .map_err(|e| broken(line_at(&bytes[..e.valid_up_to()])))?
            .trim_start_matches('\u{FEFF}');
        let values = parse(text).ok_or_else(|| broken(first_broken_line(text)))?;
        Ok(Self { path: path.to_owned(), values })
    }

    /// Reads a file that holds secrets: it is refused when others than its owner can read or write it.
    ///
    /// # Errors
    /// As [`EnvFile::read`], and [`EnvError::Exposed`] with the command that mends it.
    pub fn read_private(path: &Path) -> Result<Self, EnvError> {
        if let Ok(metadata) = fs::metadata(path) {
            let mode = metadata.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return Err(EnvError::Exposed { path: path.to_owned(), mode });
            }
        }
        Self::read(path)
    }

    /// The value of `name`, if the file sets one.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// All names that the file sets, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The names that the file sets and that are none of `known` and no [`is_model_key`] either.
    #[must_use]
    pub fn unknown(&self, known: &[&str]) -> Vec<UnknownName> {
        let strangers = self
            .values
            .keys()
            .filter(|name| !known.contains(&name.as_str()) && !is_model_key(name));
        strangers
            .map(|name| UnknownName {
                path: self.path.clone(),
                name: name.clone(),
                nearest: nearest(name, known.iter().copied()).map(str::to_owned),
            })
            .collect()
    }
}

/// Shows the names alone: the values may be secrets.
impl fmt::Debug for EnvFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvFile")
            .field("path", &self.path)
            .field("names", &self.values.keys())
            .finish_non_exhaustive()
    }
}

/// The values that are not empty; of a name that stands twice, the last. `None` when a line is broken.
fn parse(text: &str) -> Option<BTreeMap<String, String>> {
    let mut values = BTreeMap::new();
    for pair in dotenvy::Iter::new(text.replace('$', DOLLAR).as_bytes()) {
        let (name, value) = pair.ok()?;
        if value.is_empty() {
            values.remove(&name);
        } else {
            values.insert(name, value.replace(DOLLAR, "$"));
        }
    }
    Some(values)
}

/// The number of the line with which the first broken entry starts. dotenvy does not count lines, and an
/// entry may span several: what can be read ends right before it.
fn first_broken_line(text: &str) -> usize {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1).rev();
    let readable = ends.map(|end| &text[..end]).find(|start| parse(start).is_some());
    line_at(readable.unwrap_or_default().as_bytes())
}

/// The number, counted from 1, of the line that comes after `before`.
fn line_at(before: &[u8]) -> usize {
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: impl AsRef<[u8]>) -> Result<EnvFile, EnvError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        fs::write(&path, bytes).unwrap();
        EnvFile::read(&path)
    }

    fn broken_line(bytes: impl AsRef<[u8]>) -> usize {
        match read(bytes) {
            Err(EnvError::Line { line, .. }) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_what_people_write() {
        let text =
            "\u{FEFF}# a comment\nA=1\nexport B=\"two words\" # why\n\nC='x=y'\nEMPTY=\nA=2\n";
        let file = read(text).unwrap();
        assert_eq!(Vec::from_iter(file.iter()), [("A", "2"), ("B", "two words"), ("C", "x=y")]);
        assert_eq!(file.get("EMPTY"), None);
    }

    #[test]
    fn a_missing_file_sets_nothing() {
        let file = EnvFile::read(Path::new("/nonexistent/.env")).unwrap();
        assert_eq!(file.iter().count(), 0);
    }

    #[test]
    fn a_dollar_stands_for_itself() {
        let file = read("A=pa$HOME$\nB=\"${PATH}\"\nC='$A'\n").unwrap();
        assert_eq!(Vec::from_iter(file.iter()), [("A", "pa$HOME$"), ("B", "${PATH}"), ("C", "$A")]);
    }

    #[test]
    fn a_broken_line_is_named_by_its_number_and_its_value_is_not_shown() {
        assert_eq!(broken_line("A=1\n\nhunter2\n"), 3);
        assert_eq!(broken_line("A='1\n2'\nB=hunter2 x\nC=1\n"), 3);
        assert_eq!(broken_line("A=1\nB='never closed\nC=1\n"), 2);
        assert_eq!(broken_line("=1"), 1);
        assert_eq!(broken_line(b"A=1\nB=\xff\n"), 2);
        let error = read("TOKEN=hunter2 x\n").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }

    #[test]
    fn its_debug_form_shows_no_value() {
        let shown = format!("{:?}", read("TOKEN=hunter2\n").unwrap());
        assert!(shown.contains("TOKEN") && !shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn unknown_names_come_with_the_nearest_known_one() {
        let file = read("REDIS_ULR=x\nREDIS_URL=y\nPAGER=less\n").unwrap();
        let said: Vec<_> = file.unknown(&["REDIS_URL"]).iter().map(ToString::to_string).collect();
        let path = file.path.display();
        assert_eq!(
            said,
            [
                format!("{path}: PAGER is not a name that is used here"),
                format!(
                    "{path}: REDIS_ULR is not a name that is used here; did you mean REDIS_URL?"
                ),
            ]
        );
    }

    #[test]
    fn secrets_that_others_can_read_are_refused_with_the_command_that_mends_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".env");
        fs::write(&path, "TOKEN=hunter2\n").unwrap();
        for mode in [0o640, 0o604, 0o620, 0o601, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let error = EnvFile::read_private(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("chmod 600 '{}'", path.display())), "{error}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(EnvFile::read_private(&path).unwrap().get("TOKEN"), Some("hunter2"));
    }

    proptest! {
        #[test]
        fn never_panics(text in "([A-Z= \"'#$\\\\\n\u{e4}]|\\PC){0,60}") {
            let _ = read(text);
        }
    }
}
