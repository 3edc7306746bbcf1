//! `journal.jsonl`: events are held in memory first, and then appended together.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use document::Notices;
use home::FileError;
use protocol::Millis;

use super::{JournalEvent, Role, daily, pages};

/// The number of events that wait while the disk takes none; older ones are lost then.
const WAITING: usize = 200;

/// The journal of one session.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    log: PathBuf,
    state: Mutex<State>,
    notices: Notices,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<JournalEvent>,
    /// The file is known to end with a whole line.
    is_whole: bool,
}

impl Journal {
    /// The journal in `folder`. It is opened when the first event is written.
    #[must_use]
    pub fn new(folder: &Path, notices: &Notices) -> Self {
        let (path, log) = (folder.join("journal.jsonl"), folder.join("log"));
        Self { path, log, state: Mutex::default(), notices: notices.clone() }
    }

    /// Takes an event in, until [`Self::flush`] in memory alone.
    pub fn hold(&self, event: JournalEvent) {
        let mut state = self.lock();
        state.waiting.push(event);
        let too_many = state.waiting.len().saturating_sub(WAITING);
        if too_many > 0 {
            tracing::warn!(
                "the journal takes nothing, and the oldest that waits for it is lost: {}",
                self.path.display()
            );
        }
        state.waiting.drain(..too_many);
    }

    /// Whether so much waits that it is time to [`Self::flush`].
    #[must_use]
    pub fn is_filling(&self) -> bool {
        self.lock().waiting.len() >= WAITING / 2
    }

    /// Appends the events that wait. It blocks until they are on the disk.
    ///
    /// # Errors
    /// [`FileError`]; the events go on waiting then, and the file ends as before.
    pub fn flush(&self) -> Result<(), FileError> {
        let mut state = self.lock();
        if state.waiting.is_empty() {
            return Ok(());
        }
        let failed = |error| FileError::new("write", &self.path, error);
        let mut file = self.open().map_err(failed)?;
        if !state.is_whole {
            self.mend(&mut file).map_err(failed)?;
            state.is_whole = true;
        }
        let lines: String = state.waiting.iter().map(JournalEvent::line).collect();
        append(&mut file, lines.as_bytes()).map_err(failed)?;
        let events = std::mem::take(&mut state.waiting);
        drop(state);
        if let Err(error) = daily::append(&self.log, &events) {
            tracing::warn!(%error, "the log of the day is not written; the journal holds the same");
        }
        Ok(())
    }

    /// The latest events, oldest first: at most `most`, those that wait included. Lines that can't be read are left out.
    ///
    /// # Errors
    /// [`FileError`] when the file can't be read.
    pub fn latest(&self, most: usize) -> Result<Vec<JournalEvent>, FileError> {
        self.back_to(most, |_| false)
    }

    /// The same, behind the last [`Role::Clear`].
    ///
    /// # Errors
    /// [`FileError`] when the file can't be read.
    pub fn since_clear(&self, most: usize) -> Result<Vec<JournalEvent>, FileError> {
        let mut events = self.back_to(most, |event| event.role == Role::Clear)?;
        events.drain(..usize::from(events.first().is_some_and(|event| event.role == Role::Clear)));
        Ok(events)
    }

    /// The latest events, oldest first, back to the first for which `is_end` holds, which is among them. It is asked of the
    /// newest first. No more of the file is read than that takes.
    ///
    /// # Errors
    /// [`FileError`] when the file can't be read.
    pub fn back_to(
        &self,
        most: usize,
        mut is_end: impl FnMut(&JournalEvent) -> bool,
    ) -> Result<Vec<JournalEvent>, FileError> {
        let state = self.lock();
        let waiting = &state.waiting;
        let least = waiting.len().saturating_sub(most);
        if let Some(at) = (least..waiting.len()).rev().find(|at| is_end(&waiting[*at])) {
            return Ok(waiting[at..].to_vec());
        }
        let waiting = &waiting[least..];
        let mut events = pages::back_to(&self.path, most - waiting.len(), &mut is_end)
            .map_err(|error| FileError::new("read", &self.path, error))?;
        events.extend(waiting.iter().cloned());
        Ok(events)
    }

    /// The file with the log of `day`, a date such as `2026-11-23`.
    #[must_use]
    pub fn log_of(&self, day: &str) -> PathBuf {
        self.log.join(format!("{day}.md"))
    }

