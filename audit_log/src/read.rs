//! The rows of logs, to be shown.

use std::path::Path;
use std::sync::Arc;

use home::FileError;
use protocol::Object;

use super::files::Files;
use super::row::Row;
use super::verify::each_line;

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

/// The rows from `since` on (milliseconds since 1970) of all logs, by time.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn entries(logs: &[Files], since: u64) -> Result<Vec<Entry>, FileError> {
    let mut all = Vec::new();
    each(logs, since, "", |entry| all.push(entry))?;
    all.sort_by_key(Entry::at);
    Ok(all)
}

/// Looks at the rows from `since` on whose text holds `word`, one log after the other. It keeps none: logs grow for
/// years, and a process that had all their rows in memory would keep the room.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn each(
    logs: &[Files],
    since: u64,
    word: &str,
    mut look: impl FnMut(Entry),
) -> Result<(), FileError> {
    for files in logs {
        let name = files.name();
        let paths = files.in_order().map_err(|e| FileError::new("list", &files.current(), e))?;
        for path in paths.iter().filter(|path| may_hold(path, since)) {
            each_line(path, |line, _| {
                // Most rows are of something else, and reading one takes a hundred times as long.
                if word.is_empty() || std::str::from_utf8(line).is_ok_and(|row| row.contains(word))
                {
                    Entry::read(&name, line).filter(|entry| entry.at() >= since).map(&mut look);
                }
                true
            })?;
        }
    }
    Ok(())
}

/// Whether the file at `path` may hold a row from `since` on: it was written to after that, give or take a day in which two clocks differ.
fn may_hold(path: &Path, since: u64) -> bool {
    const DAY: u64 = 86_400_000;
    let written = std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let written = written.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    written.is_none_or(|at| at.as_millis() >= u128::from(since.saturating_sub(DAY)))
}

/// The last `count` rows of all logs, by time.
///
/// # Errors
/// [`FileError`] when a file can't be read.
pub fn last(logs: &[Files], count: usize) -> Result<Vec<Entry>, FileError> {
    Ok(newest(logs, count)?.collect())
}

/// The same, read one by one. Only their text is held: thousands of rows that are read take ten times its room, and a process
/// keeps most of the room that it had once.
///
/// # Errors
/// As for [`last`].
pub fn newest(
    logs: &[Files],
    count: usize,
) -> Result<impl Iterator<Item = Entry> + use<>, FileError> {
    let mut all = Vec::new();
    for files in logs {
        all.extend(last_of(files, count)?);
    }
    all.sort_by_key(|row| row.at);
    all.drain(..all.len().saturating_sub(count));
    Ok(all.into_iter().filter_map(|row| Entry::read(&row.log, &row.line)))
}

/// A row that is not read yet.
struct Unread {
    at: u64,
    log: Arc<str>,
    line: Vec<u8>,
}

/// Only as many of the newest files are read as are needed.
fn last_of(files: &Files, count: usize) -> Result<Vec<Unread>, FileError> {
    let name: Arc<str> = files.name().into();
    let paths = files.in_order().map_err(|e| FileError::new("list", &files.current(), e))?;
    let mut newest: Vec<Unread> = Vec::new();
    for path in paths.iter().rev() {
        let mut lines = std::collections::VecDeque::new();
        each_line(path, |line, _| {
            lines.push_back(line.to_vec());
            if lines.len() > count {
                lines.pop_front();
            }
            true
        })?;
        let row = |line: Vec<u8>| {
            let at = Entry::read(&name, &line)?.at();
            Some(Unread { at, log: Arc::clone(&name), line })
        };
        let mut rows: Vec<Unread> = lines.into_iter().filter_map(row).collect();
        rows.append(&mut newest);
        newest = rows;
        if newest.len() >= count {
            break;
        }
    }
    newest.drain(..newest.len().saturating_sub(count));
    Ok(newest)
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
