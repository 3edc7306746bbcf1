//! Folders of Markdown files that the owner writes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The largest file that is read, in bytes.
const LIMIT: u64 = 64 * 1024;

/// A file that is no persona, or no policy skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The name of the file.
    pub file: String,
    /// What is wrong with it.
    pub why: String,
}

/// What is read from all files of a folder.
pub(super) trait OfFiles: Default {
    /// Reads the files of these paths, in the order of their names.
    fn of_files(paths: impl Iterator<Item = PathBuf>) -> Self;

    /// The same of a folder that can't be listed.
    fn of_fault(fault: Fault) -> Self;
}

/// The text of a file, or why it has none.
pub(super) fn text_of(path: &Path) -> Result<String, String> {
    let bytes = home::file::read(path, LIMIT).map_err(|error| error.to_string())?;
    let bytes = bytes.ok_or_else(|| "it is not there".to_owned())?;
    String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())
}

/// The name of a file.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A folder of Markdown files. It is read again when something in it has changed.
#[derive(Debug)]
pub(super) struct Folder<T> {
    path: PathBuf,
    read: Mutex<(Marks, Arc<T>)>,
}

/// What shows that a file has changed: its length and the time of its last change.
type Marks = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

impl<T: OfFiles> Folder<T> {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, read: Mutex::default() }
    }

    /// What its files hold now.
    pub(super) fn now(&self) -> Arc<T> {
        let marks = match self.marks() {
            Ok(marks) => marks,
            Err(error) => {
                tracing::warn!(%error, "{} can't be listed", self.path.display());
                let why = format!("the folder can't be listed: {error}");
                return Arc::new(T::of_fault(Fault { file: name_of(&self.path), why }));
            }
        };
        // Poisoned, what was read is still whole.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != marks {
            *read = (marks.clone(), Arc::new(T::of_files(marks.into_keys())));
        }
        Arc::clone(&read.1)
    }

    fn marks(&self) -> io::Result<Marks> {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Marks::new()),
            Err(error) => return Err(error),
        };
        let mut marks = Marks::new();
        for entry in entries {
            let path = entry?.path();
            let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
            if !is_markdown {
                continue;
            }
            match fs::metadata(&path) {
                Ok(found) if found.is_file() => {
                    marks.insert(path, (found.len(), found.modified().ok()));
                }
                Ok(_) => {}
                // It was removed meanwhile.
                Err(_) if fs::symlink_metadata(&path).is_err() => {}
                // Reading it says why.
                Err(_) => {
                    marks.insert(path, (0, None));
                }
            }
        }
        Ok(marks)
    }
}
