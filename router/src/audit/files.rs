//! Which files a log has: `router-1.jsonl`, which is written to, after `router-1.0001.jsonl`,
//! `router-1.0002.jsonl` and so on, which are full.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The files of one router's log.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    folder: PathBuf,
    number: u32,
}

impl Files {
    pub(super) fn new(folder: &Path, number: u32) -> Self {
        Self { folder: folder.to_owned(), number }
    }

    /// The files of every log in `folder`; none when there is no such folder.
    pub(crate) fn all(folder: &Path) -> Result<Vec<Self>, home::FileError> {
        let names = names(folder).map_err(|error| home::FileError::new("read", folder, error))?;
        let numbers = names.iter().filter_map(|name| parts(name)).map(|(number, _)| number);
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers.into_iter().map(|number| Self::new(folder, number)).collect())
    }

    /// The log's name, such as `router-1`.
    pub(crate) fn name(&self) -> String {
        format!("router-{}", self.number)
    }

    /// The file that is written to.
    pub(crate) fn current(&self) -> PathBuf {
        self.folder.join(format!("{}.jsonl", self.name()))
    }

    /// What the next file is called until it takes the current one's place.
    pub(super) fn draft(&self) -> PathBuf {
        self.folder.join(format!("{}.next", self.name()))
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.folder.join(format!("{}.lock", self.name()))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The full file of this number, which counts from 1.
    pub(super) fn full(&self, count: u32) -> PathBuf {
        self.folder.join(format!("{}.{count:04}.jsonl", self.name()))
    }

    /// The full files that are there, by their number.
    pub(super) fn full_ones(&self) -> io::Result<BTreeMap<u32, PathBuf>> {
        let names = names(&self.folder)?;
        let mine = names
            .iter()
            .filter_map(|name| parts(name))
            .filter_map(|(number, count)| (number == self.number).then_some(count).flatten());
        Ok(mine.map(|count| (count, self.full(count))).collect())
    }

    /// All that are there, the oldest first.
    pub(crate) fn in_order(&self) -> io::Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = self.full_ones()?.into_values().collect();
        paths.extend(Some(self.current()).filter(|path| path.exists()));
        Ok(paths)
    }
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

/// The router's number, and the file's if it is a full one.
fn parts(name: &str) -> Option<(u32, Option<u32>)> {
    let middle = name.strip_prefix("router-")?.strip_suffix(".jsonl")?;
    match middle.split_once('.') {
        None => Some((middle.parse().ok()?, None)),
        Some((number, count)) => Some((number.parse().ok()?, Some(count.parse().ok()?))),
    }
}
