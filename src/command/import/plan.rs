//! What comes along and what stays, decided before anything is written.

use std::path::{Path, PathBuf};

use home::{EnvFile, Home, file};
use serde_json::Value;
use settings::AgentConfig;

/// The largest file that is read, in bytes.
pub(super) const LIMIT: u64 = 16 * 1024 * 1024;

/// What is to be done, and what is not.
pub(super) struct Plan {
    home: Home,
    /// A copy of the settings in which each is tried.
    trial: tempfile::TempDir,
    comes: Vec<(String, Coming)>,
    stays: Vec<(String, String)>,
}

/// One thing that comes along.
enum Coming {
    Setting(&'static str, Value),
    Secret(&'static str, String),
    File(PathBuf, Vec<u8>),
}

impl Plan {
    /// An empty one for `home`.
    ///
    /// # Errors
    /// Words: no folder can be made, or the settings of `home` can't be read.
    pub(super) fn new(home: &Home) -> Result<Self, String> {
        let trial = tempfile::tempdir().map_err(|error| error.to_string())?;
        let bytes = file::read(&home.agent_config(), LIMIT).map_err(|error| error.to_string())?;
        if let Some(bytes) = bytes {
            let path = trial.path().join("config.json");
            file::write(&path, &bytes).map_err(|error| error.to_string())?;
        }
        let plan = Self { home: home.clone(), trial, comes: Vec::new(), stays: Vec::new() };
        plan.settings()?;
        Ok(plan)
    }

    /// Whether nothing comes along.
    pub(super) fn is_empty(&self) -> bool {
        self.comes.is_empty()
    }

    /// `what` stays, for this reason.
    pub(super) fn stays(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.stays.push((what.into(), why.into()));
    }

    /// The setting `key` becomes `value`, unless it is set here or does not fit. `from` is what it is there.
    pub(super) fn setting(&mut self, from: &str, key: &'static str, value: Value) {
        let at = format!("/{}", key.replace('.', "/"));
        let found = |config: &AgentConfig| {
            serde_json::to_value(config).ok().and_then(|config| config.pointer(&at).cloned())
        };
        let tried = self.settings().and_then(|mut config| {
            let (now, first) = (found(config.settings()), found(&AgentConfig::default()));
            if now.as_ref() != Some(&value) && now != first {
                return Err(format!("{key} is set here already"));
            }
            config.set(key, value.clone()).map_err(|error| match error {
                home::ConfigError::Value { expected, .. } => format!("{key} has to be {expected}"),
                error => error.to_string(),
            })
        });
        match tried {
            Ok(()) => {
                let shown = format!("{from}, as {key} in agent/config.json: {value}");
                self.comes.push((shown, Coming::Setting(key, value)));
            }
            Err(why) => self.stays(from, why),
        }
    }

    /// The secret `name` becomes `value` in .env, unless there is one. Its value is never shown.
    pub(super) fn secret(&mut self, from: &str, name: &'static str, value: &str) {
        if value.trim().is_empty() {
            return;
        }
        let is_planned = self
            .comes
            .iter()
            .any(|(_, it)| matches!(it, Coming::Secret(other, _) if *other == name));
        match EnvFile::read(&self.home.env_file()) {
            Ok(there) if there.get(name).is_none() && !is_planned => {
                let secret = Coming::Secret(name, value.trim().to_owned());
                self.comes.push((format!("{from}, as {name} in .env"), secret));
            }
            Ok(_) => self.stays(from, format!("{name} is set already")),
            Err(error) => self.stays(from, error.to_string()),
        }
    }

    /// The file `to` of the home gets these bytes, unless it is there.
    pub(super) fn file(&mut self, from: &str, to: impl Into<PathBuf>, bytes: Vec<u8>) {
        let to = to.into();
        if self.home.root().join(&to).symlink_metadata().is_ok() {
            return self.stays(from, format!("{} is there already", to.display()));
        }
        self.comes.push((format!("{from}, as {}", to.display()), Coming::File(to, bytes)));
    }

    /// The list, for people.
    pub(super) fn told(&self, dir: &Path) -> String {
        let head = format!("from {} to {}:", dir.display(), self.home.root().display());
        let comes = self.comes.iter().map(|(what, _)| format!("  comes  {what}"));
        let stays = self.stays.iter().map(|(what, why)| format!("  stays  {what}: {why}"));
        std::iter::once(head).chain(comes).chain(stays).collect::<Vec<_>>().join("\n")
    }

    /// Does it all, and gives how many things have come. Files that have appeared meanwhile are left as they are.
    ///
    /// # Errors
    /// Words: what could not be written. What was written by then stays.
    pub(super) fn carry_out(self, home: &Home) -> Result<usize, String> {
        let mut config = settings::open(&home.agent_config()).map_err(|error| error.to_string())?;
        let mut count = 0;
        for (what, coming) in self.comes {
            let failed = |error: &dyn std::fmt::Display| {
                format!("{what}: {error}; what came before it is here")
            };
            match coming {
                Coming::Setting(key, value) => {
                    config.set(key, value).map_err(|error| failed(&error))?;
                }
                Coming::Secret(name, value) => {
                    EnvFile::set(&home.env_file(), name, &value).map_err(|error| failed(&error))?;
                }
                Coming::File(to, bytes) => {
                    let path = home.root().join(to);
                    if let Some(folder) = path.parent() {
                        file::make_folder(folder).map_err(|error| failed(&error))?;
                    }
                    if !file::write_missing(&path, &bytes).map_err(|error| failed(&error))? {
                        continue;
                    }
                }
            }
            count += 1;
        }
        Ok(count)
    }

    /// The settings as they would be.
    fn settings(&self) -> Result<home::ConfigFile<AgentConfig>, String> {
        settings::open(&self.trial.path().join("config.json")).map_err(|error| {
            let real = self.home.agent_config().display().to_string();
            error
                .to_string()
                .replace(&self.trial.path().join("config.json").display().to_string(), &real)
        })
    }
}

/// The bytes of a file there, if it is one and no link.
pub(super) fn bytes(path: &Path) -> Option<Vec<u8>> {
    let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    file::read(path, LIMIT).ok().flatten().filter(|_| is_file)
}
