//! The log of one storm on disk. What is said is added behind what stands there, and nothing else is ever written.
//!
//! A message is finished once [`LogFile::append`] has returned. It is written down beside the log first, then added,
//! and both are on the disk before the note goes: whoever opens the log after a crash finds the message whole and
//! once. Whoever writes holds the file's lock, so a person may speak from another window.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use home::{FileError, file};
use storm::{Entry, Log, LogError, Message, Warning};

/// How long a log may be, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// A log as it was read last.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    text: String,
    log: Log,
    warnings: Vec<Warning>,
}

/// Why a log can't be read or added to. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum LogFileError {
    /// The system's reason.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is no log, or no text.
    #[error("{} can't be read as a log ({why}); mend it by hand, or put it aside", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It was there before.
    #[error(
        "{} is gone; nothing is written in its place. Make another storm with `{}`",
        .0.display(),
        home::command("storm new")
    )]
    Gone(PathBuf),
}

impl LogFile {
    /// Opens a log, and finishes what was being added to it when somebody was killed.
    ///
    /// # Errors
    /// [`LogFileError`] when there is none that can be read.
    pub fn open(path: &Path) -> Result<Self, LogFileError> {
        let mut open = Self {
            path: path.to_owned(),
            text: String::new(),
            log: Log::default(),
            warnings: Vec::new(),
        };
        let mut held = open.hold()?;
        open.text = open.content(&mut held)?;
        open.finish(&mut held)?;
        (open.log, open.warnings) = open.parsed(&open.text)?;
        Ok(open)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was said.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What of it can't be read as a message.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Reads it again; says whether somebody else has changed it.
    ///
    /// # Errors
    /// As for [`LogFile::open`]; what was read before stays.
    pub fn refresh(&mut self) -> Result<bool, LogFileError> {
        let mut held = self.hold()?;
        self.reread(&mut held)
    }

    /// Adds a message and waits until the disk has it; says whether somebody else has changed the file meanwhile, which
    /// stays as they left it.
    ///
    /// # Errors
    /// As for [`LogFile::open`]; the file is as it was.
    pub fn append(&mut self, message: &Message) -> Result<bool, LogFileError> {
        let mut held = self.hold()?;
        let mut is_changed = self.reread(&mut held)?;
        let record = message.behind(&self.text);
        let note = self.note();
        file::write(&note, format!("{}\n{record}", self.text.len()).as_bytes())?;
        if let Err(error) = add(&mut held, &record) {
            // What stands behind the old end now is not whole.
            let _ = held.set_len(self.text.len() as u64);
            let _ = std::fs::remove_file(&note);
            return Err(self.failed("write", error).into());
        }
        self.text.push_str(&record);
        self.log.entries.push(Entry::Message(message.clone()));
        // An editor may have put another file in its place at this moment.
        while !self.is_at_its_place(&held) {
            held = self.hold()?;
            is_changed |= self.reread(&mut held)?;
            if self.log.entries.last() != Some(&Entry::Message(message.clone())) {
                return self.append(message).map(|_| true);
            }
        }
        // Left behind, it says the same as the log.
        let _ = std::fs::remove_file(&note);
        Ok(is_changed)
    }

    fn reread(&mut self, held: &mut File) -> Result<bool, LogFileError> {
        let text = self.content(held)?;
        if text == self.text {
            return Ok(false);
        }
        (self.log, self.warnings) = self.parsed(&text)?;
        self.text = text;
        Ok(true)
    }

    /// The file, while nobody else adds to it.
    fn hold(&self) -> Result<File, LogFileError> {
        let opened = OpenOptions::new().read(true).append(true).open(&self.path);
        let held = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => LogFileError::Gone(self.path.clone()),
            _ => self.failed("read", error).into(),
        })?;
        held.lock().map_err(|error| self.failed("lock", error))?;
        // Whoever waited for the lock may hold a file by now that another has replaced.
        if self.is_at_its_place(&held) { Ok(held) } else { self.hold() }
    }

    fn is_at_its_place(&self, held: &File) -> bool {
        let id = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let (ours, there) = (held.metadata().map(id), std::fs::metadata(&self.path).map(id));
        matches!((ours, there), (Ok(ours), Ok(there)) if ours == there)
    }

    fn content(&self, held: &mut File) -> Result<String, LogFileError> {
        let mut bytes = Vec::new();
        let read = held.seek(SeekFrom::Start(0));
        read.and_then(|_| held.take(LIMIT + 1).read_to_end(&mut bytes))
            .map_err(|error| self.failed("read", error))?;
        if bytes.len() as u64 > LIMIT {
            return Err(self.broken(format!("it is larger than {LIMIT} bytes")));
        }
        String::from_utf8(bytes).map_err(|_| self.broken("it is not UTF-8".to_owned()))
    }

    /// Takes up a note that somebody who was killed has left.
    fn finish(&mut self, held: &mut File) -> Result<(), LogFileError> {
        let note = self.note();
        let Some(bytes) = file::read(&note, LIMIT)? else { return Ok(()) };
        let text = String::from_utf8(bytes).unwrap_or_default();
        let noted = text.split_once('\n').and_then(|(at, record)| {
            let there = self.text.get(at.parse::<usize>().ok()?..)?;
            Some((there, record))
        });
        match noted {
            // It was added, and perhaps something else behind it.
            Some((there, record)) if there.starts_with(record) => {}
            Some((there, record)) if record.starts_with(there) => {
                let rest = record[there.len()..].to_owned();
                add(held, &rest).map_err(|error| self.failed("write", error))?;
                self.text.push_str(&rest);
            }
            // The log was edited since. The words stay beside it.
            _ => {
                let aside = file::set_aside(&note)?;
                tracing::warn!(aside = %aside.display(), "a message that was not finished is put aside");
                return Ok(());
            }
        }
        std::fs::remove_file(&note).map_err(|error| FileError::new("remove", &note, error))?;
        Ok(())
    }

    /// Where a message stands until it is in the log.
    fn note(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!(".{name}.next"))
    }

    fn parsed(&self, text: &str) -> Result<(Log, Vec<Warning>), LogFileError> {
        Log::read(text).map_err(|error: LogError| self.broken(error.to_string()))
    }

    fn broken(&self, why: String) -> LogFileError {
        LogFileError::Broken { path: self.path.clone(), why }
    }

    fn failed(&self, doing: &'static str, error: io::Error) -> FileError {
        FileError::new(doing, &self.path, error)
    }
}

