//! The kept texts: one packed file for each document, the truth from which the index is made.

use std::collections::HashSet;
use std::fs;
use std::io::{BufWriter, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::LibraryError;
use crate::item::Kept;

/// The largest text that is read back, in bytes.
const MOST: u64 = 256 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Texts {
    folder: PathBuf,
}

impl Texts {
    pub(super) fn in_folder(folder: &Path) -> Result<Self, LibraryError> {
        fs::create_dir_all(folder).map_err(at(folder))?;
        Ok(Self { folder: folder.to_owned() })
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json.gz"))
    }

    /// Keeps `kept` under `id`, whole or not at all.
    pub(super) fn keep(&self, id: &str, kept: &Kept) -> Result<(), LibraryError> {
        let path = self.path(id);
        // Another process may keep the same one at this moment, so each has a draft of its own.
        let draft = tempfile::Builder::new()
            .prefix(&format!("{id}."))
            .suffix(".new")
            .permissions(fs::Permissions::from_mode(0o644))
            .tempfile_in(&self.folder)
            .map_err(at(&self.folder))?;
        let mut packer = GzEncoder::new(BufWriter::new(draft.as_file()), Compression::fast());
        serde_json::to_writer(&mut packer, kept)
            .map_err(std::io::Error::from)
            .and_then(|()| packer.finish())
            .and_then(|mut file| file.flush())
            // After a power cut the name leads to the whole text.
            .and_then(|()| draft.as_file().sync_data())
            .map_err(at(&path))?;
        draft.persist(&path).map(drop).map_err(|error| at(&path)(error.error))
    }

    /// The text under `id`.
    pub(super) fn read(&self, id: &str) -> Result<Kept, LibraryError> {
        let path = self.path(id);
        let file = fs::File::open(&path).map_err(at(&path))?;
        let broken = |why: String| LibraryError::Text { path: path.clone(), why };
        let mut text = String::new();
        let read = GzDecoder::new(file).take(MOST).read_to_string(&mut text);
        read.map_err(|error| broken(error.to_string()))?;
        serde_json::from_str(&text).map_err(|error| broken(error.to_string()))
    }

    pub(super) fn remove(&self, id: &str) -> Result<(), LibraryError> {
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(at(&path)(error)),
            _ => Ok(()),
        }
    }

    /// Removes what a crash left half written an hour ago or earlier; what is younger may be in the making.
    pub(super) fn tidy(&self) {
        const OLD: Duration = Duration::from_secs(60 * 60);
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in
            entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "new"))
        {
            let age = entry.metadata().and_then(|about| about.modified()).ok();
            if age.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > OLD) {
                // What can't be removed harms nobody.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// All that are kept.
    pub(super) fn ids(&self) -> Result<HashSet<String>, LibraryError> {
        let mut ids = HashSet::new();
        for entry in fs::read_dir(&self.folder).map_err(at(&self.folder))? {
            let entry = entry.map_err(at(&self.folder))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if let Some(id) = name.strip_suffix(".json.gz") {
                ids.insert(id.to_owned());
            }
        }
        Ok(ids)
    }
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> LibraryError + use<'_> {
    |source| LibraryError::File { path: path.to_owned(), source }
}
