//! Which files a log has: `router-1.jsonl`, which is written to, after `router-1.0001.jsonl`,
//! `router-1.0002.jsonl` and so on, which are full, and `.gz` behind that once they are compressed. That of the command
//! line is called `cli`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// What the name of a compressed file ends with.
pub(super) const END: &str = ".gz";

/// Whose log it is. Routers come first, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Writer {
    Router(u32),
    CommandLine,
}

/// What the log of the command line is called.
const COMMAND_LINE: &str = "cli";

/// The files of one log.
#[derive(Debug, Clone)]
pub struct Files {
    folder: PathBuf,
    writer: Writer,
}

impl Files {
    /// Those of the router of this number.
    pub fn new(folder: &Path, number: u32) -> Self {
        Self { folder: folder.to_owned(), writer: Writer::Router(number) }
    }

    /// Those that every command line of this home appends to, one after the other.
    pub fn of_the_command_line(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), writer: Writer::CommandLine }
    }

    /// The files of every log in `folder`; none when there is no such folder.
    pub fn all(folder: &Path) -> Result<Vec<Self>, home::FileError> {
        let names = names(folder).map_err(|error| home::FileError::new("read", folder, error))?;
        let writers = names.iter().filter_map(|name| parts(name)).map(|(writer, _)| writer);
        let writers: BTreeSet<Writer> = writers.collect();
        let files = |writer| Self { folder: folder.to_owned(), writer };
        Ok(writers.into_iter().map(files).collect())
    }

    /// The log's name, such as `router-1`.
    pub fn name(&self) -> String {
        match self.writer {
            Writer::Router(number) => format!("router-{number}"),
            Writer::CommandLine => COMMAND_LINE.to_owned(),
        }
    }

    /// The file that is written to.
    pub fn current(&self) -> PathBuf {
        self.folder.join(format!("{}.jsonl", self.name()))
    }

    /// What the next file is called until it takes the current one's place.
    pub fn draft(&self) -> PathBuf {
        self.folder.join(format!("{}.next", self.name()))
    }

    /// What a full file's compressed form is called until it is whole.
    pub fn compressing(&self) -> PathBuf {
        self.folder.join(format!("{}.gz.next", self.name()))
    }

    /// The file that is locked while its log is written.
    pub fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.name()))
    }

    /// The folder that it is in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The full file of this number, which counts from 1.
    pub fn full(&self, count: u32) -> PathBuf {
        self.folder.join(format!("{}.{count:04}.jsonl", self.name()))
    }

    /// The full files that are there, by their number: as they were written, or compressed where only that is there.
    pub fn full_ones(&self) -> io::Result<BTreeMap<u32, PathBuf>> {
        let names = names(&self.folder)?;
        let mut full = BTreeMap::new();
        for name in &names {
            let Some((writer, Some(count))) = parts(name) else { continue };
            if writer == self.writer && (!name.ends_with(END) || !full.contains_key(&count)) {
                full.insert(count, self.folder.join(name));
            }
        }
        Ok(full)
    }

    /// All that are there, the oldest first.
    pub fn in_order(&self) -> io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = self.full_ones()?.into_values().collect();
        paths.extend(Some(self.current()).filter(|path| path.exists()));
        Ok(paths)
    }
}

/// Whether a file of this name says nothing of whether a router has ever run here.
pub fn is_of_the_command_line(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.split_once('.')).is_some_and(|(log, _)| log == COMMAND_LINE)
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => {
            let names = entries?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
            names.collect()
        }
    }
}

/// Whose log it is of, and the file's number if it is a full one.
fn parts(name: &str) -> Option<(Writer, Option<u32>)> {
    let plain = name.strip_suffix(END).unwrap_or(name);
    let (log, count) = match plain.strip_suffix(".jsonl")?.split_once('.') {
        None if plain == name => (plain.strip_suffix(".jsonl")?, None),
        None => return None,
        Some((log, count)) => (log, Some(count.parse().ok()?)),
    };
    let writer = match log {
        COMMAND_LINE => Writer::CommandLine,
        log => Writer::Router(log.strip_prefix("router-")?.parse().ok()?),
    };
    Some((writer, count))
}
