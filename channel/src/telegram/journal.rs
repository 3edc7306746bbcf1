//! What has been taken from Telegram, on the disk before it is handed on: after a crash no update is taken twice, and
//! a message that was not answered is known.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use home::FileError;
use protocol::Millis;
use serde::{Deserialize, Serialize};

/// The largest file that is read, in bytes: the ids and excerpts below are a tenth of it.
const LIMIT: u64 = 4 * 1024 * 1024;

/// How many updates are known again by their ids; more than any server sends twice.
const RECENT: usize = 256;

/// Telegram keeps an update for 24 hours, and may begin to count anew when there was none for a week. An offset that
/// is older than this, in milliseconds, protects from nothing and could hide what is new.
const OFFSET_LIVES: u64 = 48 * 60 * 60 * 1000;

/// How many messages without an answer are kept; more than that wait in a flood alone.
const MOST_UNANSWERED: usize = 256;

/// How much of a message is kept to know it again, in characters.
const EXCERPT: usize = 120;

/// `workspace/telegram.json`.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    held: Mutex<Held>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Held {
    /// The bot that the ids belong to.
    #[serde(default)]
    bot: u64,
    /// The first update that was not taken yet.
    #[serde(default)]
    offset: Option<u32>,
    /// When the offset was written, in milliseconds since 1970.
    #[serde(default)]
    at: u64,
    /// The latest updates that were taken.
    #[serde(default)]
    recent: Vec<u32>,
    /// Messages that were handed on and whose answer has not been sent.
    #[serde(default)]
    unanswered: Vec<Unanswered>,
}

/// A message whose answer has not been sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Unanswered {
    /// Its chat.
    pub(super) chat: i64,
    /// Its id there.
    pub(super) message: i32,
    /// How it begins.
    pub(super) text: String,
}

impl Held {
    fn knows(&mut self, update: u32) {
        self.recent.push(update);
        let too_many = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..too_many);
    }
}

impl Unanswered {
    pub(super) fn new(chat: i64, message: i32, text: &str) -> Self {
        let mut excerpt: String = text.chars().take(EXCERPT).collect();
        if excerpt.len() < text.len() {
            excerpt.push('…');
        }
        Self { chat, message, text: excerpt }
    }
}

impl Journal {
    /// The journal at `path`, as the last agent of `bot` has left it. One that can't be read is set aside, and what it
    /// said is given as a sentence.
    pub(super) fn open(path: PathBuf, bot: u64, now: Millis) -> (Self, Option<String>) {
        let (mut held, problem) = match read(&path) {
            Ok(held) => (held, None),
            Err(why) => (Held::default(), Some(set_aside(&path, &why))),
        };
        if held.bot != bot {
            held = Held { bot, ..Held::default() };
        }
        if now.0.saturating_sub(held.at) > OFFSET_LIVES {
            (held.offset, held.recent) = (None, Vec::new());
        }
        (Self { path, held: Mutex::new(held) }, problem)
    }

    /// From which update on Telegram is asked; `None` when that is not known.
    pub(super) fn offset(&self) -> Option<u32> {
        self.lock().offset
    }

    /// Whether this update was taken before.
    pub(super) fn knows(&self, update: u32) -> bool {
        self.lock().recent.contains(&update)
    }

    /// Takes an update, with the message in it that is going to be handed on.
    ///
    /// # Errors
    /// [`FileError`]: it is known in memory alone.
    pub(super) fn take(
        &self,
        update: u32,
        message: Option<Unanswered>,
        now: Millis,
    ) -> Result<(), FileError> {
        let mut held = self.lock();
        held.offset = Some(update.saturating_add(1));
        held.at = now.0;
        held.knows(update);
        held.unanswered.extend(message);
        let too_many = held.unanswered.len().saturating_sub(MOST_UNANSWERED);
        held.unanswered.drain(..too_many);
        self.write(&held)
    }

    /// Lets an update pass that is nobody's business: it is known in memory, and the disk hears of it with the next one that is
    /// taken.
    pub(super) fn pass(&self, update: u32) {
        let mut held = self.lock();
        held.offset = Some(update.saturating_add(1));
        held.knows(update);
    }

