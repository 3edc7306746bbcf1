//! The notes of one conversation on the disk: `memory.md`, `memory-archive.md`, and how far the journal is noted.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use document::{File, Json, Notices, SaveError};
use protocol::Millis;
use serde::{Deserialize, Serialize};

use crate::note::{Note, NoteSource};
use crate::notes::Notes;

/// Three files of one folder.
#[derive(Debug)]
pub struct Notebook {
    notes: File<Notes>,
    archive: File<Notes>,
    noted: File<Noted>,
    /// The notes that a person was shown last, in the order of their numbers.
    shown: Mutex<Vec<Note>>,
}

/// `memory-noted.json`: when the last message was said that is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Noted {
    upto: Millis,
}

impl Json for Noted {
    const LIMIT: u64 = 4 * 1024;
}

impl Notebook {
    /// The notes in `folder`, which need not be there.
    #[must_use]
    pub fn open(folder: &Path, notices: &Notices) -> Self {
        Self {
            notes: File::new(folder.join("memory.md"), notices),
            archive: File::new(folder.join("memory-archive.md"), notices),
            noted: File::new(folder.join("memory-noted.json"), notices),
            shown: Mutex::default(),
        }
    }

    /// The notes as they are now.
    #[must_use]
    pub fn read(&self) -> Arc<Notes> {
        self.notes.read()
    }

    /// The notes as they are now, for a person: from now on a number means the one that has it here.
    #[must_use]
    pub fn show(&self) -> Arc<Notes> {
        let notes = self.read();
        *self.shown() = notes.all().map(|(_, note)| note.clone()).collect();
        notes
    }

    fn shown(&self) -> MutexGuard<'_, Vec<Note>> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many notes stand in the archive.
    #[must_use]
    pub fn archived(&self) -> usize {
        self.archive.read().all().len()
    }

    /// Adds a note, and moves the oldest ones to the archive for which there is no room.
    ///
    /// # Errors
    /// [`SaveError`]: the note is kept until the process ends.
    pub fn add(&self, note: Note) -> Result<(), SaveError> {
        self.notes.update(|notes| notes.add(note))?;
        self.make_room()
    }

    /// Takes in that the journal is noted up to the message that was said at `upto`, with what was noted of it, if anything.
    ///
    /// # Errors
    /// [`SaveError`]: it is kept until the process ends.
    pub fn capture(&self, upto: Millis, note: Option<Note>) -> Result<(), SaveError> {
        // The note says itself how far it goes: a process that is killed here begins behind it.
        if let Some(note) = note {
            self.notes.update(|notes| notes.add(note))?;
        }
        self.noted.save(Noted { upto })?;
        self.make_room()
    }

    /// Changes the note that a person was shown with `number`, or that has it now if none was shown. `change` is given the number
    /// that it has now, if it is still there. Gives what `change` gave, with whether it could be saved.
    ///
    /// # Errors
    /// What `change` gave as an error; then nothing has changed.
    pub fn change<R, E>(
        &self,
        number: usize,
        change: impl FnOnce(&mut Notes, Option<usize>) -> Result<R, E>,
    ) -> Result<(R, Result<(), SaveError>), E> {
        let shown = self.shown();
        let meant = number.checked_sub(1).and_then(|at| shown.get(at));
        self.notes.change(|notes| {
            let now = match meant {
                _ if shown.is_empty() => Some(number),
                meant => meant.and_then(|meant| notes.number_of(meant)),
            };
            change(notes, now)
        })
    }

    /// Removes all notes and the archive, and gives how many there were. What people wrote by hand stays.
    ///
    /// # Errors
    /// [`SaveError`]; what is left is there still.
    pub fn forget_all(&self) -> Result<usize, SaveError> {
        let mut count = 0;
        self.notes.update(|notes| count += notes.remove_all())?;
        if self.archived() > 0 {
            self.archive.update(|archive| count += archive.remove_all())?;
        }
        Ok(count)
    }

    /// When the messages were said that a note or the file of its own says are the last noted ones.
    #[must_use]
    pub fn marks(&self) -> BTreeSet<Millis> {
        let notes = self.notes.read();
        let captured = notes.all().filter(|(_, note)| note.source == NoteSource::Captured);
        captured.map(|(_, note)| note.at).chain([self.noted.read().upto]).collect()
    }

