//! The store of a router on a pipe: a file for each entry, in a folder for each table, under router/state/.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use home::FileError;
use protocol::Millis;

use super::{Store, StoreFault, Table};

/// The file that is locked while something changes.
const LOCK: &str = "lock";

/// How the file of an entry ends; those of drafts do not.
const ENDING: &str = ".entry";

/// The longest entry, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// A folder with tables. The first line of an entry's file says until when it lives (in milliseconds since 1970, or `-`)
/// and how many bytes follow that count.
#[derive(Debug, Clone)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The tables under `path`; whatever is missing is made when it is needed.
    #[must_use]
    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    fn table(&self, table: Table) -> PathBuf {
        self.path.join(table.name)
    }

    fn read_now(&self, table: Table, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        let path = file(&self.table(table), key);
        // What is written in its place can be seen half-written; what is put there as a whole can't.
        let in_its_place = !table.synced && path.exists();
        let _lock = in_its_place.then(|| self.lock(&path, File::lock_shared)).transpose()?;
        living(&path).map_err(|error| fault(&error))
    }

    /// Released when it is closed, however this process ends.
    fn lock(
        &self,
        path: &Path,
        take: impl Fn(&File) -> io::Result<()>,
    ) -> Result<File, StoreFault> {
        let taken = || {
            let mut open = File::options();
            let file = open.create(true).append(true).open(self.path.join(LOCK))?;
            take(&file)?;
            Ok(file)
        };
        taken().map_err(|error| fault(&FileError::new("lock", path, error)))
    }

    fn swap_now(&self, table: Table, key: &str, change: &Change) -> Result<bool, StoreFault> {
        let folder = self.table(table);
        home::file::make_folder(&folder).map_err(|error| fault(&error))?;
        let path = file(&folder, key);
        let wrong = |error| fault(&FileError::new("write", &path, error));
        let _lock = self.lock(&path, File::lock)?;
        let there = living(&path).map_err(|error| fault(&error))?;
        if there != change.before {
            return Ok(false);
        }
        if there.is_none() && change.after.is_some() && crowd(&folder).map_err(wrong)? >= table.most
        {
            return Err(StoreFault(format!("{} holds {} entries", folder.display(), table.most)));
        }
        put(&path, table, change.after.as_deref()).map_err(wrong)?;
        Ok(true)
    }

    fn list_now(&self, table: Table) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        let folder = self.table(table);
        let mut found = Vec::new();
        for key in keys(&folder).map_err(|error| fault(&FileError::new("read", &folder, error)))? {
            match self.read_now(table, &key) {
                Ok(entry) => found.extend(entry.map(|entry| (key, entry))),
                // One that a full disk has broken must not hide the others.
                Err(fault) => tracing::warn!("{fault}"),
            }
        }
        Ok(found)
    }

    /// The disk is slow, and others are served meanwhile.
    async fn aside<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<R, StoreFault> + Send + 'static,
    ) -> Result<R, StoreFault> {
        let folder = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&folder)).await;
        done.map_err(|error| StoreFault(error.to_string()))?
    }
}

struct Change {
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

#[async_trait]
impl Store for Folder {
    async fn read(&self, table: Table, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        // One small file that is read all the time: faster than going elsewhere for it.
        self.read_now(table, key)
    }

    async fn swap(
        &self,
        table: Table,
        key: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, StoreFault> {
        let key = key.to_owned();
        let change =
            Change { before: before.map(<[u8]>::to_vec), after: after.map(<[u8]>::to_vec) };
        self.aside(move |folder| folder.swap_now(table, &key, &change)).await
    }

    async fn remove(&self, table: Table, key: &str) -> Result<bool, StoreFault> {
        let path = file(&self.table(table), key);
        match fs::remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(fault(&FileError::new("remove", &path, error))),
            Ok(()) => Ok(true),
        }
    }

    async fn list(&self, table: Table) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        self.aside(move |folder| folder.list_now(table)).await
    }
}

/// The entry in the file at `path`, unless its time is over.
fn living(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    let Some(mut bytes) = home::file::read(path, LONGEST)? else { return Ok(None) };
    let (until, length, begin) = header(&bytes).ok_or_else(|| {
        let why = "it doesn't begin with its time and its length";
        FileError::new("read", path, io::Error::new(io::ErrorKind::InvalidData, why))
    })?;
    let is_over = until.is_some_and(|until| Millis::of_this_machine() > until);
    bytes.truncate(begin + length);
    Ok((!is_over).then(|| bytes.split_off(begin)))
}

/// Until when an entry lives, its length, and where it begins. The first routers wrote no length: then all of the rest counts.
fn header(bytes: &[u8]) -> Option<(Option<Millis>, usize, usize)> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let (until, length) = match line.split_once(' ') {
        Some((until, length)) => (until, length.parse().ok()?),
        None => (line, bytes.len() - end - 1),
    };
    let until = if until == "-" { None } else { Some(Millis(until.parse().ok()?)) };
    (end + 1 + length <= bytes.len()).then_some((until, length, end + 1))
}

/// Puts an entry there, or takes away what is there.
fn put(path: &Path, table: Table, entry: Option<&[u8]>) -> io::Result<()> {
    let Some(entry) = entry else {
        return match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    };
    let until = table.lifetime.map(|lifetime| Millis::of_this_machine().after(lifetime));
    let until = until.map_or_else(|| "-".to_owned(), |until| until.0.to_string());
    let bytes = [format!("{until} {}\n", entry.len()).as_bytes(), entry].concat();
    if table.synced {
        return home::file::write(path, &bytes).map_err(io::Error::other);
    }
    // In its place and without waiting for the disk, which makes it several times faster: some systems flush whatever
    // is renamed over something or cut to nothing. A power loss can leave a mixture, which then can't be read and
    // lets nothing run.
    let Ok(file) = File::options().read(true).write(true).open(path) else {
        let draft = path.with_extension("draft");
        fs::write(&draft, &bytes)?;
        return fs::rename(draft, path);
    };
    // The disk may be full.
    let room = file.metadata()?.len() as usize;
    if bytes.len() > room {
        file.write_all_at(&vec![0; bytes.len() - room], room as u64)?;
    }
    file.write_all_at(&bytes, 0)
}

/// How many entries live in `folder`; those whose time is over make way.
fn crowd(folder: &Path) -> io::Result<usize> {
    let mut living_ones = 0;
    for key in keys(folder)? {
        let path = file(folder, &key);
        match living(&path) {
            Ok(None) => fs::remove_file(&path)?,
            _ => living_ones += 1,
        }
    }
    Ok(living_ones)
}

fn keys(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut keys = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        keys.extend(name.to_str().and_then(|name| name.strip_suffix(ENDING)).map(str::to_owned));
    }
    keys.sort();
    Ok(keys)
}

fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}{ENDING}"))
}

fn fault(error: &FileError) -> StoreFault {
    StoreFault(error.to_string())
}
