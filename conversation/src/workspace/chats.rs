//! The conversations that were put away, one file each: what was said and done, and what had come into it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use document::{Json, SaveError};
use home::FileError;
use journal::JournalEvent;
use protocol::{Millis, Object};
use serde::{Deserialize, Serialize};

use super::{Artifact, Entered, Entry, History};

/// How many conversations are kept. The one that was used longest ago makes room.
const MOST: usize = 1_000;

/// How large the file of one may be, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// A conversation that was put away.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StoredChat {
    /// What people know it by; empty where nothing was said.
    pub title: String,
    /// When something was said or done in it last.
    pub last: Millis,
    /// What a prompt shows of it.
    pub history: Vec<Entry>,
    /// What the latest turn that acted has brought.
    pub artifact: Vec<Object>,
    /// What had come into it. It goes with the texts, wherever they go.
    pub entered: Entered,
    /// All that was said and done, oldest first.
    pub events: Vec<JournalEvent>,
}

impl StoredChat {
    /// Its history and its artifact as the files of a session hold them.
    #[must_use]
    pub fn texts(&self) -> (History, Artifact) {
        (History::of(self.history.clone()), Artifact(self.artifact.clone()))
    }

    /// Whether `words`, in small letters, stand in its title or in what was said.
    #[must_use]
    pub fn holds(&self, words: &str) -> bool {
        let texts = self.events.iter().map(|event| &event.text);
        std::iter::once(&self.title).chain(texts).any(|text| text.to_lowercase().contains(words))
    }
}

/// The folder with the conversations of one session that were put away. A conversation is known by its number.
#[derive(Debug, Clone)]
pub struct Chats {
    folder: PathBuf,
}

impl Chats {
    /// Those in `folder`, which need not be there.
    #[must_use]
    pub fn in_folder(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// All of them with their numbers, the latest first. One that can't be read is left out.
    #[must_use]
    pub fn all(&self) -> Vec<(u64, StoredChat)> {
        let mut all: Vec<(u64, StoredChat)> = self
            .numbers()
            .into_iter()
            .filter_map(|number| Some((number, self.read(number)?)))
            .collect();
        all.sort_by_key(|(number, chat)| std::cmp::Reverse((chat.last, *number)));
        all
    }

    /// Those that were written last, the latest first: as many as together hold `most` events, and one more.
    #[must_use]
    pub fn latest(&self, most: usize) -> Vec<(u64, StoredChat)> {
        let written =
            |number: &u64| fs::metadata(self.path(*number)).and_then(|file| file.modified());
        let mut numbers = self.numbers();
        numbers.sort_by_cached_key(|number| std::cmp::Reverse(written(number).ok()));
        let (mut held, mut latest) = (0, Vec::new());
        for number in numbers {
            if held >= most {
                break;
            }
            let Some(chat) = self.read(number) else { continue };
            held += chat.events.len();
            latest.push((number, chat));
        }
        latest.sort_by_key(|(number, chat)| std::cmp::Reverse((chat.last, *number)));
        latest
    }

    /// The one with this number.
    #[must_use]
    pub fn read(&self, number: u64) -> Option<StoredChat> {
        let bytes = home::file::read(&self.path(number), LARGEST).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes one down, under its number or a new one, and gives the number. A file of this number that can't be read stays, and the
    /// conversation gets a new one. Where a new one is one too many, the one that was used longest ago goes, but not `kept`.
    ///
    /// # Errors
    /// [`SaveError`]; what stood there stands there.
    pub fn write(
        &self,
        number: Option<u64>,
        chat: &StoredChat,
        kept: Option<u64>,
    ) -> Result<u64, SaveError> {
        home::file::make_folder(&self.folder)?;
        let numbers = self.numbers();
        let next = numbers.iter().max().map_or(1, |last| last.saturating_add(1));
        let is_free = |number: &u64| !numbers.contains(number) || self.read(*number).is_some();
        let number = number.filter(is_free).unwrap_or(next);
        // Texts and numbers always have a JSON form.
        let text = serde_json::to_vec(chat).unwrap_or_default();
        home::file::write(&self.path(number), &text)?;
        if !numbers.contains(&number) && numbers.len() >= MOST {
            // One is read at a time: all of them may be large together.
            let others = numbers.into_iter().filter(|other| Some(*other) != kept);
            let lasts = others.filter_map(|other| Some((self.read(other)?.last, other)));
            lasts.min().map(|(_, gone)| self.remove(gone)).transpose()?;
        }
        Ok(number)
    }

    /// Removes one; `false` when there is none.
    ///
    /// # Errors
    /// [`SaveError`]; it is there still.
    pub fn remove(&self, number: u64) -> Result<bool, SaveError> {
        let path = self.path(number);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(FileError::new("remove", &path, error).into()),
        }
    }

    /// Whether there is one with this number.
    #[must_use]
    pub fn holds(&self, number: u64) -> bool {
        self.path(number).exists()
    }

    /// Whether there is one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // Each turn asks: the first one is enough.
        let mut entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        !entries.any(|entry| number_of(&entry.path()).is_some())
    }

