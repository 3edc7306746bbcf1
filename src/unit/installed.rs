//! The units that were installed, and how they are.

use std::fs;
use std::path::{Path, PathBuf};

use home::FileError;

use super::plan::with;
use super::text::{MARK, quoted};
use super::{Scope, Systemd, SystemdError, UnitError, folder, names, path};

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

    /// All units of both scopes that serve the home at `root`, whatever their names.
    pub(crate) fn serving(root: &Path) -> Vec<(Scope, String)> {
        let word = quoted(&canonical(root));
        let serves = |file: &Path| {
            fs::read_to_string(file)
                .is_ok_and(|text| text.starts_with(MARK) && text.contains(&word))
        };
        let mut found = Vec::new();
        for scope in [Scope::User, Scope::System] {
            let folder = folder(scope).ok().and_then(|folder| fs::read_dir(folder).ok());
            let files = folder.into_iter().flatten().flatten().map(|entry| entry.path());
            let units = files.filter(|file| file.extension().is_some_and(|end| end == "service"));
            let names = units
                .filter(|file| serves(file))
                .filter_map(|file| Some((scope, file.file_name()?.to_str()?.to_owned())));
            found.extend(names);
        }
        found.sort_by(|one, other| one.1.cmp(&other.1));
        found
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

/// A home's folder as units name it.
fn canonical(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
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
