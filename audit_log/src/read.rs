//! The rows of logs, to be shown.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::vec;

use home::FileError;
use protocol::Object;

use super::archive;
use super::files::Files;
use super::row::Row;
use super::verify::{each_line, in_order};

/// A row with the log that it stands in.
#[derive(Debug)]
pub struct Entry {
    /// The log's name.
    pub log: String,
    /// What the row says, its counter and hash included.
    pub fields: Object,
}

impl Entry {
    /// Reads a line; `None` when it is no row.
    pub(super) fn read(log: &str, line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        Some(Self { log: log.to_owned(), fields: Row::read(line)?.fields()? })
    }

    /// When it was written, in milliseconds since 1970.
    pub fn at(&self) -> u64 {
        self.fields.get("at").and_then(serde_json::Value::as_u64).unwrap_or_default()
    }
}

/// Rows of several logs by time, those of one log as they were written. Each is read when it is asked for, and no other is held:
/// logs grow for years, and a process keeps most of the room that it had once.
pub struct Entries {
    logs: Vec<Unread>,
    since: u64,
    word: String,
}

/// What is not read yet of one log.
struct Unread {
    name: String,
    /// The files before the newest, the oldest first.
    older: vec::IntoIter<PathBuf>,
    /// Opened at the beginning: a later file may take its name meanwhile.
    newest: Option<Opened>,
    reading: Option<Opened>,
    /// How many lines are passed over.
    skip: usize,
    line: Vec<u8>,
    next: Option<Entry>,
}

/// A file that is being read, with its path.
type Opened = (PathBuf, Box<dyn BufRead>);

impl Entries {
    /// Those from `since` on, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`FileError`] when a file can't be read.
    pub fn since(logs: &[Files], since: u64) -> Result<Self, FileError> {
        let from = |files: &Files| {
            let paths = in_order(files)?;
            Unread::of(files, paths.into_iter().filter(|path| may_hold(path, since)).collect(), 0)
        };
        let logs = logs.iter().map(from).collect::<Result<_, _>>()?;
        Ok(Self { logs, since, word: String::new() })
    }

    /// The last `count` rows of each log. No more of the newest files are read than that needs.
    ///
    /// # Errors
    /// As for [`Entries::since`].
    pub fn last(logs: &[Files], count: usize) -> Result<Self, FileError> {
        let logs = logs.iter().map(|files| Unread::last_of(files, count)).collect::<Result<_, _>>();
        Ok(Self { logs: logs?, since: 0, word: String::new() })
    }

    /// Only the rows whose text holds `word`. Most rows are of something else, and reading one takes a hundred times as long as
    /// passing over it.
    #[must_use]
    pub fn holding(self, word: &str) -> Self {
        Self { word: word.to_owned(), ..self }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Self { logs, since, word } = self;
        let is_wanted = |entry: &Entry| entry.at() >= *since;
        for log in logs.iter_mut().filter(|log| log.next.is_none()) {
            if let Err(error) = log.read_on(word, is_wanted) {
                return Some(Err(error));
            }
        }
        let first = logs.iter_mut().map(|log| &mut log.next).filter(|next| next.is_some());
        first.min_by_key(|next| next.as_ref().map(Entry::at))?.take().map(Ok)
    }
}

impl Unread {
    fn of(files: &Files, mut paths: Vec<PathBuf>, skip: usize) -> Result<Self, FileError> {
        let newest = paths.pop().map(open).transpose()?;
        let older = paths.into_iter();
        let (reading, line, next) = (None, Vec::new(), None);
        Ok(Self { name: files.name(), older, newest, reading, skip, line, next })
    }

    fn last_of(files: &Files, count: usize) -> Result<Self, FileError> {
        let (mut paths, mut lines) = (in_order(files)?, 0_usize);
        let mut first = paths.len();
        while first > 0 && lines < count {
            first -= 1;
            each_line(&paths[first], |_, _| {
                lines += 1;
                true
            })?;
        }
        Self::of(files, paths.split_off(first), lines.saturating_sub(count))
    }

    /// Reads up to the next row that is wanted and holds `word`.
    fn read_on(&mut self, word: &str, is_wanted: impl Fn(&Entry) -> bool) -> Result<(), FileError> {
        while self.next.is_none() && self.next_line()? {
            let line = std::str::from_utf8(&self.line).ok().filter(|line| line.contains(word));
            let entry = line.and_then(|line| Entry::read(&self.name, line.as_bytes()));
            self.next = entry.filter(&is_wanted);
        }
        Ok(())
    }

    /// Reads the next line, unless there is none.
    fn next_line(&mut self) -> Result<bool, FileError> {
        loop {
            let next = match self.reading.take() {
                Some(reading) => Some(reading),
                None => self.older.next().map(open).transpose()?.or_else(|| self.newest.take()),
            };
            let Some((path, mut lines)) = next else { return Ok(false) };
            self.line.clear();
            let read = lines.read_until(b'\n', &mut self.line);
            if read.map_err(|error| FileError::new("read", &path, error))? == 0 {
                continue;
            }
            self.reading = Some((path, lines));
            match self.skip.checked_sub(1) {
                Some(left) => self.skip = left,
                None => return Ok(true),
            }
        }
    }
}

fn open(path: PathBuf) -> Result<Opened, FileError> {
    match archive::open(&path) {
        Ok(lines) => Ok((path, lines)),
        Err(error) => Err(FileError::new("read", &path, error)),
    }
}

/// The last `count` rows of all logs, by time.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn last(logs: &[Files], count: usize) -> Result<Vec<Entry>, FileError> {
    let mut all: Vec<Entry> = Entries::last(logs, count)?.collect::<Result<_, _>>()?;
    all.sort_by_key(Entry::at);
    Ok(all.split_off(all.len().saturating_sub(count)))
}

/// Whether the file at `path` may hold a row from `since` on: it was written to after that, give or take a day in which two clocks differ.
fn may_hold(path: &Path, since: u64) -> bool {
    const DAY: u64 = 86_400_000;
    let written = std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    written.is_none_or(|at| at.as_millis() >= u128::from(since.saturating_sub(DAY)))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn only_a_file_that_ended_long_before_is_passed_over() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_modified(UNIX_EPOCH + Duration::from_secs(10 * 86_400)).unwrap();
        let may = |day: u64| may_hold(file.path(), day * 86_400_000);
        assert!(may(0) && may(10) && may(11), "it may have been written by another clock");
        assert!(!may(12));
        assert!(may_hold(Path::new("/nowhere"), u64::MAX), "reading it says what is wrong");
    }
}
