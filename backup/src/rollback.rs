//! Takes a home back to what it was before its upgrade, and keeps what was written since.
//!
//! `format.json` says from the first step to the last that this goes on, so nobody works in a home that is half the old one;
//! whoever was cut off begins again and ends at the same place.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use home::Home;
use home::format::{FILE, HomeFormat, Upgraded};

use crate::place::{hold, keep, no_link, put};
use crate::{Backup, BackupError, choose};

/// Where a router without Redis keeps the kill switch.
const SWITCH: &str = "router/state/switch/";

/// A way back that is open.
#[derive(Debug)]
pub struct Rollback {
    home: Home,
    format: HomeFormat,
    upgraded: Upgraded,
    copy: Backup,
}

/// What a rollback would do, in paths in the home.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RollbackPlan {
    /// Files that get their content of before.
    pub replaced: Vec<String>,
    /// Files that come back.
    pub back: Vec<String>,
    /// Files that were not there before.
    pub since: Vec<String>,
}

impl RollbackPlan {
    /// How many files are kept as they are now.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.replaced.len() + self.since.len()
    }
}

impl Rollback {
    /// The way back of `home`, if an upgrade made one. Also a program that is too old for the home finds it.
    ///
    /// # Errors
    /// [`BackupError`] when there is none, or its copy is not whole.
    pub fn find(home: &Home) -> Result<Self, BackupError> {
        let format = HomeFormat::of(home.root())?;
        let none = || BackupError::NoUpgrade(home.root().to_owned());
        let upgraded = format.upgraded.clone().ok_or_else(none)?;
        let path = home.root().join(&upgraded.copy);
        if !path.is_file() {
            return Err(BackupError::NoCopy(path));
        }
        let copy = Backup::read(&path, home.root(), None)?;
        Ok(Self { home: home.clone(), format, upgraded, copy })
    }

    /// The upgrade that is taken back.
    #[must_use]
    pub fn upgraded(&self) -> &Upgraded {
        &self.upgraded
    }

    /// The format now.
    #[must_use]
    pub fn format(&self) -> u32 {
        self.format.format
    }

    /// What it would do.
    ///
    /// # Errors
    /// [`BackupError`] when a folder of the home can't be read.
    pub fn plan(&self) -> Result<RollbackPlan, BackupError> {
        let is_file = |path: &String| path != FILE;
        // A rollback lets nothing go on that its owner has stopped since.
        let may_leave = |path: &String| is_file(path) && !path.starts_with(SWITCH);
        let differs = self.copy.differences(self.home.root());
        let copied: BTreeSet<&str> =
            self.copy.manifest.files.iter().map(|file| file.path.as_str()).collect();
        let there = choose::files(self.home.root(), false)?.files.into_iter();
        let there = there.map(|path| path.to_string_lossy().into_owned());
        Ok(RollbackPlan {
            since: there.filter(|path| !copied.contains(&**path)).filter(may_leave).collect(),
            replaced: differs.replaced.into_iter().filter(is_file).collect(),
            back: differs.new.into_iter().filter(is_file).collect(),
        })
    }

    /// Does it, and gives the folder that keeps what stood there; `None` if nothing else did.
    ///
    /// # Errors
    /// [`BackupError::Lock`] when somebody works there, and [`BackupError::Link`] when a link leads out of the home; nothing is changed
    /// then. After other errors the next rollback goes on.
    pub fn run(mut self) -> Result<Option<PathBuf>, BackupError> {
        let _held = hold(&self.home)?;
        let root = self.home.root().to_owned();
        let plan = self.plan()?;
        plan.replaced.iter().chain(&plan.back).try_for_each(|path| no_link(&root, path))?;
        self.format.rolling_back = true;
        self.format.write(&root)?;
        // Named after the upgrade, so that one that was cut off is gone on with in the same folder.
        let stamp = self.upgraded.at.split('.').next().unwrap_or_default().replace(':', "-");
        let aside = root.join(format!("before-rollback-{}", stamp.trim_end_matches('Z')));
        // First, for one of them may stand where a folder was.
        for path in &plan.since {
            put(&root.join(path), &aside.join(path))?;
        }
        for path in &plan.replaced {
            keep(&root.join(path), &aside.join(path))?;
            self.copy.put_back(path, &root)?;
        }
        for path in &plan.back {
            self.copy.put_back(path, &root)?;
        }
        match self.copy.manifest.files.iter().any(|file| file.path == FILE) {
            true => self.copy.put_back(FILE, &root)?,
            false => {
                let path = root.join(FILE);
                fs::remove_file(&path).map_err(BackupError::io("remove", &path))?;
            }
        }
        Ok(aside.is_dir().then_some(aside))
    }
}
