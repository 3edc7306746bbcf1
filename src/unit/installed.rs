//! The units that were installed, and how they are.

use std::fs;
use std::path::{Path, PathBuf};

use home::FileError;

use super::plan::with;
use super::text::{MARK, quoted};
use super::{Scope, Systemd, SystemdError, UnitError, names, path};

/// The units of one name that were installed.
#[derive(Debug)]
pub(crate) struct Installed {
    systemd: Systemd,
    /// Their files.
    files: Vec<PathBuf>,
    /// Their full names.
    pub(crate) units: Vec<String>,
}

impl Installed {
    /// Looks for them; gives `None` if there are none.
    pub(crate) fn find(scope: Scope, name: &str) -> Result<Option<Self>, UnitError> {
        let (mut files, mut units) = (Vec::new(), Vec::new());
        for name in names(name) {
            let file = path(scope, &name)?;
            if fs::read_to_string(&file).is_ok_and(|text| text.starts_with(MARK)) {
                files.push(file);
                units.push(format!("{name}.service"));
            }
        }
        Ok((!units.is_empty()).then_some(Self { systemd: Systemd::of(scope), files, units }))
    }

    /// Whether they serve the home at `root`.
    pub(crate) fn serves(&self, root: &Path) -> bool {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let word = quoted(&root);
        self.files
            .iter()
            .any(|file| fs::read_to_string(file).is_ok_and(|text| text.contains(&word)))
    }

    /// Has systemd `start`, `stop` or `restart` them.
    pub(crate) fn ask(&self, word: &str) -> Result<(), SystemdError> {
        self.systemd.control(&with(word, &self.units)).map(drop)
    }

    /// Ends them and takes their files away. What they know stays.
    pub(crate) fn remove(&self) -> Result<(), UnitError> {
        self.systemd.control(&with("disable", &self.units))?;
        self.ask("stop")?;
        for file in &self.files {
            fs::remove_file(file).map_err(|error| FileError::new("remove", file, error))?;
        }
        self.systemd.control(&["daemon-reload"])?;
        Ok(())
    }
}

/// How a unit is, for people, and whether it runs.
pub(crate) fn state(systemd: Systemd, unit: &str) -> Result<(String, bool), SystemdError> {
    const SHOWN: [&str; 7] = [
        "ActiveState",
        "SubState",
        "ActiveEnterTimestamp",
        "MainPID",
        "NRestarts",
        "StatusText",
        "UnitFileState",
    ];
    let shown = systemd.properties(unit, &SHOWN)?;
    let of = |name: &str| shown.get(name).map_or("", String::as_str);
    let runs = of("ActiveState") == "active";
    let mut text = match runs {
        true => {
            format!("{unit} runs since {} (process {})", of("ActiveEnterTimestamp"), of("MainPID"))
        }
        false => format!("{unit} does not run: {} ({})", of("ActiveState"), of("SubState")),
    };
    if !matches!(of("NRestarts"), "" | "0") {
        text.push_str(&format!(", started again {} times", of("NRestarts")));
    }
    if runs && !of("StatusText").is_empty() {
        text.push_str(&format!("\n  {}", of("StatusText")));
    }
    if of("UnitFileState") != "enabled" {
        text.push_str("\n  it does not start by itself");
    }
    Ok((text, runs))
}
