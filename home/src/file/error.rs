//! What went wrong with a file, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// A file operation that failed. The message names the path and, where the reason tells it, the remedy;
/// the system's own words are the source.
#[derive(Debug, thiserror::Error)]
#[error("can't {doing} {}{}", path.display(), remedy(source.kind()))]
pub struct FileError {
    doing: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl FileError {
    /// `doing` is a verb that fits into "can't ... the file".
    #[must_use]
    pub fn new(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self { doing, path: path.to_owned(), source: plain(source) }
    }

    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The system's reason.
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }
}

/// The error without the name that a file had for the moment, which says nothing to people: `... (os error 2) at path "..."`, as
/// tempfile words it, which shows the system's error in no other way.
fn plain(error: io::Error) -> io::Error {
    let said = error.to_string();
    let number = said.split_once(" (os error ").and_then(|(_, rest)| rest.split_once(") at path "));
    match number.and_then(|(number, _)| number.parse().ok()) {
        Some(number) if error.get_ref().is_some() => io::Error::from_raw_os_error(number),
        _ => error,
    }
}

fn remedy(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            " (there is no space left: free some and try again)"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            " (it is read-only: mount it writable, or choose another home with --home)"
        }
        io::ErrorKind::PermissionDenied => {
            " (this user may not: change the permissions, or choose another home with --home)"
        }
        io::ErrorKind::NotADirectory => " (a part of this path is a file where a folder should be)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(code: i32) -> String {
        let source = io::Error::from_raw_os_error(code);
        FileError::new("write", Path::new("/w/memory.json"), source).to_string()
    }

    #[test]
    fn a_name_for_the_moment_is_not_shown() {
        let source = tempfile::tempdir_in("/no/such/folder").unwrap_err();
        let error = FileError::new("make a folder in", Path::new("/no/such/folder"), source);
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "No such file or directory (os error 2)");
    }

    #[test]
    fn what_only_looks_like_such_a_name_stays() {
        let said = "the list at path /a at path /b is broken";
        let error = FileError::new("read", Path::new("/w"), io::Error::other(said));
        assert_eq!(std::error::Error::source(&error).unwrap().to_string(), said);
        let folder = Path::new("/no/such at path/folder at path x");
        let error = FileError::new("write", folder, tempfile::tempdir_in(folder).unwrap_err());
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(source, "No such file or directory (os error 2)");
    }

    #[test]
    fn an_error_names_the_path_and_the_remedy() {
        const ENOSPC: i32 = 28;
        const EROFS: i32 = 30;
        assert_eq!(
            said(ENOSPC),
            "can't write /w/memory.json (there is no space left: free some and try again)"
        );
        assert_eq!(
            said(EROFS),
            "can't write /w/memory.json (it is read-only: mount it writable, or choose another \
             home with --home)"
        );
    }
}
