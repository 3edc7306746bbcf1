//! The format of a home: a number in `format.json`, so that a program never writes to what it does not understand.
//!
//! The number says what the programs that work in the home may have written there. It grows when a file gets a form that older
//! programs can't read, and never for anything else. Three rules hang on it:
//!
//! - A program reads what every older one has written, for ever. So a home whose files are partly of an older form is whole.
//! - A form that older programs can't read is written only where the number allows it, and only `safeclaw upgrade` raises the
//!   number, once a copy of the home has been proved. So the number stands there before the first such file does, and it is
//!   one file that is written whole: however an upgrade is ended, the home is either the old one or the new one.
//! - A program that finds a larger number than its own refuses, and names the way back.
//!
//! The number stands at the root of the home and not in a room of it: whatever the agent is made to do, it can't write there.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::file;
use crate::invocation::command;

/// The format of a home that has no number: there was none in the beginning.
pub const FIRST: u32 = 1;

/// The format that this program writes, and the newest that it reads.
pub const NEWEST: u32 = 2;

/// What each format brought, in words for people.
const BROUGHT: [(u32, &str); 1] =
    [(2, "the number of the format itself: an older SafeClaw refuses what it can't read")];

/// The largest `format.json`, in bytes.
const LIMIT: u64 = 64 * 1024;

/// `format.json`. Programs of all times read it, so what stands here keeps its name and its meaning, and a key that is not
/// known is no error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeFormat {
    /// The number.
    pub format: u32,
    /// The version of SafeClaw that wrote it.
    pub by: String,
    /// The upgrade that led here; none for a home that was made so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgraded: Option<Upgraded>,
    /// Whether a rollback has begun and not ended: then some files are the old ones and some are not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rolling_back: bool,
}

/// An upgrade that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upgraded {
    /// The format before.
    pub from: u32,
    /// When, in UTC, by RFC 3339.
    pub at: String,
    /// The copy of the home as it was before: a path in the home.
    pub copy: String,
}

/// Why a program does not work in a home.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// A newer program has worked there.
    #[error(
        "{} has format {found}, written by SafeClaw {by}, and this is SafeClaw {}, which knows the formats up to {NEWEST}: go on \
         with the newer one, or take the home back to what it was before with `{}`; nothing was changed",
        home.display(), env!("CARGO_PKG_VERSION"), command("rollback")
    )]
    Newer {
        /// The home.
        home: PathBuf,
        /// Its format.
        found: u32,
        /// The version that wrote it.
        by: String,
    },
    /// A rollback was interrupted.
    #[error(
        "a rollback of {} was cut off in the middle: `{}` finishes it; nothing was changed",
        .0.display(), command("rollback --yes")
    )]
    RollingBack(PathBuf),
    /// The file is broken.
    #[error(
        "{} can't be read ({why}): put it back from a backup, or, if no newer SafeClaw has worked in this home, remove it",
        path.display()
    )]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] crate::FileError),
}

impl HomeFormat {
    /// The newest one.
    #[must_use]
    pub fn newest() -> Self {
        let by = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: NEWEST, by, upgraded: None, rolling_back: false }
    }

    /// The one of a home without a number.
    fn first() -> Self {
        Self { format: FIRST, by: String::new(), ..Self::newest() }
    }

    /// That of the home at `root`, whatever it is; the newest where no program has worked yet.
    ///
    /// # Errors
    /// [`FormatError`] when there is a number that can't be read.
    pub fn of(root: &Path) -> Result<Self, FormatError> {
        let path = root.join(FILE);
        let Some(bytes) = file::read(&path, LIMIT)? else {
            return Ok(if is_lived_in(root) { Self::first() } else { Self::newest() });
        };
        let read: Result<Self, _> = serde_json::from_slice(&bytes);
        read.map_err(|error| FormatError::Broken { path, why: error.to_string() })
    }

    /// The same, where this program can work with it.
    ///
    /// # Errors
    /// [`FormatError`] says why it can't.
    pub fn usable(root: &Path) -> Result<Self, FormatError> {
        let format = Self::of(root)?;
        if format.rolling_back {
            return Err(FormatError::RollingBack(root.to_owned()));
        }
        if format.format > NEWEST {
            let (found, by) = (format.format, format.by);
            return Err(FormatError::Newer { home: root.to_owned(), found, by });
        }
        Ok(format)
    }

    /// Writes it down.
    ///
    /// # Errors
    /// [`crate::FileError`]; what stood there before still stands.
    pub fn write(&self, root: &Path) -> Result<(), crate::FileError> {
        file::write(&root.join(FILE), self.text().as_bytes())
    }

    /// What the formats after this one brought, up to the newest.
    #[must_use]
    pub fn brought_since(&self) -> Vec<&'static str> {
        BROUGHT.iter().filter(|(format, _)| *format > self.format).map(|(_, what)| *what).collect()
    }

    fn text(&self) -> String {
        // Numbers and texts always have a JSON form.
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }
}