    /// Takes out the events at the beginning that are older than `limit`, and gives how many bytes that were. An event that
    /// stands behind a newer one stays.
    ///
    /// # Errors
    /// [`FileError`]; nothing is gone then.
    pub fn forget_before(&self, limit: Millis) -> Result<u64, FileError> {
        let failed = |error| FileError::new("read", &self.path, error);
        let _state = self.lock();
        if !self.path.exists() {
            return Ok(0);
        }
        let mut file = self.open().map_err(failed)?;
        let start = first_since(&file, limit).map_err(failed)?;
        if start == 0 {
            return Ok(0);
        }
        let mut rest = Vec::new();
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        file.read_to_end(&mut rest).map_err(failed)?;
        home::file::write(&self.path, &rest)?;
        Ok(start)
    }

    /// The file, for this process alone as long as it is open. A file that was exchanged meanwhile is opened again.
    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).read(true).append(true).mode(0o600);
        loop {
            let file = options.open(&self.path)?;
            // A file system without locks has no second agent either.
            let _ = file.lock();
            let (ours, there) = (file.metadata()?, fs::metadata(&self.path));
            if there.is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())) {
                return Ok(file);
            }
        }
    }

    /// Sets aside what stands behind the last whole line: a process that was killed has left it.
    fn mend(&self, file: &mut File) -> io::Result<()> {
        let (length, whole) = (file.metadata()?.len(), whole_lines(file)?);
        if whole == length {
            return Ok(());
        }
        let mut half = vec![0; usize::try_from(length - whole).unwrap_or_default()];
        file.read_exact_at(&mut half, whole)?;
        let aside = format!("{}.broken-{}", self.path.display(), Millis::of_this_machine().0);
        home::file::write(Path::new(&aside), &half).map_err(io::Error::other)?;
        file.set_len(whole)?;
        self.notices.add(format!(
            "{} ended in the middle of a line, which stands in {aside} now; nothing else is missing",
            self.path.display()
        ));
        Ok(())
    }

    // Poisoned, the events are still whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends `lines` whole, or leaves the file as it was.
fn append(file: &mut File, lines: &[u8]) -> io::Result<()> {
    let before = file.metadata()?.len();
    file.write_all(lines).and_then(|()| file.sync_data()).inspect_err(|_| {
        // A disk that is full still lets a file become shorter.
        let _ = file.set_len(before);
    })
}

