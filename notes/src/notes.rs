//! `memory.md`: what people wrote by hand, and below it the notes, oldest first.

use document::Document;
use protocol::Taint;

use crate::note::Note;

/// How many notes stand in `memory.md`, of those that count and of those that are set aside; older ones move to the archive.
pub const MOST_NOTES: usize = 12;

/// The notes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notes {
    preface: String,
    notes: Vec<Note>,
}

impl Notes {
    /// What stands before the first note: a person has written it by hand.
    #[must_use]
    pub fn preface(&self) -> &str {
        self.preface.trim_start_matches('\u{feff}').trim()
    }

    /// All notes with their numbers, from 1 on, oldest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (usize, &Note)> + ExactSizeIterator {
        self.notes.iter().enumerate().map(|(at, note)| (at + 1, note))
    }

    /// Those that count, newest first.
    pub fn counting(&self) -> impl Iterator<Item = &Note> {
        self.notes.iter().rev().filter(|note| !note.is_aside())
    }

    /// Those that are set aside, with their numbers.
    pub fn aside(&self) -> impl Iterator<Item = (usize, &Note)> {
        self.all().filter(|(_, note)| note.is_aside())
    }

    /// What a model takes in that is shown those that count.
    #[must_use]
    pub fn taint(&self) -> Taint {
        self.counting().fold(Taint::CLEAN, |bits, note| bits.with(note.bits))
    }

    /// The words of what counts: what people wrote by hand, and then the notes, oldest first, as far as there is `room` for the
    /// newest ones. In bytes.
    #[must_use]
    pub fn text(&self, room: usize) -> String {
        let preface = self.preface();
        let preface = &preface[..preface.floor_char_boundary(room / 2)];
        let mut left = room.saturating_sub(preface.len());
        let mut shown = Vec::new();
        for note in self.counting() {
            let text = format!("{}: {}", note.day(), note.words());
            if text.len() + 1 > left {
                break;
            }
            left -= text.len() + 1;
            shown.push(text);
        }
        shown.extend((!preface.is_empty()).then(|| preface.to_owned()));
        shown.reverse();
        shown.join("\n")
    }

    /// Adds a note at the end.
    pub(crate) fn add(&mut self, note: Note) {
        let last = self.notes.last_mut().map_or(&mut self.preface, |last| &mut last.raw);
        // What was written by hand may end without a line break.
        let is_apart = last.is_empty() || last.ends_with("\n\n");
        let apart = match (is_apart, last.ends_with('\n')) {
            (true, _) => "",
            (false, true) => "\n",
            (false, false) => "\n\n",
        };
        last.push_str(apart);
        self.notes.push(note);
    }

    /// The number that this note has now, whether it counts or not.
    pub(crate) fn number_of(&self, note: &Note) -> Option<usize> {
        let is_it = |other: &Note| other.at == note.at && other.words() == note.words();
        self.all().find(|(_, other)| is_it(other)).map(|(number, _)| number)
    }

    /// Takes out the note with this number.
    pub fn remove(&mut self, number: usize) -> Option<Note> {
        let at = number.checked_sub(1).filter(|at| *at < self.notes.len())?;
        Some(self.notes.remove(at))
    }

    /// Makes the note with this number count, and gives it; `None` if none is set aside there.
    pub fn accept(&mut self, number: usize) -> Option<Note> {
        let note = self.notes.get_mut(number.checked_sub(1)?).filter(|note| note.is_aside())?;
        note.accept();
        Some(note.clone())
    }

    /// Takes out all notes, and gives how many there were. What people wrote by hand stays.
    pub fn remove_all(&mut self) -> usize {
        std::mem::take(&mut self.notes).len()
    }

    /// Whether this note stands there.
    pub(crate) fn holds(&self, note: &Note) -> bool {
        self.notes.iter().rev().any(|other| is_same(other, note))
    }

    /// The notes for which there is no room any more, oldest first.
    pub(crate) fn surplus(&self) -> Vec<Note> {
        let of = |is_aside: bool| {
            let all = self.notes.iter().filter(move |note| note.is_aside() == is_aside);
            let more = all.clone().count().saturating_sub(MOST_NOTES);
            all.take(more).cloned()
        };
        of(false).chain(of(true)).collect()
    }

    /// Takes out these notes.
    pub(crate) fn take_out(&mut self, notes: &[Note]) {
        self.notes.retain(|note| !notes.iter().any(|other| is_same(note, other)));
    }
}

