//! What `service install` writes, and how it is started.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use home::FileError;

use super::text::{self, Facts, MARK, Runs};
use super::{Scope, Systemd, SystemdError, command, names, path};

/// What `ProtectHome=yes` hides from a unit (systemd.exec(5)).
const HIDDEN: [&str; 3] = ["/home", "/root", "/run/user"];

/// What is to be installed.
#[derive(Debug)]
pub(crate) struct UnitPlan {
    /// Whose systemd starts it.
    pub(crate) scope: Scope,
    /// The name of the unit, and of the user of a unit of the system.
    pub(crate) name: String,
    /// The program.
    pub(crate) program: PathBuf,
    /// The home of a unit of a user; a unit of the system has its own below /var/lib.
    pub(crate) home: PathBuf,
    /// Whether agent and router are to be two units with two users.
    pub(crate) apart: bool,
}

/// Why it was not installed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnitError {
    /// There is no home directory.
    #[error("can't tell where your units belong: set HOME")]
    NoUser,
    /// It is somebody else's.
    #[error("{} was not written by SafeClaw: move it away, or choose another name with --name", .0.display())]
    Foreign(PathBuf),
    /// Another home has this name.
    #[error(
        "{} serves another home: remove it first, or choose another name for this one with --name",
        .0.display()
    )]
    Taken(PathBuf),
    /// Only root writes there.
    #[error(
        "only root installs a unit of the system: repeat it with sudo, or leave --system out for a unit of your own"
    )]
    NotRoot,
    /// Nothing says where the Redis is.
    #[error(
        "{} is not there: write REDIS_URL=redis://... into it first, readable by root alone (`{}` prints a user of Redis for \
         each side)", .0.display(), home::router_command("redis-acl")
    )]
    NoRedis(PathBuf),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// systemd.
    #[error(transparent)]
    Systemd(#[from] SystemdError),
    /// A unit of the system sees nothing of people's folders.
    #[error(
        "{} lies where no unit of the system can see it: copy it to /usr/local/bin, and install from there", .0.display()
    )]
    Hidden(PathBuf),
    /// It is installed and does not run.
    #[error("it is installed, and did not start: {0}; `{1}` shows why")]
    NotStarted(SystemdError, String),
}

/// A file that is written.
#[derive(Debug)]
pub(crate) struct UnitFile {
    /// Where.
    pub(crate) path: PathBuf,
    /// What.
    pub(crate) text: String,
}

impl UnitPlan {
    /// Every file of it.
    pub(crate) fn files(&self) -> Result<Vec<UnitFile>, UnitError> {
        let mut files = Vec::new();
        let [whole, agent, router] = names(&self.name);
        let parts = match self.apart {
            true => vec![(agent, Runs::Agent), (router, Runs::Router)],
            false => vec![(whole, Runs::Whole)],
        };
        if self.scope == Scope::System {
            let user = |(name, _): &(String, Runs)| {
                format!("u {name} - \"SafeClaw\" {}\n", state_folder(name).display())
            };
            let text = format!("{MARK}\n{}", parts.iter().map(user).collect::<String>());
            files.push(UnitFile { path: self.users(), text });
        }
        for (name, part) in parts {
            let own = state_folder(&name);
            let is_system = self.scope == Scope::System;
            let environment = self.environment(part);
            let facts = Facts {
                part,
                program: &self.program,
                home: if is_system { &own } else { &self.home },
                user: is_system.then_some(&name),
                environment: environment.as_deref(),
            };
            files.push(UnitFile { path: path(self.scope, &name)?, text: text::unit(&facts) });
        }
        Ok(files)
    }

    /// The file that says where the Redis of a part is.
    fn environment(&self, part: Runs) -> Option<PathBuf> {
        let side = match part {
            Runs::Whole => return None,
            Runs::Agent => "agent",
            Runs::Router => "router",
        };
        Some(PathBuf::from(format!("/etc/{}/{side}.env", self.name)))
    }

