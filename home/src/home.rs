//! Where everything lives.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use etcetera::BaseStrategy;

use crate::FileError;
use crate::file;
use crate::format::{self, FormatError};
use crate::lock::{self, holder};

/// The folder that holds `.env`, `workspace/`, `agent/` and `router/`.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
    /// Keeps restores, upgrades and rollbacks away while somebody works here.
    _shared: Option<Arc<File>>,
}

/// No folder can serve as the home.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Something else stands at the path.
    #[error("{} is not a folder: give --home (or SAFECLAW_HOME) a folder", .0.display())]
    NotAFolder(PathBuf),
    /// The user has no home directory to put a data folder into.
    #[error("can't tell where your data belongs: set HOME, or name a folder with --home")]
    NoUser(#[source] etcetera::HomeDirError),
    /// The folder is missing and can't be made.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is another user's, and root can't become that user.
    #[error("{} belongs to {user}: run this as {user}, for root can't become that user here ({error})", home.display())]
    Owner {
        /// The home.
        home: PathBuf,
        /// Whose it is.
        user: String,
        /// Why not.
        error: std::io::Error,
    },
    /// Its files are being put in their places.
    #[error(
        "{} restores, upgrades or rolls back {} right now: start this again when it has ended; nothing was changed",
        holder(*pid), home.display()
    )]
    Changing {
        /// The home.
        home: PathBuf,
        /// The id of the process that does it, unless it has not yet written it down.
        pid: Option<u32>,
    },
    /// This program can't work in it.
    #[error(transparent)]
    Format(#[from] FormatError),
}

impl Home {
    /// The folder `given`; without one the current directory if it holds `workspace/` and `router/`, and
    /// else the user's data folder (`$XDG_DATA_HOME/safeclaw`, usually `~/.local/share/safeclaw`).
    ///
    /// An empty path counts as none. A missing folder is made, readable by its owner alone, for it will
    /// hold private things. One in which nobody has worked yet is given its [`crate::HomeFormat`].
    ///
    /// # Errors
    /// [`HomeError`] names the path and what to do, also where a newer program has worked there.
    pub fn find(given: Option<&Path>) -> Result<Self, HomeError> {
        let home = Self::open(given)?;
        format::enter(home.root())?;
        Ok(home)
    }

    /// The same for whoever may still leave everything as it is: the folder is made, and nothing is written in it.
    ///
    /// No restore, upgrade or rollback begins before the value and its copies are dropped.
    ///
    /// # Errors
    /// As for [`Home::find`].
    pub fn open(given: Option<&Path>) -> Result<Self, HomeError> {
        let home = Self::at(&Self::chosen(given)?)?;
        let shared = lock::share(home.root());
        let changing = lock::holder_of(&home.change_lock())?;
        let (Ok(shared), None) = (shared, changing) else {
            return Err(HomeError::Changing { home: home.root, pid: changing.flatten() });
        };
        format::HomeFormat::usable(home.root())?;
        Ok(Self { _shared: shared.map(Arc::new), ..home })
    }

    /// The same folder, which need not be there and is not made; whatever its format.
    ///
    /// # Errors
    /// As for [`Home::find`].
    pub fn locate(given: Option<&Path>) -> Result<Self, HomeError> {
        Self::named(&Self::chosen(given)?)
    }

    fn chosen(given: Option<&Path>) -> Result<PathBuf, HomeError> {
        let here = std::env::current_dir().ok();
        Self::choose(given, here.as_deref(), || {
            let user = etcetera::choose_base_strategy().map_err(HomeError::NoUser)?;
            Ok(user.data_dir().join("safeclaw"))
        })
    }

    fn choose(
        given: Option<&Path>,
        here: Option<&Path>,
        data: impl FnOnce() -> Result<PathBuf, HomeError>,
    ) -> Result<PathBuf, HomeError> {
        let given = given.filter(|path| !path.as_os_str().is_empty());
        let inhabited = here.filter(|path| is_inhabited(path));
        given.or(inhabited).map_or_else(data, |path| Ok(path.to_owned()))
    }

    /// The home at exactly this path; the folder is made when it is missing.
    ///
    /// # Errors
    /// [`HomeError`] names the path and what to do.
    pub fn at(path: &Path) -> Result<Self, HomeError> {
        let home = Self::named(path)?;
        file::make_folder(&home.root)?;
        Ok(home)
    }

    fn named(path: &Path) -> Result<Self, HomeError> {
        let root = std::path::absolute(path).map_err(|e| FileError::new("find", path, e))?;
        if root.exists() && !root.is_dir() {
            return Err(HomeError::NotAFolder(root));
        }
        Ok(Self { root, _shared: None })
    }

    /// The folder itself, as an absolute path.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `.env`: what the agent and the router may both know. It is never created.
    #[must_use]
    pub fn env_file(&self) -> PathBuf {
        self.root.join(".env")
    }

