//! Puts the files of a backup back into a home.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use home::{Home, HomeFormat};

use crate::manifest::ManifestFile;
use crate::place::{hold, keep, no_link, put};
use crate::{Backup, BackupError};

/// Where the audit logs are.
const AUDIT: &str = "router/audit/";

/// What a restore would do.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RestorePlan {
    /// The files that are not there now, by their paths in the home.
    pub new: Vec<String>,
    /// Those that stand there with another content.
    pub replaced: Vec<String>,
    /// How many stand there as they are.
    pub same: usize,
    /// The audit logs that are not put back, because the home's own go on.
    pub logs: Vec<String>,
}

/// What a restore has done.
#[derive(Debug, PartialEq, Eq)]
pub struct Restored {
    /// How many files were written.
    pub written: usize,
    /// Where the files are that stood there before; none if none was replaced.
    pub kept: Option<PathBuf>,
}

/// Whether routers of this home have written an audit log.
fn has_logs(home: &Home) -> bool {
    let entries = fs::read_dir(home.router_audit()).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().contains(".jsonl"))
}

impl Backup {
    /// What a restore into `home` would do.
    ///
    /// # Errors
    /// [`BackupError`] when a newer program has worked there.
    pub fn plan(&self, home: &Home) -> Result<RestorePlan, BackupError> {
        HomeFormat::usable(home.root())?;
        let mut plan = self.differences(home.root());
        if has_logs(home) {
            // A log holds what came before by its hashes. One of another time would break that chain.
            let is_log = |path: &mut String| path.starts_with(AUDIT);
            plan.logs.extend(plan.replaced.extract_if(.., is_log));
            plan.logs.extend(plan.new.extract_if(.., is_log));
        }
        Ok(plan)
    }

    /// What is otherwise in the home at `root`.
    pub(crate) fn differences(&self, root: &Path) -> RestorePlan {
        let mut plan = RestorePlan::default();
        for file in &self.manifest.files {
            match fs::read(root.join(&file.path)) {
                Ok(bytes) if crate::write::sum(&bytes) == file.sha256 => plan.same += 1,
                Ok(_) => plan.replaced.push(file.path.clone()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    plan.new.push(file.path.clone());
                }
                // It is there, and has to be kept before it is replaced, even if it can't be read.
                Err(_) => plan.replaced.push(file.path.clone()),
            }
        }
        plan
    }

    /// Writes its files into `home`. What stands there with another content is kept in `before-restore-<time>`, and what
    /// the backup does not hold stays where it is.
    ///
    /// # Errors
    /// [`BackupError::Lock`] when somebody works there, with nothing changed. After other errors what was replaced is where the
    /// message says.
    pub fn restore(&self, home: &Home) -> Result<Restored, BackupError> {
        let _held = hold(home)?;
        let RestorePlan { new, replaced, .. } = self.plan(home)?;
        self.manifest.files.iter().try_for_each(|file| no_link(home.root(), &file.path))?;
        let stamp = jiff::Timestamp::now().strftime("%Y-%m-%dT%H-%M-%SZ");
        let aside = home.root().join(format!("before-restore-{stamp}"));
        let is_written =
            |file: &&ManifestFile| new.contains(&file.path) || replaced.contains(&file.path);
        let mut written = 0;
        for file in self.manifest.files.iter().filter(is_written) {
            if replaced.contains(&file.path) {
                keep(&home.root().join(&file.path), &aside.join(&file.path))?;
            }
            self.put_back(&file.path, home.root())?;
            written += 1;
        }
        Ok(Restored { written, kept: (!replaced.is_empty()).then_some(aside) })
    }

    /// Puts the file of this path into the home at `root`, in the place of what stands there.
    pub(crate) fn put_back(&self, path: &str, root: &Path) -> Result<(), BackupError> {
        put(&self.folder.path().join(path), &root.join(path))
    }
}
