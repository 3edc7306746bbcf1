//! Remembers the files at which a reader has died.
//!
//! A parser that overflows its stack, takes too much memory or never ends takes its process along. So the file that is being
//! read stands in `trying.json`, beside the library, under a lock that ends with the process: what stands there without a lock
//! has killed its reader. Once may be chance, as a person may have ended the program. The file is then tried again behind all others.
//! After the second time it is left out, until it changes or is named alone.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;

use safeclaw_skill::SkillError;
use serde::{Deserialize, Serialize};

use super::open::Stamp;

/// The file's name.
const NAME: &str = "trying.json";

/// After so many deaths a file is left out.
const MOST: u32 = 2;

/// What is known of deaths, for as long as one call lasts.
pub(super) struct Deaths {
    /// None while another process has the lock: what happens to this one is then not kept.
    file: Option<File>,
    kept: Tried,
}

/// What stands in the file.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Tried {
    /// The place of the file that is being read.
    now: Option<(String, Stamp)>,
    /// The files that have killed a reader, by place: as they were, and how many.
    died: BTreeMap<String, (Stamp, u32)>,
}

/// The file that a reader read when it died, if nobody has opened the library's `folder` for reading papers since then.
#[must_use]
pub fn fatal(folder: &Path) -> Option<String> {
    let mut file = File::open(folder.join(NAME)).ok()?;
    // A reader that lives holds it.
    file.try_lock().ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let tried: Tried = serde_json::from_str(&text).ok()?;
    tried.now.map(|(place, _)| place)
}

impl Deaths {
    /// What stands in the library's folder. A reader that has died since the last time counts.
    ///
    /// # Errors
    /// When the file can't be used.
    pub(super) fn open(folder: &Path) -> Result<Self, SkillError> {
        let path = folder.join(NAME);
        let mut file =
            File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let is_alone = file.try_lock().is_ok();
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let kept = serde_json::from_str(&text).unwrap_or_default();
        let mut deaths = Self { file: is_alone.then_some(file), kept };
        if let Some((place, stamp)) = deaths.kept.now.take().filter(|_| is_alone) {
            let count = deaths.at(&place, stamp) + 1;
            deaths.kept.died.insert(place, (stamp, count));
            deaths.save()?;
        }
        Ok(deaths)
    }

    /// How many readers the file at `place` has killed, as it is now.
    fn at(&self, place: &str, stamp: Stamp) -> u32 {
        let died = self.kept.died.get(place).filter(|(before, _)| *before == stamp);
        died.map_or(0, |(_, count)| *count)
    }

    /// Whether a reader has died at it.
    pub(super) fn has(&self, place: &str, stamp: Stamp) -> bool {
        self.at(place, stamp) > 0
    }

    /// Why it is left out, if it is.
    pub(super) fn refuses(&self, place: &str, stamp: Stamp) -> Option<String> {
        let why = "reading it has ended the program twice, so it is left out until it changes; name it alone to try again";
        (self.at(place, stamp) >= MOST).then(|| why.to_owned())
    }

    /// From here on it is being read.
    ///
    /// # Errors
    /// When that can't be written.
    pub(super) fn begin(&mut self, place: &str, stamp: Stamp) -> Result<(), SkillError> {
        self.kept.now = Some((place.to_owned(), stamp));
        self.save()
    }

    /// It was read, or could not be, and the reader lives.
    ///
    /// # Errors
    /// When that can't be written.
    pub(super) fn end(&mut self, place: &str) -> Result<(), SkillError> {
        self.kept.now = None;
        self.kept.died.remove(place);
        self.save()
    }

    fn save(&mut self) -> Result<(), SkillError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let text = serde_json::to_vec(&self.kept)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)?;
        Ok(())
    }
}