fn add(held: &mut File, record: &str) -> io::Result<()> {
    held.write_all(record.as_bytes())?;
    held.sync_data()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use storm::Stamp;
    use tempfile::TempDir;

    use super::*;

    fn message(from: &str, text: &str) -> Message {
        Message {
            from: from.to_owned(),
            at: Stamp::from(std::time::UNIX_EPOCH),
            text: text.to_owned(),
        }
    }

    fn begun() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weekend.log.md");
        fs::write(&path, Log::new(Stamp::from(std::time::UNIX_EPOCH), "weekend").write()).unwrap();
        (folder, path)
    }

    fn texts(file: &LogFile) -> Vec<String> {
        file.log().messages().map(|message| message.text.clone()).collect()
    }

    #[test]
    fn what_is_said_is_there_when_it_is_opened_again() {
        let (_folder, path) = begun();
        let mut file = LogFile::open(&path).unwrap();
        assert!(!file.append(&message("A", "one\n\n\ntwo ")).unwrap());
        assert!(!file.append(&message("user", "three")).unwrap());
        assert_eq!(texts(&LogFile::open(&path).unwrap()), ["one\n\n\ntwo ", "three"]);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn wherever_a_writer_is_killed_the_message_is_there_whole_and_once() {
        let (_folder, path) = begun();
        let before = fs::read_to_string(&path).unwrap();
        let record = message("A", "one\n\ntwo é").behind(&before);
        let note = path.with_file_name(".weekend.log.md.next");
        let written = |text: &str| fs::write(&path, text).unwrap();
        for end in (0..=record.len()).filter(|end| record.is_char_boundary(*end)) {
            written(&format!("{before}{}", &record[..end]));
            fs::write(&note, format!("{}\n{record}", before.len())).unwrap();
            assert_eq!(texts(&LogFile::open(&path).unwrap()), ["one\n\ntwo é"], "{end}");
            assert!(!note.exists());
        }
        // Added, and another behind it, before the note went.
        let next = message("B", "more").behind(&format!("{before}{record}"));
        written(&format!("{before}{record}{next}"));
        fs::write(&note, format!("{}\n{record}", before.len())).unwrap();
        assert_eq!(texts(&LogFile::open(&path).unwrap()), ["one\n\ntwo é", "more"]);
    }

    #[test]
    fn what_was_edited_since_is_left_as_it_is_and_the_words_stay_beside_it() {
        let (_folder, path) = begun();
        let before = fs::read_to_string(&path).unwrap();
        let record = message("A", "one").behind(&before);
        let edited = format!("{before}\nAnother line.\n");
        fs::write(&path, &edited).unwrap();
        let note = path.with_file_name(".weekend.log.md.next");
        fs::write(&note, format!("{}\n{record}", before.len())).unwrap();
        LogFile::open(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), edited);
        let names = fs::read_dir(path.parent().unwrap()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.contains(".next.broken-")).count(), 1);
    }

    #[test]
    fn a_file_that_changes_is_noticed_and_added_to_as_it_is() {
        let (_folder, path) = begun();
        let mut file = LogFile::open(&path).unwrap();
        file.append(&message("A", "one")).unwrap();
        let edited = fs::read_to_string(&path).unwrap().replace("one", "ONE, edited");
        // As editors do it: another file under the same name.
        fs::write(path.with_extension("new"), &edited).unwrap();
        fs::rename(path.with_extension("new"), &path).unwrap();
        assert!(file.append(&message("B", "two")).unwrap());
        assert_eq!(texts(&file), ["ONE, edited", "two"]);
        assert!(fs::read_to_string(&path).unwrap().starts_with(&edited));
        assert!(!file.refresh().unwrap());
    }

    #[test]
    fn what_is_no_log_any_more_is_told_and_not_touched() {
        let (_folder, path) = begun();
        let mut file = LogFile::open(&path).unwrap();
        for bytes in [b"\xff\xfe".as_slice(), b"Dear diary"] {
            fs::write(&path, bytes).unwrap();
            assert!(matches!(file.append(&message("A", "x")), Err(LogFileError::Broken { .. })));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        fs::remove_file(&path).unwrap();
        assert!(matches!(file.append(&message("A", "x")), Err(LogFileError::Gone(_))));
        assert!(!path.exists());
    }
}
