//! The library on disk: a database beside the texts from which it is made.
//!
//! In the folder stand `library.db` and `texts/`, one packed file for each document. The texts are
//! the truth: one is written before its rows and removed before them, and what is missing in the database comes from them
//! when the library is opened. Documents go in together ([`Library::put_all`]), which costs far less than one by one: several
//! texts are made durable at once, and FTS5 sorts and writes the words of all of them once.

mod connect;
mod listing;
mod questions;
mod search;
mod texts;
mod vector;
mod vocabulary;
mod write;

#[cfg(test)]
mod tests;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::LibraryError;
pub use listing::{Counts, Listed};
pub use search::{Hit, Search};
use texts::Texts;
pub use vector::Unembedded;
use vocabulary::Vocabulary;
pub use write::{Put, TOGETHER};

/// An open library.
#[derive(Debug)]
pub struct Library {
    db: Connection,
    path: PathBuf,
    texts: Texts,
    vocabulary: Vocabulary,
    mended: Option<Mended>,
    /// The file that the database was when it was opened.
    standing: Option<Standing>,
}

/// Which file a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    device: u64,
    inode: u64,
}

impl Standing {
    fn of(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        Some(Self { device: about.dev(), inode: about.ino() })
    }
}

/// What had to be done before the library could be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// Why.
    pub why: String,
    /// Where the broken database went.
    pub aside: PathBuf,
    /// How many documents were built again from their texts.
    pub documents: usize,
    /// The texts that could not be read.
    pub lost: Vec<String>,
}

/// What a look at every part of the library found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// What is wrong, in words; empty when all is well.
    pub faults: Vec<String>,
    /// How many documents there are.
    pub documents: usize,
    /// How many passages there are.
    pub passages: usize,
}

impl Library {
    /// Opens the library in `folder`, which is made when it is missing. A database that is broken is set
    /// aside and built again from the texts; [`Library::mended`] then says so. Texts that are not in it are put in. `now` is in milliseconds since
    /// 1970.
    ///
    /// # Errors
    /// When the folder cannot be used, or a newer program wrote the database.
    pub fn open(folder: &Path, now: i64) -> Result<Self, LibraryError> {
        match Self::filled(folder) {
            Ok((library, _)) => Ok(library),
            Err(LibraryError::Damaged(error)) => {
                let aside = connect::set_aside(&folder.join("library.db"), now)?;
                let (library, (documents, lost)) = Self::filled(folder)?;
                let mended = Mended { why: error.to_string(), aside, documents, lost };
                Ok(Self { mended: Some(mended), ..library })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens it, and puts in the texts that the database does not have: they may be from a backup, or their writer was killed
    /// before the rows were there.
    fn filled(folder: &Path) -> Result<(Self, (usize, Vec<String>)), LibraryError> {
        let texts = Texts::in_folder(&folder.join("texts"))?;
        texts.tidy();
        let path = folder.join("library.db");
        let db = connect::connect(&path)?;
        let standing = Standing::of(&path);
        let vocabulary = Vocabulary::default();
        let mut library = Self { db, path, texts, vocabulary, mended: None, standing };
        let filled = library.fill()?;
        Ok((library, filled))
    }

    /// Whether another process has put another database in this one's place since it was opened, as [`Library::rebuild`] does:
    /// what is found here is out of date then, and it is to be opened again.
    #[must_use]
    pub fn is_replaced(&self) -> bool {
        Standing::of(&self.path) != self.standing
    }

    /// What was mended when it was opened.
    #[must_use]
    pub fn mended(&self) -> Option<&Mended> {
        self.mended.as_ref()
    }

    /// Builds the index again from the texts: how many documents, and the texts that could not be read. Who
    /// found what how often is forgotten, and vectors are made again by whoever makes them.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn rebuild(&mut self, now: i64) -> Result<(usize, Vec<String>), LibraryError> {
        let unused = Connection::open_in_memory()?;
        drop(std::mem::replace(&mut self.db, unused));
        let aside = connect::set_aside(&self.path, now)?;
        self.db = connect::connect(&self.path)?;
        self.standing = Standing::of(&self.path);
        self.vocabulary = Vocabulary::default();
        let filled = self.fill()?;
        connect::remove(&aside)?;
        Ok(filled)
    }

    /// Looks at every part: the database, the index of its words, and the texts.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn check(&self) -> Result<Checked, LibraryError> {
        let mut faults = connect::faults(&self.db)?;
        let papers = self.list(&crate::Reader::Owner)?;
        let counts = Counts::of(&papers);
        let rows = self.ids()?;
        let texts = self.texts.ids()?;
        for id in texts.iter().filter(|id| !rows.contains(*id)) {
            faults.push(format!("the text {id} is not in the index"));
        }
        for id in rows.iter().filter(|id| !texts.contains(*id)) {
            faults.push(format!("the document {id} has no text"));
        }
        for paper in papers.iter().filter(|paper| texts.contains(&paper.id)) {
            if let Err(error) = self.texts.item(&paper.id) {
                faults.push(format!("{error}: index {} again, by its name", paper.place));
            }
        }
        Ok(Checked { faults, documents: counts.documents, passages: counts.passages })
    }
}
