//! Why something could not be read or found, in words for the person who asked.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why a file gave no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Nothing here reads such files.
    #[error(
        "Unsupported file type: {name}. Supported are pdf, docx, md, txt, html, epub, xlsx and csv"
    )]
    Unsupported {
        /// The file's name.
        name: String,
    },
    /// It is larger than what is read.
    #[error(
        "the file has {bytes} bytes, and {limit} are the limit: split it, or save it without pictures"
    )]
    TooLarge {
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// What it unpacks to is larger than what is read.
    #[error("the file unpacks to more than {limit} bytes, so it is not read")]
    Bomb {
        /// The limit in bytes.
        limit: u64,
    },
    /// It asks for a password.
    #[error("the file is encrypted: save a copy without a password and index that")]
    Encrypted,
    /// It has pages, and no text on them.
    #[error(
        "the file has {pages} pages and no text on them, so it is probably a scan: run it through text recognition (OCR) and index the result"
    )]
    Scanned {
        /// How many pages.
        pages: usize,
    },
    /// It is readable and holds no text.
    #[error("there is no text in the file")]
    NoText,
    /// It is not what its name says.
    #[error("the file cannot be read as {what}: {why}")]
    Broken {
        /// What it was taken for.
        what: &'static str,
        /// The reader's words.
        why: String,
    },
}

/// Why the library could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The database refused.
    #[error("the library's database failed")]
    Database(#[source] rusqlite::Error),
    /// The database is not what was written.
    #[error(
        "the library's index is damaged: in a terminal, the router's command `library rebuild` builds it again from the texts"
    )]
    Damaged(#[source] rusqlite::Error),
    /// A file of the library could not be read or written.
    #[error("{path} could not be used")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's words.
        #[source]
        source: std::io::Error,
    },
    /// A kept text is not what was written.
    #[error("the kept text {path} is broken: {why}")]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The database is of a newer program.
    #[error(
        "the library was written by a newer SafeClaw (format {found}, this one knows {known}): start that one, or remove library.db and it is built anew from the texts"
    )]
    Newer {
        /// Its format.
        found: i64,
        /// The newest that is known here.
        known: i64,
    },
    /// A vector does not fit the others.
    #[error("a vector has {found} numbers, {expected} were expected")]
    Dimension {
        /// How many it has.
        found: usize,
        /// How many the others have.
        expected: usize,
    },
}

impl From<rusqlite::Error> for LibraryError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(error),
            _ => Self::Database(error),
        }
    }
}