    /// Removes those in which nothing was said since `limit`, but for the one that is `open`, and gives how many.
    ///
    /// # Errors
    /// [`SaveError`]; those that are left are there still.
    pub fn remove_older(&self, limit: Millis, open: Option<u64>) -> Result<usize, SaveError> {
        let mut removed = 0;
        for number in self.numbers().into_iter().filter(|number| Some(*number) != open) {
            if self.read(number).is_some_and(|chat| chat.last < limit) {
                removed += usize::from(self.remove(number)?);
            }
        }
        Ok(removed)
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number}.json"))
    }

    fn numbers(&self) -> Vec<u64> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| number_of(&entry.path())).collect()
    }
}

fn number_of(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.strip_suffix(".json")?.parse().ok()
}

/// `chat.json`: which conversation goes on here, of those that were put away before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OpenChat {
    /// Its number; none for a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The title that a person has given it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl Json for OpenChat {
    const LIMIT: u64 = 64 * 1024;
}

#[cfg(test)]
mod tests {
    use journal::Role;
    use protocol::Taint;

    use super::*;

    fn event(role: Role, text: &str) -> JournalEvent {
        let from = String::new();
        JournalEvent { at: Millis(1), role, from, text: text.to_owned(), bits: Taint::CLEAN }
    }

    #[test]
    fn conversations_are_known_by_numbers_and_the_latest_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let chats = Chats::in_folder(folder.path().join("chats"));
        let chat = |title: &str, last| StoredChat {
            title: title.to_owned(),
            last: Millis(last),
            entered: Entered::nothing(),
            ..StoredChat::default()
        };
        assert_eq!(chats.all(), []);
        assert_eq!(chats.write(None, &chat("a", 3), None).unwrap(), 1);
        assert_eq!(chats.write(None, &chat("b", 5), None).unwrap(), 2);
        assert_eq!(chats.write(Some(1), &chat("c", 4), None).unwrap(), 1);
        fs::write(folder.path().join("chats/x.json"), "{}").unwrap();
        fs::write(folder.path().join("chats/7.json"), "no JSON").unwrap();
        let all: Vec<(u64, String)> =
            chats.all().into_iter().map(|(number, chat)| (number, chat.title)).collect();
        assert_eq!(all, [(2, "b".to_owned()), (1, "c".to_owned())]);
        assert_eq!(chats.write(None, &chat("d", 1), None).unwrap(), 8, "no number is given twice");
        assert!(chats.remove(2).unwrap() && !chats.remove(2).unwrap());
        assert_eq!(
            chats.write(Some(7), &chat("e", 1), None).unwrap(),
            9,
            "7 can't be read, and stays"
        );
        assert_eq!(fs::read_to_string(folder.path().join("chats/7.json")).unwrap(), "no JSON");
    }

    #[test]
    fn only_a_new_one_makes_another_go_and_never_the_one_that_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let chats = Chats::in_folder(folder.path().to_owned());
        let chat = |last| StoredChat { last: Millis(last), ..StoredChat::default() };
        for number in 1..=MOST as u64 {
            let text = serde_json::to_vec(&chat(number)).unwrap();
            fs::write(folder.path().join(format!("{number}.json")), text).unwrap();
        }
        let there = || chats.numbers().len();
        assert_eq!((chats.write(Some(1), &chat(1), None).unwrap(), there()), (1, MOST));
        assert_eq!((chats.write(None, &chat(9_999), Some(1)).unwrap(), there()), (1_001, MOST));
        assert!(chats.read(1).is_some() && chats.read(2).is_none());
    }

    #[test]
    fn no_more_are_read_than_hold_so_many_events() {
        let folder = tempfile::tempdir().unwrap();
        let chats = Chats::in_folder(folder.path().to_owned());
        for number in 1..=5_u64 {
            let events = vec![event(Role::User, "hi"); 10];
            let chat = StoredChat { last: Millis(number), events, ..StoredChat::default() };
            chats.write(None, &chat, None).unwrap();
            let age = std::time::Duration::from_secs(100 - number);
            let file = fs::File::options().write(true).open(chats.path(number)).unwrap();
            file.set_modified(std::time::SystemTime::now() - age).unwrap();
        }
        let numbers = |most| -> Vec<u64> {
            chats.latest(most).into_iter().map(|(number, _)| number).collect()
        };
        assert_eq!(numbers(11), [5, 4]);
        assert_eq!(numbers(1_000), [5, 4, 3, 2, 1]);
        assert_eq!(numbers(0), [0; 0]);
    }

    #[test]
    fn a_title_is_the_first_message_and_a_search_looks_everywhere() {
        let long = "word ".repeat(30);
        let events =
            [event(Role::Action, "x"), event(Role::User, &long), event(Role::User, "Köln")];
        let title = journal::title(&events);
        assert!(title.starts_with("word word") && title.ends_with('…'), "{title}");
        assert_eq!(journal::title(&[]), "");
        let chat = StoredChat { title, events: events.to_vec(), ..StoredChat::default() };
        assert!(chat.holds("köln") && chat.holds("word") && !chat.holds("bonn"));
    }
}
