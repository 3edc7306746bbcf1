//! The rows that are written from now on.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::files::Files;
use super::read::Entry;

/// Reads along behind one log.
#[derive(Debug)]
pub struct Follower {
    log: String,
    path: PathBuf,
    file: Option<BufReader<File>>,
    /// What was read of a line that has no end yet.
    begun: Vec<u8>,
}

impl Follower {
    /// Begins at the end of what is there now, or with `from_start` at the beginning of its current file.
    ///
    /// # Errors
    /// Those of opening the file; one that is not there is waited for.
    pub fn new(files: &Files, from_start: bool) -> io::Result<Self> {
        let path = files.current();
        let mut follower = Self { log: files.name(), path, file: None, begun: Vec::new() };
        follower.open()?;
        if let Some(file) = follower.file.as_mut().filter(|_| !from_start) {
            file.seek(SeekFrom::End(0))?;
        }
        Ok(follower)
    }

    /// Whether it follows the log of this name.
    pub fn follows(&self, log: &str) -> bool {
        self.log == log
    }

    /// What has been written since the last call.
    ///
    /// # Errors
    /// Those of reading.
    pub fn news(&mut self) -> io::Result<Vec<Entry>> {
        let mut news = Vec::new();
        // Looked at first: once another file has the name, no row comes into this one any more.
        let replaced = self.is_replaced();
        self.read_on(&mut news)?;
        if replaced {
            self.begun.clear();
            self.open()?;
            self.read_on(&mut news)?;
        }
        Ok(news)
    }

    fn read_on(&mut self, news: &mut Vec<Entry>) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        while file.read_until(b'\n', &mut self.begun)? > 0 {
            if self.begun.ends_with(b"\n") {
                news.extend(Entry::read(&self.log, &self.begun));
                self.begun.clear();
            }
        }
        Ok(())
    }

    fn open(&mut self) -> io::Result<()> {
        self.file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            file => Some(BufReader::new(file?)),
        };
        Ok(())
    }

    fn is_replaced(&self) -> bool {
        let inode = |metadata: io::Result<std::fs::Metadata>| metadata.ok().map(|is| is.ino());
        let named = inode(std::fs::metadata(&self.path));
        let read = self.file.as_ref().and_then(|file| inode(file.get_ref().metadata()));
        named.is_some() && named != read
    }
}
