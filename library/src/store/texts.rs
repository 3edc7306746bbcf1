//! The kept texts: one packed file for each document, the truth from which the index is made.

use std::collections::HashSet;
use std::fs;
use std::io::{BufWriter, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::item::Kept;
use crate::{Item, LibraryError};

/// The largest text that is read back, in bytes.
const MOST: u64 = 256 * 1024 * 1024;

/// So many threads keep texts. The disk makes several durable in hardly more time than one.
const KEEPERS: usize = 4;

/// Texts that are being kept.
pub(super) struct Keeping<'scope>(Vec<ScopedJoinHandle<'scope, Result<(), LibraryError>>>);

impl Keeping<'_> {
    /// Waits until all are there.
    pub(super) fn end(self) -> Result<(), LibraryError> {
        let end = |keeper: ScopedJoinHandle<'_, _>| {
            keeper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        self.0.into_iter().try_for_each(end)
    }
}

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

    /// Begins to keep the texts of `items`, in threads of `scope`.
    pub(super) fn keep_all<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        items: &'scope [Item],
        now: i64,
    ) -> Result<Keeping<'scope>, LibraryError> {
        let keeper = |first: usize| {
            let keep = move || {
                let mut items = items.iter().skip(first).step_by(KEEPERS);
                items.try_for_each(|item| self.keep(&item.id(), &Kept::of(item, now)))
            };
            thread::Builder::new().spawn_scoped(scope, keep).map_err(at(&self.folder))
        };
        (0..KEEPERS.min(items.len())).map(keeper).collect::<Result<_, _>>().map(Keeping)
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
        pack(kept, draft.as_file())
            // After a power cut the name leads to the whole text.
            .and_then(|()| draft.as_file().sync_data())
            .map_err(at(&path))?;
        draft.persist(&path).map(drop).map_err(|error| at(&path)(error.error))
    }

    /// The item whose text is kept under `id`, and when it was put in.
    pub(super) fn item(&self, id: &str) -> Result<(Item, i64), LibraryError> {
        let path = self.path(id);
        let file = fs::File::open(&path).map_err(at(&path))?;
        let broken = |why: String| LibraryError::Text { path: path.clone(), why };
        let mut text = String::new();
        let read = GzDecoder::new(file).take(MOST).read_to_string(&mut text);
        read.map_err(|error| broken(error.to_string()))?;
        let kept: Kept = serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        let created_at = kept.created_at;
        let item = kept.item().filter(|item| item.id() == id);
        Ok((item.ok_or_else(|| broken("it does not say what it is".to_owned()))?, created_at))
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

/// Writes `kept` into `file`, packed.
fn pack(kept: &Kept<'_>, file: &fs::File) -> std::io::Result<()> {
    // What is packed comes in many small pieces.
    let mut packer = BufWriter::new(GzEncoder::new(file, Compression::fast()));
    serde_json::to_writer(&mut packer, kept)?;
    packer.into_inner()?.finish()?;
    Ok(())
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> LibraryError + use<'_> {
    |source| LibraryError::File { path: path.to_owned(), source }
}