    /// `workspace/`: the agent's own files.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.root.join("workspace")
    }

    /// `workspace/agent.lock`: held by the one agent that works in the workspace.
    #[must_use]
    pub fn agent_lock(&self) -> PathBuf {
        self.workspace().join("agent.lock")
    }

    /// `workspace/agent.log`: what the agent logs.
    #[must_use]
    pub fn agent_log(&self) -> PathBuf {
        self.workspace().join("agent.log")
    }

    /// `workspace/agent.log.1`: the log before it, which was full.
    #[must_use]
    pub fn agent_log_before(&self) -> PathBuf {
        self.workspace().join("agent.log.1")
    }

    /// `change.lock`: held while a restore, an upgrade or a rollback goes on, so that nobody starts to work here meanwhile.
    #[must_use]
    pub fn change_lock(&self) -> PathBuf {
        self.root.join("change.lock")
    }

    /// `agent/config.json`: the agent's settings.
    #[must_use]
    pub fn agent_config(&self) -> PathBuf {
        self.root.join("agent/config.json")
    }

    /// What was chosen in a chat and is to be taken over into [`Self::agent_config`] at the next start.
    #[must_use]
    pub fn choices(&self) -> PathBuf {
        self.workspace().join("chosen.json")
    }

    /// `router/`: everything that the router alone reads and writes.
    #[must_use]
    pub fn router(&self) -> PathBuf {
        self.root.join("router")
    }

    /// `router/config.json`: the router's settings.
    #[must_use]
    pub fn router_config(&self) -> PathBuf {
        self.router().join("config.json")
    }

    /// `router/.env`: the skills' secrets. It is never created.
    #[must_use]
    pub fn router_env(&self) -> PathBuf {
        self.router().join(".env")
    }

    /// `router/skills/`: a folder for each skill.
    #[must_use]
    pub fn router_skills(&self) -> PathBuf {
        self.router().join("skills")
    }

    /// `router/audit/`: the audit files, one for each router.
    #[must_use]
    pub fn router_audit(&self) -> PathBuf {
        self.router().join("audit")
    }

    /// `router/log/`: the router's own log and those of its skills.
    #[must_use]
    pub fn router_log(&self) -> PathBuf {
        self.router().join("log")
    }

    /// `router/log/safeclaw-router.log`: what a router logs that is started beside an agent. No skill's log has that name.
    #[must_use]
    pub fn router_own_log(&self) -> PathBuf {
        self.router_log().join("safeclaw-router.log")
    }

    /// `router/state/`: what a router must remember when no Redis remembers it.
    #[must_use]
    pub fn router_state(&self) -> PathBuf {
        self.router().join("state")
    }
}

fn is_inhabited(path: &Path) -> bool {
    path.join("workspace").is_dir() && path.join("router").is_dir()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Places {
        folder: tempfile::TempDir,
    }

    impl Places {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("here")).unwrap();
            Self { folder }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn choose(&self, given: Option<&Path>) -> Result<PathBuf, HomeError> {
            let here = self.path("here");
            let chosen = Home::choose(given, Some(&here), || Ok(self.path("data/safeclaw")))?;
            Ok(Home::at(&chosen)?.root().to_owned())
        }
    }

    #[test]
    fn the_given_folder_wins_and_is_made() {
        let places = Places::new();
        let given = places.path("a/b");
        assert_eq!(places.choose(Some(&given)).unwrap(), given);
        assert!(given.is_dir());
    }

    #[test]
    fn the_current_directory_needs_both_rooms() {
        let places = Places::new();
        fs::create_dir(places.path("here/workspace")).unwrap();
        assert_eq!(places.choose(None).unwrap(), places.path("data/safeclaw"));
        fs::create_dir(places.path("here/router")).unwrap();
        assert_eq!(places.choose(None).unwrap(), places.path("here"));
    }

    #[test]
    fn an_empty_path_counts_as_none() {
        let places = Places::new();
        assert_eq!(places.choose(Some(Path::new(""))).unwrap(), places.path("data/safeclaw"));
    }

    #[test]
    fn a_home_that_is_only_located_is_not_made() {
        let places = Places::new();
        let home = Home::locate(Some(&places.path("new"))).unwrap();
        assert_eq!(home.root(), places.path("new"));
        assert!(!places.path("new").exists());
    }

    #[test]
    fn nobody_comes_into_a_home_while_its_files_are_put_in_their_places() {
        let places = Places::new();
        let home = Home::at(&places.path("home")).unwrap();
        let held = crate::Lock::take(&home.change_lock()).unwrap();
        for come in [Home::find, Home::open] {
            let error = come(Some(home.root())).unwrap_err().to_string();
            let wanted = format!(
                "process {} restores, upgrades or rolls back {} right now: start this again when it has ended; nothing was changed",
                std::process::id(),
                home.root().display()
            );
            assert_eq!(error, wanted);
        }
        assert!(!home.root().join("format.json").exists());
        drop(held);
        Home::find(Some(home.root())).unwrap();
    }

    #[test]
    fn nobody_has_the_home_alone_while_somebody_works_there_and_nobody_comes_in_then() {
        let places = Places::new();
        let (root, other) = (places.path("home"), places.path("other"));
        let working = Home::open(Some(&root)).unwrap();
        let beside = Home::open(Some(&root)).unwrap();
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0, "nothing is written");
        let copy = working.clone();
        drop((working, beside));
        let error = crate::Lock::whole(&root).unwrap_err().to_string();
        let me = std::process::id();
        let wanted = format!("process {me} works here already ({})", root.display());
        assert!(error.starts_with(&wanted), "{error}");
        drop(copy);
        let held = crate::Lock::whole(&root).unwrap();
        assert!(matches!(Home::find(Some(&root)), Err(HomeError::Changing { .. })));
        Home::find(Some(&other)).unwrap();
        drop(held);
        Home::find(Some(&root)).unwrap();
    }

    #[test]
    fn a_new_home_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let places = Places::new();
        let root = places.choose(None).unwrap();
        assert_eq!(fs::metadata(root).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_file_is_no_home() {
        let places = Places::new();
        let taken = places.path("taken");
        fs::write(&taken, "").unwrap();
        let error = places.choose(Some(&taken)).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("{} is not a folder: give --home (or SAFECLAW_HOME) a folder", taken.display())
        );
    }

    #[test]
    fn a_relative_path_is_made_absolute() {
        assert!(Home::at(Path::new(".")).unwrap().root().is_absolute());
    }
}