/// The file with the number, in the home.
pub const FILE: &str = "format.json";

/// What the first program that works in a home leaves there.
const TRACES: [&str; 4] = [
    "workspace/agent.lock",
    "workspace/memory.json",
    "workspace/input_history.json",
    "router/audit",
];

/// Whether a program has worked in the home at `root`. What is only set there, as by a person, tells nothing of that.
fn is_lived_in(root: &Path) -> bool {
    TRACES.iter().any(|trace| root.join(trace).exists())
}

/// Looks whether this program can work in the home at `root`, and gives one in which none has worked yet its number.
pub(crate) fn enter(root: &Path) -> Result<(), FormatError> {
    HomeFormat::usable(root)?;
    if !is_lived_in(root) {
        // Where nothing can be written there is nothing that an older program could misread.
        let _ = file::write_missing(&root.join(FILE), HomeFormat::newest().text().as_bytes());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Home;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path()).unwrap();
        (folder, home)
    }

    #[test]
    fn a_new_home_gets_the_newest_number_and_an_old_one_keeps_having_none() {
        let (_folder, new) = home();
        Home::find(Some(new.root())).unwrap();
        assert_eq!(HomeFormat::of(new.root()).unwrap(), HomeFormat::newest());
        for trace in TRACES {
            let (_folder, old) = home();
            file::write(&old.root().join(trace), b"{}").unwrap();
            Home::find(Some(old.root())).unwrap();
            assert_eq!(HomeFormat::of(old.root()).unwrap().format, FIRST, "{trace}");
            assert!(!old.root().join(FILE).exists());
        }
    }

    #[test]
    fn a_newer_number_is_refused_with_the_way_back_and_unknown_keys_are_none_of_our_business() {
        let (_folder, home) = home();
        let text = r#"{"format": 99, "by": "9.0.0", "since": "then", "upgraded": {"from": 2, "at": "x", "copy": "y", "z": 1}}"#;
        fs::write(home.root().join(FILE), text).unwrap();
        let error = Home::find(Some(home.root())).unwrap_err().to_string();
        assert!(error.contains("has format 99, written by SafeClaw 9.0.0"), "{error}");
        assert!(error.contains("`safeclaw rollback`"), "{error}");
        assert_eq!(fs::read_to_string(home.root().join(FILE)).unwrap(), text);
        assert_eq!(HomeFormat::of(home.root()).unwrap().upgraded.unwrap().from, 2);
    }

    #[test]
    fn a_broken_number_and_half_a_rollback_are_refused() {
        let (_folder, home) = home();
        for (text, why) in [
            ("{\"form", "remove it"),
            ("7", "remove it"),
            (r#"{"format": 2, "by": "x", "rolling_back": true}"#, "rollback --yes` finishes it"),
        ] {
            fs::write(home.root().join(FILE), text).unwrap();
            let error = Home::find(Some(home.root())).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn every_format_says_what_it_brought() {
        let told = HomeFormat::first().brought_since();
        assert_eq!(told.len(), usize::try_from(NEWEST - FIRST).unwrap());
        assert!(HomeFormat::newest().brought_since().is_empty());
    }
}
