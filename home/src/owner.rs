//! Root works in a home as the user to whom it belongs.

use std::ffi::CString;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

use nix::unistd::{self, Gid, Uid, User};

use crate::{FileError, Home, HomeError, file};

impl Home {
    /// Has this process go on as the owner of the home `given` (as for [`Home::find`]) when root has started it and the home is
    /// another user's, and says so on stderr. Else each file that it makes there would be root's, and would shut that user
    /// out of its own home. Nothing happens while there is no such folder. Call it before anything is opened.
    ///
    /// # Errors
    /// [`HomeError::Owner`] when the system does not let it; else as for [`Home::locate`].
    pub fn as_owner(given: Option<&Path>) -> Result<(), HomeError> {
        if !unistd::geteuid().is_root() {
            return Ok(());
        }
        let home = Self::locate(given)?;
        let Ok(folder) = std::fs::metadata(home.root()) else { return Ok(()) };
        let owner = Uid::from_raw(folder.uid());
        if owner.is_root() {
            return Ok(());
        }
        let user = User::from_uid(owner).ok().flatten();
        let group = user.as_ref().map_or(Gid::from_raw(folder.gid()), |user| user.gid);
        let name = user.map_or_else(|| owner.to_string(), |user| user.name);
        if let Err(error) = become_user(owner, group, &name) {
            return Err(HomeError::Owner { home: home.root().to_owned(), user: name, error });
        }
        crate::say_on_stderr!("working as {name}, to whom {} belongs", home.root().display());
        Ok(())
    }
}

/// Makes the folder `path`, readable by its owner alone, and gives it to the user of this name. One that is there stays as it is.
///
/// # Errors
/// [`FileError`], also when there is no such user.
pub fn make_for(path: &Path, user: &str) -> Result<(), FileError> {
    if path.is_dir() {
        return Ok(());
    }
    let made = || {
        let user = User::from_name(user)?
            .ok_or_else(|| io::Error::other(format!("there is no user {user}")))?;
        file::create_folder(path)?;
        chown(path, Some(user.uid.as_raw()), Some(user.gid.as_raw()))
    };
    made().map_err(|error| FileError::new("make", path, error))
}

fn become_user(owner: Uid, group: Gid, name: &str) -> io::Result<()> {
    unistd::initgroups(&CString::new(name)?, group)?;
    unistd::setresgid(group, group, group)?;
    unistd::setresuid(owner, owner, owner)?;
    Ok(())
}