/// The length of the whole lines of a file, in bytes.
fn whole_lines(file: &File) -> io::Result<u64> {
    let mut end = file.metadata()?.len();
    let mut piece = [0; 8 * 1024];
    while end > 0 {
        let start = end.saturating_sub(piece.len() as u64);
        let piece = &mut piece[..usize::try_from(end - start).unwrap_or_default()];
        file.read_exact_at(piece, start)?;
        if let Some(at) = piece.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Where the first event of a file stands that is not older than `limit`, in bytes.
fn first_since(file: &File, limit: Millis) -> io::Result<u64> {
    let (mut input, mut line, mut place) = (io::BufReader::new(file), Vec::new(), 0);
    loop {
        let length = input.read_until(b'\n', &mut line)?;
        let event = std::str::from_utf8(&line).ok().and_then(JournalEvent::read);
        if length == 0 || event.is_some_and(|event| event.at >= limit) {
            return Ok(place);
        }
        place += length as u64;
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use protocol::Taint;

    use super::super::Role;
    use super::*;

    fn event(text: &str) -> JournalEvent {
        let (at, from) = (Millis(1), String::new());
        JournalEvent { at, role: Role::User, from, text: text.to_owned(), bits: Taint::CLEAN }
    }

    fn texts(journal: &Journal) -> Vec<String> {
        journal.latest(100).unwrap().into_iter().map(|event| event.text).collect()
    }

    #[test]
    fn events_are_appended_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path(), &Notices::default());
        assert_eq!(texts(&journal), [""; 0]);
        journal.hold(event("a"));
        journal.flush().unwrap();
        journal.hold(event("b"));
        assert_eq!(texts(&journal), ["a", "b"], "what waits is read, too");
        journal.flush().unwrap();
        let again = Journal::new(folder.path(), &Notices::default());
        assert_eq!(texts(&again), ["a", "b"]);
        assert_eq!(again.latest(1).unwrap(), [event("b")]);
    }

    #[test]
    fn half_a_line_is_set_aside_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let long = event(&"x".repeat(20_000)).line();
        for keep in [1, 20, 9_000, long.len() - 1] {
            let whole = event("a").line();
            fs::write(&path, format!("{whole}{}", &long[..keep])).unwrap();
            let notices = Notices::default();
            let journal = Journal::new(folder.path(), &notices);
            journal.hold(event("b"));
            journal.flush().unwrap();
            assert_eq!(texts(&journal), ["a", "b"]);
            let told = notices.take()[0].to_string();
            let aside = told.split("stands in ").nth(1).unwrap().split(" now").next().unwrap();
            assert_eq!(fs::read_to_string(aside).unwrap(), long[..keep]);
            fs::remove_file(aside).unwrap();
        }
    }

    proptest! {
        #[test]
        fn wherever_a_kill_cuts_it_no_whole_event_is_lost_or_doubled(
            words in prop::collection::vec(any::<String>(), 1..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("journal.jsonl");
            let lines: Vec<String> = words.iter().map(|text| event(text).line()).collect();
            let (text, cut) = (lines.concat(), cut.index(lines.concat().len() + 1));
            fs::write(&path, &text.as_bytes()[..cut]).unwrap();
            let whole = text.as_bytes()[..cut].iter().filter(|byte| **byte == b'\n').count();
            let journal = Journal::new(folder.path(), &Notices::default());
            journal.hold(event("after"));
            journal.flush().unwrap();
            let expected: Vec<&str> =
                words[..whole].iter().map(String::as_str).chain(["after"]).collect();
            prop_assert_eq!(texts(&journal), expected);
        }
    }

    #[test]
    fn it_says_that_much_waits_before_anything_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path(), &Notices::default());
        for n in 0..500 {
            journal.hold(event(&n.to_string()));
            if journal.is_filling() {
                journal.flush().unwrap();
            }
        }
        assert_eq!(journal.latest(500).unwrap().len(), 500);
    }

    #[test]
    fn a_look_back_ends_where_it_is_told_to() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path(), &Notices::default());
        let said = |events: Vec<JournalEvent>| -> Vec<String> {
            events.into_iter().map(|event| event.text).collect()
        };
        let clear = || JournalEvent { role: Role::Clear, ..event("") };
        // More than one look at the file takes.
        let long = event(&"x".repeat(1_500_000));
        for event in [event("a"), clear(), event("b"), long.clone(), event("c")] {
            journal.hold(event);
        }
        for _ in 0..2 {
            assert_eq!(said(journal.since_clear(9).unwrap()), ["b", &long.text, "c"]);
            assert_eq!(said(journal.since_clear(2).unwrap()), [&long.text, "c"]);
            let to_b = journal.back_to(9, |event| event.text == "b").unwrap();
            assert_eq!(said(to_b), ["b", &long.text, "c"]);
            assert_eq!(journal.latest(9).unwrap().len(), 5);
            journal.flush().unwrap();
        }
        journal.hold(clear());
        assert_eq!(journal.since_clear(9).unwrap(), []);
        journal.hold(event("d"));
        assert_eq!(said(journal.since_clear(9).unwrap()), ["d"]);
        journal.flush().unwrap();
        assert_eq!(said(journal.since_clear(9).unwrap()), ["d"]);
    }

    #[test]
    fn lines_that_are_no_events_hide_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (event("a").line(), event("b").line());
        let text = [a.as_bytes(), b"{\"at\": 1}\nno JSON\n\xff\xfe\n\n", b.as_bytes()].concat();
        fs::write(folder.path().join("journal.jsonl"), text).unwrap();
        assert_eq!(texts(&Journal::new(folder.path(), &Notices::default())), ["a", "b"]);
    }

    #[test]
    fn what_is_old_leaves_and_nothing_that_is_written_meanwhile_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::new(folder.path(), &Notices::default());
        assert_eq!(journal.forget_before(Millis(10)).unwrap(), 0);
        for at in [1, 2, 30, 4, 50] {
            journal.hold(JournalEvent { at: Millis(at), ..event(&at.to_string()) });
        }
        journal.flush().unwrap();
        // Another one of the same file, which the first one does not know of.
        let other = Journal::new(folder.path(), &Notices::default());
        assert!(other.forget_before(Millis(10)).unwrap() > 0);
        assert_eq!(other.forget_before(Millis(10)).unwrap(), 0);
        journal.hold(event("after"));
        journal.flush().unwrap();
        assert_eq!(texts(&journal), ["30", "4", "50", "after"]);
        let (path, length) = (folder.path().join("journal.jsonl"), u64::MAX);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for at in 100..200 {
                    journal.hold(JournalEvent { at: Millis(at), ..event(&at.to_string()) });
                    journal.flush().unwrap();
                }
            });
            for limit in 50..90 {
                other.forget_before(Millis(limit)).unwrap();
            }
        });
        assert!(fs::metadata(path).unwrap().len() < length);
        assert_eq!(texts(&journal).iter().filter(|text| text.len() == 3).count(), 100);
    }

    #[test]
    fn a_disk_that_takes_nothing_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let journal = Journal::new(folder.path(), &Notices::default());
        fs::create_dir(&path).unwrap();
        journal.hold(event("a"));
        assert!(journal.flush().is_err());
        fs::remove_dir(&path).unwrap();
        journal.flush().unwrap();
        assert_eq!(texts(&journal), ["a"]);
    }
}
