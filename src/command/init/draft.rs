//! A copy of the settings, which the questions change. The home's own files stay as they are until it is kept.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use agent::cli::carry_telegram;
use home::{EnvFile, FileError, Home, HomeError, Lock, LockError, file};
use router::{PinFault, PinWish};
use settings::{Settings, SettingsError};
use tempfile::TempDir;

/// Where secrets are.
const ENV: &str = ".env";

/// The files that a set-up may change, below the home.
const FILES: [&str; 5] =
    [ENV, "agent/config.json", "router/config.json", "router/policy.toml", CHOICES];

/// What was chosen in a chat, which the next start would take over: a set-up does so first, or it would be undone then.
const CHOICES: &str = "workspace/chosen.json";

/// A file that will be other than it is: its name, and what it will hold; none is removed.
type Change = (&'static str, Option<Vec<u8>>);

/// What the router keeps of a PIN. It is in no draft: the router alone writes it.
const PIN: &str = "router/pin.json";

/// What the Telegram channel has taken. A draft holds what pairing adds to it.
const TELEGRAM: &str = "workspace/telegram.json";

/// The largest of them, in bytes.
const LIMIT: u64 = 1024 * 1024;

/// How the name of a draft's folder begins. It may hold secrets, as `.env` does.
const PREFIX: &str = ".init-";

/// Held while a draft is in use, in its folder.
const LOCK: &str = "init.lock";

/// The settings as they will be.
pub(super) struct Draft {
    real: Home,
    home: Home,
    /// What stood in each file that is there, when the draft was made.
    before: Vec<Option<Vec<u8>>>,
    /// What is to become of the PIN.
    pin: RefCell<Option<PinWish>>,
    /// Why the model that was kept does not answer.
    silent: RefCell<Option<String>>,
    _lock: Lock,
    _folder: TempDir,
}

/// Why there is no draft, or why it was not kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum DraftError {
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error("{} can't be removed", .0.display())]
    Remove(PathBuf, #[source] io::Error),
    #[error("{} was changed meanwhile, so nothing was written; start again", .0.display())]
    Changed(PathBuf),
    #[error("somebody has removed this set-up's draft, so nothing was written; start again")]
    Gone,
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(transparent)]
    Pin(#[from] PinFault),
}

impl Draft {
    /// A copy of the settings of `real`, in a folder of it that its owner alone can read.
    pub(super) fn of(real: Home) -> Result<Self, DraftError> {
        let root = real.root().to_owned();
        remove_older(&root);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&root);
        let folder = folder.map_err(|error| FileError::new("make a draft in", &root, error))?;
        let lock = Lock::take(&folder.path().join(LOCK))?;
        let home = Home::at(folder.path())?;
        let mut before = Vec::new();
        for name in FILES {
            let bytes = file::read(&real.root().join(name), LIMIT)?;
            if let Some(bytes) = &bytes {
                file::write(&home.root().join(name), bytes)?;
            }
            before.push(bytes);
        }
        let choices = before.last().and_then(Option::as_deref);
        // What is no choice stays, and the next start tells of it.
        if let Some(choices) = choices
            && Settings::take_choices(&home)?.is_some()
        {
            file::write(&home.choices(), choices)?;
        }
        let (pin, silent) = (RefCell::default(), RefCell::default());
        Ok(Self { real, home, before, pin, silent, _lock: lock, _folder: folder })
    }

    /// The home that the questions change.
    pub(super) fn home(&self) -> &Home {
        &self.home
    }

    /// The home that it is a draft of.
    pub(super) fn real(&self) -> &Home {
        &self.real
    }

    /// What is to become of the PIN; nothing where it stays as it is.
    pub(super) fn pin(&self) -> Option<PinWish> {
        self.pin.borrow().clone()
    }

    /// Has this become of the PIN once the draft is kept.
    pub(super) fn wish_pin(&self, wish: Option<PinWish>) {
        *self.pin.borrow_mut() = wish;
    }

    /// Why the model that was kept does not answer; nothing where it does, or none was tried.
    pub(super) fn silent(&self) -> Option<String> {
        self.silent.borrow().clone()
    }

    /// The model that is set was tried, and this is why it does not answer, if it does not.
    pub(super) fn note_silent(&self, why: Option<String>) {
        *self.silent.borrow_mut() = why;
    }

    /// The files that will be other than they are, by their names below the home.
    pub(super) fn changed(&self) -> Result<Vec<&'static str>, DraftError> {
        let pin = self.pin().map(|_| PIN);
        let paired = self.home.root().join(TELEGRAM).exists().then_some(TELEGRAM);
        let files = self.changes()?.into_iter().map(|(name, _)| name);
        Ok(files.chain(pin).chain(paired).collect())
    }

    /// Writes every file that changes. Nothing is written when one of them was changed by somebody else.
    pub(super) fn keep(self) -> Result<(), DraftError> {
        let changes = self.changes()?;
        for (name, before) in FILES.iter().zip(&self.before) {
            let path = self.real.root().join(name);
            if changes.iter().any(|(changed, _)| changed == name)
                && file::read(&path, LIMIT)? != *before
            {
                return Err(DraftError::Changed(path));
            }
        }
        // The router may have a reason to refuse; then nothing has changed.
        if let Some(wish) = self.pin() {
            wish.fulfil(&self.real)?;
        }
        let [paired, telegram] = [&self.home, &self.real].map(|home| home.root().join(TELEGRAM));
        carry_telegram(&paired, &telegram)?;
        for (name, bytes) in changes {
            let path = self.real.root().join(name);
            match bytes {
                Some(bytes) if name == ENV => EnvFile::write(&path, &bytes)?,
                Some(bytes) => file::write(&path, &bytes)?,
                None => {
                    std::fs::remove_file(&path).map_err(|error| DraftError::Remove(path, error))?
                }
            }
        }
        Ok(())
    }

    fn changes(&self) -> Result<Vec<Change>, DraftError> {
        let mut changes = Vec::new();
        for (name, before) in FILES.into_iter().zip(&self.before) {
            let now = file::read(&self.home.root().join(name), LIMIT)?;
            // The choices alone are ever removed: the settings take them over.
            if now.is_none() && before.is_some() && name != CHOICES {
                return Err(DraftError::Gone);
            }
            changes.extend((now != *before).then_some((name, now)));
        }
        Ok(changes)
    }
}

/// Removes the drafts of set-ups that were killed, and none that is in use.
fn remove_older(root: &Path) {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX)) {
        let Ok(_lock) = Lock::take(&entry.path().join(LOCK)) else { continue };
        // What can't be removed now is tried again the next time.
        let _ = std::fs::remove_dir_all(entry.path());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_set_up_leaves_the_draft_of_the_first_and_one_that_is_gone_removes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let home = || Home::at(folder.path()).unwrap();
        let env = folder.path().join(ENV);
        std::fs::write(&env, "A=1\n").unwrap();
        let first = Draft::of(home()).unwrap();
        drop(Draft::of(home()).unwrap());
        assert_eq!(first.changed().unwrap(), Vec::<&str>::new());
        std::fs::remove_dir_all(first.home().root()).unwrap();
        assert!(matches!(first.keep(), Err(DraftError::Gone)));
        assert_eq!(std::fs::read_to_string(&env).unwrap(), "A=1\n");
    }
}
