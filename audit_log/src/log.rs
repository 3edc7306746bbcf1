//! The file that rows are written to, and how the next one takes its place.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::{Millis, Object};
use serde_json::{Value, json};

use super::ending::Ending;
use super::files::Files;
use super::row::{Head, sha256};

/// A chain of rows in files.
#[derive(Debug)]
pub struct ChainedLog {
    files: Files,
    /// How large a file grows, in bytes.
    full: u64,
    tail: Mutex<Tail>,
    /// Whether something was written that may not be on the disk yet.
    unsynced: AtomicBool,
    /// Whether there may be full files that are not compressed.
    filled: AtomicBool,
}

/// Where the next row goes.
#[derive(Debug)]
struct Tail {
    file: Arc<File>,
    /// How much of the file is whole rows, in bytes.
    len: u64,
    head: Head,
    /// Whether a part of a row stands behind them that could not be taken away.
    torn: bool,
}

impl ChainedLog {
    /// Goes on where `files` end. What a crash left there stays, and a row says so.
    pub fn open(files: Files, full: u64, now: Millis) -> io::Result<Self> {
        let current = files.current();
        let ending = Ending::of(&current)?;
        let before = match ending.head {
            Some(_) => None,
            None => last_full(&files)?,
        };
        let head = ending.head.clone().or_else(|| before.clone().map(|(head, _)| head));
        let head = head.unwrap_or_else(|| Head::before_all(&files.name()));
        let file = Arc::new(append_to(&current)?);
        if ending.len == 0 {
            // A file's name is synced with its folder.
            File::open(files.folder())?.sync_data()?;
        }
        let mut tail = Tail { file, len: ending.len, head, torn: false };
        if ending.open_line || ending.rest.last().is_some_and(|&byte| byte != b'\n') {
            tail.put(b"\n")?;
        }
        if !ending.rest.is_empty() {
            tracing::warn!("{} ends with half a row; it stays there", current.display());
            tail.add(&closed(&ending.rest, now))?;
        } else if let Some((_, name)) = before {
            tail.add(&continues(&tail.head, &name, now))?;
        }
        let unsynced = AtomicBool::new(true);
        let filled = AtomicBool::new(true);
        Ok(Self { files, full, tail: Mutex::new(tail), unsynced, filled })
    }

    /// Writes `row`: all of it, or nothing and an error.
    pub fn append(&self, row: &Object) -> io::Result<()> {
        let mut tail = self.tail();
        if tail.len >= self.full {
            self.begin_next(&mut tail)?;
        }
        tail.add(row)?;
        self.unsynced.store(true, Ordering::Release);
        Ok(())
    }

    /// Waits until all that was written is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        let file = Arc::clone(&self.tail().file);
        self.unsynced.store(false, Ordering::Release);
        let synced = file.sync_data();
        if synced.is_err() {
            self.unsynced.store(true, Ordering::Release);
        }
        synced
    }

    /// Whether [`Log::sync`] has something to do.
    pub fn is_unsynced(&self) -> bool {
        self.unsynced.load(Ordering::Acquire)
    }

    /// Whether files may have become full since this was asked last.
    pub(super) fn takes_filled(&self) -> bool {
        self.filled.swap(false, Ordering::AcqRel)
    }

    /// Where the log is.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Puts a new file in the place of the one that is full. Should it fail, the full one goes on.
    fn begin_next(&self, tail: &mut Tail) -> io::Result<()> {
        tail.mend()?;
        tail.file.sync_data()?;
        let (current, draft) = (self.files.current(), self.files.draft());
        let count = self.files.full_ones()?.last_key_value().map_or(1, |(count, _)| count + 1);
        let aside = self.files.full(count);
        match std::fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = Arc::new(append_to(&draft)?);
        let mut next = Tail { file, len: 0, head: tail.head.clone(), torn: false };
        let name = aside.file_name().unwrap_or_default().to_string_lossy();
        next.add(&continues(&next.head, &name, Millis::of_this_machine()))?;
        next.file.sync_data()?;
        std::fs::rename(&current, &aside)?;
        if let Err(error) = std::fs::rename(&draft, &current) {
            std::fs::rename(&aside, &current)?;
            return Err(error);
        }
        File::open(self.files.folder())?.sync_data()?;
        *tail = next;
        self.filled.store(true, Ordering::Release);
        Ok(())
    }

    // A std mutex: one short write. Poisoned, the file is still the file.
    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tail {
    fn add(&mut self, row: &Object) -> io::Result<()> {
        self.mend()?;
        let (line, head) = self.head.followed_by(row);
        self.put(line.as_bytes())?;
        self.head = head;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = (&*self.file).write_all(bytes);
        if written.is_ok() {
            self.len += bytes.len() as u64;
        } else {
            // On a disk that is full, a part of it may be there.
            self.torn = self.file.set_len(self.len).is_err();
        }
        written
    }

    fn mend(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.len)?;
            self.torn = false;
        }
        Ok(())
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// The last row of the full files, and the name of the one that it stands in.
fn last_full(files: &Files) -> io::Result<Option<(Head, String)>> {
    for path in files.full_ones()?.values().rev() {
        if let Some(head) = Ending::of(path)?.head {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Ok(Some((head, name)));
        }
    }
    Ok(None)
}

/// The first row of a file after another one.
fn continues(before: &Head, file: &str, at: Millis) -> Object {
    object(json!({ "row": "continues", "at": at, "file": file, "after": before.hash }))
}

/// The row after what is none.
fn closed(rest: &[u8], at: Millis) -> Object {
    object(json!({ "row": "closed", "at": at, "bytes": rest.len(), "sha256": sha256(rest) }))
}

fn object(value: Value) -> Object {
    if let Value::Object(object) = value { object } else { Object::new() }
}