    /// Where each of its units keeps what it knows, that of the agent first.
    pub(crate) fn homes(&self) -> Vec<PathBuf> {
        if self.scope == Scope::User {
            return vec![self.home.clone()];
        }
        let [whole, agent, router] = names(&self.name);
        let names = if self.apart { vec![agent, router] } else { vec![whole] };
        names.iter().map(|name| state_folder(name)).collect()
    }

    /// The file that names the users.
    fn users(&self) -> PathBuf {
        PathBuf::from(format!("/etc/sysusers.d/{}.conf", self.name))
    }

    /// Whether its units can see the program.
    fn is_seen(&self) -> bool {
        self.scope == Scope::User || !HIDDEN.iter().any(|folder| self.program.starts_with(folder))
    }

    /// The units, by their full names.
    pub(crate) fn units(&self) -> Vec<String> {
        let [whole, agent, router] = names(&self.name).map(|name| format!("{name}.service"));
        if self.apart { vec![agent, router] } else { vec![whole] }
    }

    /// Writes the files, and has systemd start the units now and from now on. Where systemd can't be asked, nothing is written.
    pub(crate) fn install(&self, starts: bool) -> Result<Vec<UnitFile>, UnitError> {
        if self.scope == Scope::System && !rustix::process::geteuid().is_root() {
            return Err(UnitError::NotRoot);
        }
        if !self.is_seen() {
            return Err(UnitError::Hidden(self.program.clone()));
        }
        let systemd = Systemd::of(self.scope);
        let files = self.files()?;
        if self.apart {
            let missing = [Runs::Agent, Runs::Router].map(|part| self.environment(part));
            if let Some(path) = missing.into_iter().flatten().find(|path| !path.exists()) {
                return Err(UnitError::NoRedis(path));
            }
        }
        for file in &files {
            may_write(file, &self.home)?;
        }
        systemd.control(&["show", "--property", "Version"])?;
        for file in &files {
            if let Some(folder) = file.path.parent() {
                fs::create_dir_all(folder)
                    .map_err(|error| FileError::new("make", folder, error))?;
            }
            home::file::write(&file.path, file.text.as_bytes())?;
        }
        if self.scope == Scope::System {
            systemd.make_users(self.users().as_os_str())?;
            for home in self.homes() {
                home::make_for(&home, user_of(&home))?;
            }
        }
        systemd.control(&["daemon-reload"])?;
        let units = self.units();
        systemd.control(&with("enable", &units))?;
        if starts {
            // What runs already is to be what was written just now.
            let look = command("logs", self.scope, &self.name);
            let started = systemd.control(&with("restart", &units));
            started.map_err(|error| UnitError::NotStarted(error, look))?;
        }
        Ok(files)
    }
}

/// Where a unit of the system keeps what it knows.
fn state_folder(name: &str) -> PathBuf {
    Path::new("/var/lib").join(name)
}

/// The user to whom the home of a unit of the system belongs.
pub(crate) fn user_of(home: &Path) -> &str {
    home.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// A word of systemctl and the units that it is about.
pub(super) fn with(word: &str, units: &[String]) -> Vec<String> {
    std::iter::once(word.to_owned()).chain(units.iter().cloned()).collect()
}

/// Whether the place of a file is free, or holds what was written there for the same home.
fn may_write(file: &UnitFile, home: &Path) -> Result<(), UnitError> {
    let path = &file.path;
    let held = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        held => held.map_err(|error| FileError::new("read", path, error))?,
    };
    let is_unit = path.extension().is_some_and(|end| end == "service");
    if !held.starts_with(MARK) {
        Err(UnitError::Foreign(path.clone()))
    } else if is_unit
        && file.text.contains(&text::quoted(home))
        && !held.contains(&text::quoted(home))
    {
        Err(UnitError::Taken(path.clone()))
    } else {
        Ok(())
    }
}
