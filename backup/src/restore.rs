//! Puts the files of a backup back into a home.

use std::fs;
use std::path::{Path, PathBuf};

use home::{Home, Lock};

use crate::manifest::ManifestFile;
use crate::{Backup, BackupError};

/// What a restore would do.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RestorePlan {
    /// The files that are not there now, by their paths in the home.
    pub new: Vec<String>,
    /// Those that stand there with another content.
    pub replaced: Vec<String>,
    /// How many stand there as they are.
    pub same: usize,
}

/// What a restore has done.
#[derive(Debug, PartialEq, Eq)]
pub struct Restored {
    /// How many files were written.
    pub written: usize,
    /// Where the files are that stood there before; none if none was replaced.
    pub kept: Option<PathBuf>,
}

impl Backup {
    /// What a restore into `home` would do.
    ///
    /// # Errors
    /// [`BackupError`] when a file there can't be read.
    pub fn plan(&self, home: &Home) -> Result<RestorePlan, BackupError> {
        let mut plan = RestorePlan::default();
        for file in &self.manifest.files {
            match fs::read(home.root().join(&file.path)) {
                Ok(bytes) if crate::write::sum(&bytes) == file.sha256 => plan.same += 1,
                Ok(_) => plan.replaced.push(file.path.clone()),
                Err(_) => plan.new.push(file.path.clone()),
            }
        }
        Ok(plan)
    }

    /// Writes its files into `home`. What stands there with another content is moved to `before-restore-<time>` first, and what
    /// the backup does not hold stays where it is.
    ///
    /// # Errors
    /// [`BackupError::Lock`] when somebody works there, with nothing changed. Other errors leave what was moved where the
    /// message says.
    pub fn restore(&self, home: &Home) -> Result<Restored, BackupError> {
        let _held = hold(home)?;
        let RestorePlan { new, replaced, .. } = self.plan(home)?;
        let stamp = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ");
        let aside = home.root().join(format!("before-restore-{stamp}"));
        for path in &replaced {
            carry(&home.root().join(path), &aside.join(path))?;
        }
        let is_written =
            |file: &&ManifestFile| new.contains(&file.path) || replaced.contains(&file.path);
        let mut written = 0;
        for file in self.manifest.files.iter().filter(is_written) {
            carry(&self.folder.path().join(&file.path), &home.root().join(&file.path))?;
            written += 1;
        }
        Ok(Restored { written, kept: (!replaced.is_empty()).then_some(aside) })
    }
}

/// Takes every lock of the home, so that nobody writes there.
fn hold(home: &Home) -> Result<Vec<Lock>, BackupError> {
    let mut held = vec![Lock::take(&home.agent_lock())?];
    let Ok(entries) = fs::read_dir(home.router_audit()) else { return Ok(held) };
    for entry in entries.flatten() {
        if entry.path().extension().is_some_and(|end| end == "lock") {
            held.push(Lock::take(&entry.path())?);
        }
    }
    Ok(held)
}

/// Renames a file, and makes the folders that it needs.
fn carry(from: &Path, to: &Path) -> Result<(), BackupError> {
    if let Some(folder) = to.parent() {
        home::file::make_folder(folder)?;
    }
    fs::rename(from, to).map_err(BackupError::io("cannot move a file to", to))
}
