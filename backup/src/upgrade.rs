//! Raises the format of a home, once a whole copy of it has been made and proved.
//!
//! Only then the new number is written, in one step, so whenever this is cut off the home is the old one or the new one. The
//! files themselves stay as they are: each is read for ever, and gets its new form when it is written next.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use home::format::{HomeFormat, NEWEST, Upgraded};
use home::{Home, file};

use crate::place::hold;
use crate::{Backup, BackupError, Made, choose, make};

/// Where the copies are, in the home. The agent can't reach them there.
const COPIES: &str = "before-upgrade";

/// What an upgrade would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradePlan {
    /// The format now.
    pub from: u32,
    /// The format then.
    pub to: u32,
    /// What the formats between brought, in words.
    pub brings: Vec<&'static str>,
    /// How many files would be copied.
    pub files: usize,
    /// How many bytes these have.
    pub bytes: u64,
}

/// An upgrade that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upgrade {
    /// The copy of the home as it was.
    pub copy: PathBuf,
    /// What it holds.
    pub made: Made,
}

/// What an upgrade of `home` would do; `None` when it has the newest format.
///
/// # Errors
/// [`BackupError`] when this program can't work in it.
pub fn plan_upgrade(home: &Home) -> Result<Option<UpgradePlan>, BackupError> {
    let format = HomeFormat::usable(home.root())?;
    if format.format == NEWEST {
        return Ok(None);
    }
    let files = choose::files(home.root(), false)?.files;
    if files.is_empty() {
        return Err(BackupError::Nothing(home.root().to_owned()));
    }
    let size = |path: &PathBuf| fs::metadata(home.root().join(path)).map_or(0, |meta| meta.len());
    Ok(Some(UpgradePlan {
        from: format.format,
        to: NEWEST,
        brings: format.brought_since(),
        bytes: files.iter().map(size).sum(),
        files: files.len(),
    }))
}

/// Upgrades `home` to the newest format; `None` when it has that. `version` is that of the program.
///
/// # Errors
/// [`BackupError::Lock`] when somebody works there. After every error the home is as it was.
pub fn upgrade(home: &Home, version: &str) -> Result<Option<Upgrade>, BackupError> {
    let Some(plan) = plan_upgrade(home)? else { return Ok(None) };
    let _held = hold(home)?;
    let copies = home.root().join(COPIES);
    file::make_folder(&copies)?;
    remove_halves(&copies);
    let at = jiff::Timestamp::now();
    let stamp = at.strftime("%Y-%m-%dT%H-%M-%S.%3fZ");
    let copy = format!("{COPIES}/format-{}-{stamp}.tar.gz", plan.from);
    let path = home.root().join(&copy);
    let made = make(home, &path, None, version)?;
    if let Err(why) = prove(home, &path, &copies) {
        let _ = fs::remove_file(&path);
        return Err(why);
    }
    let sync = File::open(&copies).and_then(|folder| folder.sync_all());
    sync.map_err(BackupError::io("sync", &copies))?;
    let upgraded = Some(Upgraded { from: plan.from, at: at.to_string(), copy });
    HomeFormat { upgraded, ..HomeFormat::newest() }.write(home.root())?;
    Ok(Some(Upgrade { copy: path, made }))
}

/// Restores the copy into a home beside it, and compares that with `home`, file by file.
fn prove(home: &Home, copy: &Path, beside: &Path) -> Result<(), BackupError> {
    let unproved = |why: String| BackupError::Unproved { why };
    let scratch = tempfile::Builder::new().prefix(".proof-").tempdir_in(beside);
    let scratch = scratch.map_err(BackupError::io("make a folder in", beside))?;
    let again = Home::at(&scratch.path().join("home")).map_err(|e| unproved(e.to_string()))?;
    Backup::read(copy, scratch.path(), None)?.restore(&again)?;
    let paths = choose::files(home.root(), false)?.files;
    for path in &paths {
        let read = |root: &Path| fs::read(root.join(path));
        let is_same = read(home.root()).ok().zip(read(again.root()).ok());
        if is_same.is_none_or(|(was, is)| was != is) {
            return Err(unproved(format!("{} is another one in it", path.display())));
        }
    }
    Ok(())
}

/// Removes what an upgrade that was killed has left half made.
fn remove_halves(copies: &Path) {
    for entry in fs::read_dir(copies).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with('.') {
            let path = entry.path();
            // What can't be removed takes room and does no harm.
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}
