//! What each skill was when it was first seen, or when the owner last said yes to it.
//!
//! `router/state/skills.json` holds a digest for each skill, and `router/state/skills/` beside it what was in
//! the files, to show later what has changed; a digest tells whether that can be believed. A skill that is new
//! gets its pin by itself once its folder has been quiet for a second, for dropping it is all that a user does.
//! One that differs from its pin is held back until the owner says yes (`start_router trust`). The pin stays
//! when the folder goes, so that it can't come back as another.
//!
//! A manifest that is, to the letter, one that is compiled in, alone in its folder, is trusted as the binary
//! is, and its pin follows it. One of an older binary is trusted by its pin.
//!
//! A file of pins that is missing or broken says nothing about what has changed since. Where a router has run
//! before, which its audit log shows, everything that is not first-party is held back then; a home in which
//! none ever ran has new skills only. What remains: whoever may write in `router/` can write a pin, or take
//! both the pins and the audit log away.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::PathBuf;

use home::{FileError, Home, file};
use protocol::ActionName;
use serde::{Deserialize, Serialize};

use super::portrait::Portrait;
use crate::digest::Digest;

/// The largest file of pins, and the largest portrait, in bytes.
const MAX_PINS: u64 = 4 * 1024 * 1024;
const MAX_PORTRAIT: u64 = 64 * 1024 * 1024;

/// Where the pins of a home are.
#[derive(Debug, Clone)]
pub struct Pins {
    home: Home,
}

/// A pin; without a digest it is known only that the skill was there when the pins were lost.
pub type Pin = Option<Digest>;

/// The file of pins.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    skills: BTreeMap<ActionName, Pin>,
}

/// What is known of the pins.
#[derive(Debug)]
pub enum Known {
    /// These.
    Pins(BTreeMap<ActionName, Pin>),
    /// No router ever ran in this home.
    Fresh,
    /// They are lost, and why.
    Lost(String),
}

impl Known {
    /// The pin of `name`; `None` when it is new.
    #[must_use]
    pub fn of(&self, name: &ActionName) -> Option<Pin> {
        match self {
            Self::Pins(pins) => pins.get(name).copied(),
            Self::Fresh => None,
            Self::Lost(_) => Some(None),
        }
    }
}

impl Pins {
    /// Those of `home`.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { home: home.clone() }
    }

    /// Reads them.
    #[must_use]
    pub fn known(&self) -> Known {
        let file = self.file();
        match file::read(&file, MAX_PINS) {
            Ok(Some(bytes)) => match serde_json::from_slice::<Document>(&bytes) {
                Ok(document) => Known::Pins(document.skills),
                Err(error) => Known::Lost(format!("{} can't be read: {error}", file.display())),
            },
            Ok(None) if self.is_fresh() => Known::Fresh,
            Ok(None) => Known::Lost(format!("{} is missing", file.display())),
            Err(error) => Known::Lost(error.to_string()),
        }
    }

    /// Makes the file when there is none. When the pins are lost, it says so, sets aside what is broken, and
    /// holds back what is there from then on.
    pub(super) fn establish(&self) -> Known {
        if let known @ Known::Pins(_) = self.known() {
            return known;
        }
        match self.change(|_| {}) {
            Ok(()) => self.known(),
            Err(error) => {
                tracing::warn!("skills can't be pinned: {error}");
                self.known()
            }
        }
    }

    /// Changes them under a lock: several routers and the command line share the file.
    ///
    /// # Errors
    /// [`FileError`], with the pins as they were.
    pub fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<ActionName, Pin>),
    ) -> Result<(), FileError> {
        let file = self.file();
        let lock = self.home.router_state().join("skills.lock");
        file::make_folder(&self.home.router_state())?;
        let open = File::options().write(true).create(true).truncate(false).open(&lock);
        let held = open.and_then(|held| held.lock().map(|()| held));
        let _held = held.map_err(|error| FileError::new("lock", &lock, error))?;
        let (before, mut skills) = match self.known() {
            Known::Pins(pins) => (Some(pins.clone()), pins),
            Known::Fresh => (None, BTreeMap::new()),
            Known::Lost(why) => (None, self.after_the_loss(&why)?),
        };
        change(&mut skills);
        if before.as_ref() == Some(&skills) {
            return Ok(());
        }
        // A map of names and digests always has a JSON form.
        let text = serde_json::to_string_pretty(&Document { skills }).unwrap_or_default();
        file::write(&file, text.as_bytes())
    }

    /// Every folder that is there now, without a digest.
    fn after_the_loss(&self, why: &str) -> Result<BTreeMap<ActionName, Pin>, FileError> {
        let file = self.file();
        let aside = if file.exists() {
            format!("; it is kept as {}", file::set_aside(&file)?.display())
        } else {
            String::new()
        };
        tracing::warn!(
            "{why}{aside}. Nothing says any more whether a skill was changed: those that are not \
            first-party wait for `{}`",
            home::router_command("trust")
        );
        let folders = fs::read_dir(self.home.router_skills()).into_iter().flatten().flatten();
        let names = folders.filter_map(|folder| {
            let name = folder.file_name().into_string().ok()?.to_ascii_uppercase();
            ActionName::new(name).ok()
        });
        Ok(names.map(|name| (name, None)).collect())
    }

    /// What was in the files of `name` when it was `pinned`, if that is known.
    #[must_use]
    pub fn portrait(&self, name: &ActionName, pinned: Digest) -> Option<Portrait> {
        let bytes = file::read(&self.portrait_of(name), MAX_PORTRAIT).ok()??;
        let portrait: Portrait = serde_json::from_slice(&bytes).ok()?;
        (portrait.digest() == pinned).then_some(portrait)
    }

    /// Keeps what is in the files of `name`, for the pin that follows.
    ///
    /// # Errors
    /// [`FileError`].
    pub fn keep(&self, name: &ActionName, portrait: &Portrait) -> Result<(), FileError> {
        // Texts and numbers always have a JSON form.
        let bytes = serde_json::to_vec(portrait).unwrap_or_default();
        file::write(&self.portrait_of(name), &bytes)
    }

    /// Where the digests stand.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.home.router_state().join("skills.json")
    }

    fn portrait_of(&self, name: &ActionName) -> PathBuf {
        let name = name.as_str().to_ascii_lowercase();
        self.home.router_state().join("skills").join(format!("{name}.json"))
    }

    /// A router opens its audit log after it has made the file of pins. The command line may have written into its own
    /// before there was any router.
    fn is_fresh(&self) -> bool {
        let files = fs::read_dir(self.home.router_audit()).into_iter().flatten().flatten();
        let mut of_routers =
            files.filter(|file| !audit_log::is_of_the_command_line(&file.file_name()));
        !of_routers.any(|file| file.file_type().is_ok_and(|kind| kind.is_file()))
    }
}