    /// Has an update be no message when it comes. What comes before it is taken as ever.
    ///
    /// # Errors
    /// [`FileError`].
    pub(super) fn skip(&self, update: u32, now: Millis) -> Result<(), FileError> {
        let mut held = self.lock();
        held.at = now.0;
        held.knows(update);
        self.write(&held)
    }

    /// A message's answer has been sent, or its person has been told that there is none.
    ///
    /// # Errors
    /// [`FileError`]: the file still says that it was not.
    pub(super) fn answered(&self, chat: i64, message: i32) -> Result<(), FileError> {
        let mut held = self.lock();
        let before = held.unanswered.len();
        held.unanswered.retain(|waiting| (waiting.chat, waiting.message) != (chat, message));
        if held.unanswered.len() == before { Ok(()) } else { self.write(&held) }
    }

    /// The messages that were not answered.
    pub(super) fn unanswered(&self) -> Vec<Unanswered> {
        self.lock().unanswered.clone()
    }

    fn write(&self, held: &Held) -> Result<(), FileError> {
        // Numbers and texts always have a JSON form.
        let text = serde_json::to_string_pretty(held).unwrap_or_default() + "\n";
        home::file::write(&self.path, text.as_bytes())
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has the journal at `to` know every update that the one at `from` knows; nothing where there is none at `from`. What can't be
/// read is left to the agent, which sets it aside.
///
/// # Errors
/// [`FileError`] when it can't be written.
pub fn carry(from: &Path, to: &Path, now: Millis) -> Result<(), FileError> {
    let (true, Ok(paired), Ok(_)) = (from.exists(), read(from), read(to)) else { return Ok(()) };
    let (journal, _) = Journal::open(to.to_owned(), paired.bot, now);
    paired.recent.into_iter().try_for_each(|update| journal.skip(update, now))
}

fn read(path: &Path) -> Result<Held, String> {
    match home::file::read(path, LIMIT) {
        Ok(None) => Ok(Held::default()),
        Ok(Some(bytes)) => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn set_aside(path: &Path, why: &str) -> String {
    let kept = match home::file::set_aside(path) {
        Ok(aside) => format!("it is kept as {}", aside.display()),
        Err(error) => error.to_string(),
    };
    format!(
        "{} can't be read ({why}); {kept}. Which messages had no answer yet is not known",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_000_000);

    fn open(folder: &tempfile::TempDir, bot: u64, now: u64) -> Journal {
        Journal::open(folder.path().join("telegram.json"), bot, Millis(now)).0
    }

    #[test]
    fn what_was_taken_is_known_after_a_crash() {
        let folder = tempfile::tempdir().unwrap();
        let journal = open(&folder, 1, NOW.0);
        let hello = Unanswered::new(42, 7, "hello");
        journal.take(1_000, Some(hello.clone()), NOW).unwrap();
        journal.take(1_001, None, NOW).unwrap();
        let after = open(&folder, 1, NOW.0 + 1);
        assert_eq!(after.offset(), Some(1_002));
        assert!(after.knows(1_000) && after.knows(1_001) && !after.knows(1_002));
        assert_eq!(after.unanswered(), [hello]);
        after.answered(42, 7).unwrap();
        assert_eq!(open(&folder, 1, NOW.0 + 1).unanswered(), []);
    }

    #[test]
    fn another_bot_and_another_week_count_from_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let hello = Unanswered::new(42, 7, &"ä".repeat(500));
        open(&folder, 1, NOW.0).take(1_000, Some(hello.clone()), NOW).unwrap();
        assert_eq!(hello.text.chars().count(), EXCERPT + 1);
        let later = open(&folder, 1, NOW.0 + OFFSET_LIVES + 1);
        assert_eq!((later.offset(), later.unanswered()), (None, vec![hello]));
        let other = open(&folder, 2, NOW.0);
        assert_eq!((other.offset(), other.unanswered()), (None, Vec::new()));
    }

    #[test]
    fn a_broken_journal_is_set_aside_and_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("telegram.json");
        std::fs::write(&path, "{\"offset\": ").unwrap();
        let (journal, problem) = Journal::open(path.clone(), 1, NOW);
        assert!(problem.unwrap().contains("telegram.json.broken-"));
        assert_eq!(journal.offset(), None);
        assert!(!path.exists());
    }
}