    fn make_room(&self) -> Result<(), SaveError> {
        let surplus = self.notes.read().surplus();
        if surplus.is_empty() {
            return Ok(());
        }
        // A process that was killed between the two has left them in both.
        self.archive.update(|archive| {
            for note in &surplus {
                if !archive.holds(note) {
                    archive.add(note.clone());
                }
            }
        })?;
        self.notes.update(|notes| notes.take_out(&surplus))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use protocol::Taint;

    use super::*;
    use crate::notes::MOST_NOTES;

    fn open(folder: &Path) -> Notebook {
        Notebook::open(folder, &Notices::default())
    }

    fn note(at: u64) -> Note {
        let words = format!("fact {at}.");
        Note::new(Millis(at), NoteSource::Captured, Taint::CLEAN, &words).unwrap()
    }

    #[test]
    fn a_number_means_the_note_that_was_shown_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let book = open(folder.path());
        for at in 0..12 {
            book.add(note(at)).unwrap();
        }
        let take = |number: usize| {
            let taken =
                book.change(number, |notes, now| now.and_then(|now| notes.remove(now)).ok_or(()));
            taken.map(|(note, _)| note.words().to_owned())
        };
        drop(book.show());
        // The first two move to the archive meanwhile, and each that is taken moves those behind it.
        book.add(note(12)).unwrap();
        book.add(note(13)).unwrap();
        assert_eq!(take(3), Ok("fact 2.".to_owned()));
        assert_eq!(take(5), Ok("fact 4.".to_owned()));
        for gone in [0, 1, 3, 13] {
            assert_eq!(take(gone), Err(()), "{gone}");
        }
        drop(book.show());
        assert_eq!(take(1), Ok("fact 3.".to_owned()));
        // Whoever was shown none means those that are there.
        let again = open(folder.path());
        let (first, _) =
            again.change(1, |notes, now| notes.remove(now.unwrap()).ok_or(())).unwrap();
        assert_eq!(first.words(), "fact 5.");
    }

    #[test]
    fn older_notes_move_to_the_archive_and_none_is_lost_or_doubled() {
        let folder = tempfile::tempdir().unwrap();
        let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        fs::write(folder.path().join("memory.md"), "By hand.\n").unwrap();
        for at in 0..30 {
            // Each in a process of its own.
            open(folder.path()).capture(Millis(at), Some(note(at))).unwrap();
        }
        let book = open(folder.path());
        assert_eq!((book.read().all().len(), book.archived()), (MOST_NOTES, 18));
        assert!(text("memory.md").starts_with("By hand.\n"));
        // Killed between the archive and the file: the same notes stand in both.
        let before = text("memory-archive.md");
        let now = text("memory.md");
        let both = now.replacen("By hand.\n\n", &format!("By hand.\n\n{before}\n"), 1);
        assert!(both.len() > now.len());
        fs::write(folder.path().join("memory.md"), both).unwrap();
        open(folder.path()).capture(Millis(30), None).unwrap();
        let all = text("memory-archive.md") + &text("memory.md");
        for at in 0..30 {
            assert_eq!(all.matches(&format!("fact {at}.")).count(), 1, "{at}\n{all}");
        }
    }

    #[test]
    fn how_far_it_is_noted_stands_in_the_notes_and_outlives_them() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path()).capture(Millis(5), Some(note(5))).unwrap();
        fs::remove_file(folder.path().join("memory-noted.json")).unwrap();
        assert!(open(folder.path()).marks().contains(&Millis(5)));
        let book = open(folder.path());
        book.capture(Millis(6), Some(note(6))).unwrap();
        assert_eq!(book.forget_all().unwrap(), 2);
        assert!(open(folder.path()).marks().contains(&Millis(6)));
    }

    #[test]
    fn a_file_that_is_no_text_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.md");
        fs::write(&path, [0xff, 0xfe]).unwrap();
        let notices = Notices::default();
        let book = Notebook::open(folder.path(), &notices);
        book.add(note(1)).unwrap();
        assert_eq!(book.read().all().len(), 1);
        assert!(!notices.take().is_empty());
        let kept = fs::read_dir(folder.path()).unwrap().flatten();
        assert!(
            kept.map(|entry| fs::read(entry.path()).unwrap()).any(|bytes| bytes == [0xff, 0xfe])
        );
    }
}
