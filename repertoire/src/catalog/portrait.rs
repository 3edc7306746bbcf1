//! What is in each file of a skill's folder, and the digest that stands for all of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::check::SkillError;
use super::walk::{Entry, Listing, fault, unreadable};
use crate::digest::Digest;

/// The longest text of a file that is kept to show later what has changed in it, in bytes.
const KEPT: usize = 64 * 1024;

/// How many bytes of text are kept of one folder.
const KEPT_IN_ALL: usize = 1024 * 1024;

/// Every file and link of a skill's folder, by its path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Portrait {
    /// What is there.
    pub files: BTreeMap<String, Piece>,
}

/// A file or a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// A link, and where it leads.
    Link(String),
    /// A file.
    File {
        /// Its permission bits.
        mode: u32,
        /// Its size in bytes.
        size: u64,
        /// That of its content.
        sha256: Digest,
        /// Its content, if that is a text and short.
        text: Option<String>,
    },
}

impl Portrait {
    /// Reads `folder`.
    ///
    /// # Errors
    /// [`SkillError`] when something can't be read, or is nothing that a skill may hold.
    pub fn of(folder: &Path) -> Result<Self, SkillError> {
        Self::of_all(&Listing::of(folder)?)
    }

    /// Reads what is listed.
    pub(super) fn of_all(listing: &Listing) -> Result<Self, SkillError> {
        let mut left = KEPT_IN_ALL;
        let mut files = BTreeMap::new();
        for entry in listing.entries.iter().filter(|entry| !entry.facts.is_dir()) {
            let piece = piece(entry, left)?;
            if let Piece::File { text: Some(text), .. } = &piece {
                left -= text.len();
            }
            files.insert(entry.inner.clone(), piece);
        }
        Ok(Self { files })
    }

    /// The SHA-256 over each path, mode and content, in the order of the paths.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut state = Sha256::new_with_prefix("safeclaw skill 1\n");
        let mut word = |bytes: &[u8]| {
            state.update((bytes.len() as u64).to_le_bytes());
            state.update(bytes);
        };
        for (path, piece) in &self.files {
            word(path.as_bytes());
            match piece {
                Piece::Link(to) => {
                    word(b"link");
                    word(to.as_bytes());
                }
                Piece::File { mode, sha256, .. } => {
                    word(format!("file {mode:o}").as_bytes());
                    word(sha256.bytes());
                }
            }
        }
        Digest::from_bytes(state.finalize().into())
    }

    /// That of the content of the file at `path`.
    pub(super) fn digest_of(&self, path: &str) -> Option<Digest> {
        match self.files.get(path)? {
            Piece::File { sha256, .. } => Some(*sha256),
            Piece::Link(_) => None,
        }
    }

    /// The text of the file at `path`, where it was kept and is what the digest says.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        match self.files.get(path)? {
            Piece::File { text: Some(text), sha256, .. } => {
                (Digest::of(text.as_bytes()) == *sha256).then_some(text)
            }
            _ => None,
        }
    }
}

fn piece(entry: &Entry, left: usize) -> Result<Piece, SkillError> {
    let trouble = |error| unreadable(&entry.path, &error);
    if entry.facts.is_symlink() {
        let to = entry.path.read_link().map_err(trouble)?.into_os_string().into_string();
        let to = to.map_err(|_| fault(&entry.path, "it is a link to no text in UTF-8"))?;
        return Ok(Piece::Link(to));
    }
    // What is there now may be another than was listed: it must not be followed, nor waited for.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = File::options().read(true).custom_flags(flags).open(&entry.path).map_err(trouble)?;
    let facts = file.metadata().map_err(trouble)?;
    if !facts.is_file() {
        return Err(fault(&entry.path, "it changed while it was read"));
    }
    let (size, sha256, kept) = read(file.take(entry.facts.len() + 1)).map_err(trouble)?;
    if size > entry.facts.len() {
        return Err(fault(&entry.path, "it grew while it was read"));
    }
    let text = kept.filter(|kept| kept.len() <= left && !kept.contains(&0));
    let text = text.and_then(|kept| String::from_utf8(kept).ok());
    Ok(Piece::File { mode: facts.mode() & 0o7777, size, sha256, text })
}

/// The size, the digest, and all of it if it is short.
fn read(mut file: impl Read) -> io::Result<(u64, Digest, Option<Vec<u8>>)> {
    let (mut state, mut size, mut kept) = (Sha256::new(), 0, Vec::new());
    let mut chunk = vec![0; KEPT];
    loop {
        let part = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => &chunk[..count],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        state.update(part);
        size += part.len() as u64;
        if size <= KEPT as u64 {
            kept.extend_from_slice(part);
        }
    }
    Ok((size, Digest::from_bytes(state.finalize().into()), (size <= KEPT as u64).then_some(kept)))
}