fn is_same(one: &Note, other: &Note) -> bool {
    one.raw.trim_end() == other.raw.trim_end()
}

impl Document for Notes {
    const LIMIT: u64 = 16 * 1024 * 1024;

    fn from_text(text: &str, _: &mut Vec<String>) -> Result<Self, String> {
        let mut read = Self::default();
        for line in text.split_inclusive('\n') {
            match Note::headed(line) {
                Some(note) => read.notes.push(note),
                None => read
                    .notes
                    .last_mut()
                    .map_or(&mut read.preface, |last| &mut last.raw)
                    .push_str(line),
            }
        }
        Ok(read)
    }

    fn to_text(&self) -> String {
        let notes = self.notes.iter().map(|note| note.raw.as_str());
        std::iter::once(self.preface.as_str()).chain(notes).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::Millis;

    use super::*;
    use crate::note::NoteSource;

    const T: Taint = Taint { untrusted: true, private: false };

    fn read(text: &str) -> Notes {
        Notes::from_text(text, &mut Vec::new()).unwrap()
    }

    fn note(at: u64, bits: Taint, words: &str) -> Note {
        Note::new(Millis(at), NoteSource::Captured, bits, words).unwrap()
    }

    #[test]
    fn notes_are_added_behind_what_was_written_by_hand() {
        let mut notes = read("# Me\r\nI like tea.");
        notes.add(note(0, Taint::CLEAN, "a"));
        notes.add(note(1, T, "b"));
        assert_eq!(
            notes.to_text(),
            "# Me\r\nI like tea.\n\n## 1970-01-01T00:00:00.000Z captured\n\na\n\n\
             ## 1970-01-01T00:00:00.001Z captured [T]\n\nb\n"
        );
        assert_eq!(read(&notes.to_text()), notes);
        assert_eq!(notes.text(1_000), "# Me\r\nI like tea.\n1970-01-01: a");
        assert_eq!(notes.aside().map(|(number, _)| number).collect::<Vec<_>>(), [2]);
        assert_eq!((notes.accept(1), notes.accept(3), notes.accept(0)), (None, None, None));
        assert_eq!(notes.accept(2).unwrap().words(), "b");
        assert_eq!(read(&notes.to_text()), notes);
        assert!(notes.text(1_000).ends_with("1970-01-01: a\n1970-01-01: b"));
        assert!(notes.text(30).len() <= 30);
    }

    #[test]
    fn what_is_set_aside_takes_no_room_from_what_counts() {
        let mut notes = Notes::default();
        for at in 0..20 {
            notes.add(note(at, T, &at.to_string()));
        }
        notes.add(note(20, Taint::CLEAN, "clean"));
        let surplus = notes.surplus();
        assert_eq!(surplus.len(), 8);
        assert!(surplus.iter().all(Note::is_aside));
        notes.take_out(&surplus);
        assert_eq!((notes.surplus().len(), notes.all().len()), (0, 13));
    }

    proptest! {
        #[test]
        fn every_byte_of_a_file_stays(
            lines in prop::collection::vec(
                prop_oneof![any::<String>(), Just("## 2026-11-23T23:59:59.5Z captured [P]".to_owned())],
                0..8,
            ),
            words in any::<String>(),
        ) {
            let text = lines.join("\n");
            let mut notes = read(&text);
            prop_assert_eq!(notes.to_text(), text.clone());
            let before = notes.all().len();
            if let Some(note) = Note::new(Millis(7), NoteSource::Person, T, &words) {
                notes.add(note);
                prop_assert!(notes.to_text().starts_with(&text));
                prop_assert_eq!(read(&notes.to_text()).all().len(), before + 1);
                prop_assert_eq!(read(&notes.to_text()), notes);
            }
        }
    }
}
