//! Opens a file of the owner's folder by its components, following no link.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use safeclaw_skill::SkillError;
use serde::{Deserialize, Serialize};

/// A file of the owner's folder.
#[derive(Debug)]
pub(super) struct Paper {
    pub(super) bytes: Vec<u8>,
    /// When it was changed last, in milliseconds since 1970.
    pub(super) changed_at: i64,
}

/// When a file was changed last, and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) changed_at: i64,
    pub(super) bytes: u64,
}

/// The path of `asked` within the folder that the host knows as `host`: a whole path must lie in it, any other begins
/// there.
pub(super) fn within(asked: &str, host: &str) -> Result<PathBuf, SkillError> {
    let asked = Path::new(asked.trim());
    let inner = if asked.is_absolute() {
        let outside = || {
            SkillError::new(format!(
                "{} is not in the folder that is open, {host}: in a terminal, the router's command `library add` takes \
                 any file, and `library allow` opens another folder",
                asked.display()
            ))
        };
        asked.strip_prefix(host).map_err(|_| outside())?
    } else {
        asked
    };
    let plain =
        inner.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !plain {
        return Err(SkillError::new(format!("{} leads out of its folder", asked.display())));
    }
    Ok(inner.components().filter(|part| matches!(part, Component::Normal(_))).collect())
}

fn opened(folder: &Path, inner: &Path) -> Result<File, SkillError> {
    let root = File::open(folder)?;
    let inner = if inner.as_os_str().is_empty() { Path::new(".") } else { inner };
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let found = openat2(&root, inner, flags, Mode::empty(), how);
    found.map(File::from).map_err(|error| {
        let why = match error {
            rustix::io::Errno::LOOP => "there is a link on the way to it".to_owned(),
            rustix::io::Errno::NOENT => "there is no such file".to_owned(),
            other => other.to_string(),
        };
        SkillError::new(format!("{}: {why}", inner.display()))
    })
}

/// Reads the file `inner` of `folder`, at most `limit` bytes and one more.
pub(super) fn paper(folder: &Path, inner: &Path, limit: usize) -> Result<Paper, SkillError> {
    let file = opened(folder, inner)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(SkillError::new(format!("{} is no file", inner.display())));
    }
    let mut bytes = Vec::new();
    file.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Paper { bytes, changed_at: changed(&about) })
}

/// The files below `inner` of `folder`, in order; one, if it is a file. Links and hidden names are left out.
pub(super) fn files(folder: &Path, inner: &Path) -> Result<Vec<(PathBuf, Stamp)>, SkillError> {
    let about = opened(folder, inner)?.metadata()?;
    if !about.is_dir() {
        return Ok(vec![(inner.to_owned(), stamp(&about))]);
    }
    let mut found = Vec::new();
    let mut folders = vec![inner.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&at))? {
            let entry = entry?;
            let (name, kind) = (entry.file_name(), entry.file_type()?);
            let path = at.join(&name);
            if name.to_string_lossy().starts_with('.') || kind.is_symlink() {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                found.push((path, stamp(&entry.metadata()?)));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn stamp(about: &std::fs::Metadata) -> Stamp {
    Stamp { changed_at: changed(about), bytes: about.len() }
}

fn changed(about: &std::fs::Metadata) -> i64 {
    let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0)
}
