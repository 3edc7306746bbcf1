//! Finds the folders that a skill is lent, right before it is started.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use governance::Governance;
use nix::unistd::{Gid, Uid, chown, geteuid};
use protocol::{Code, Stopped};

use crate::catalog::folder::usable;
use crate::catalog::{Folder, Place, Skill};
use crate::policy;
use crate::sandbox::{Lent, UNPRIVILEGED};

/// Does what asks the file system beside everything else, at most for `wall`: a folder of a server that is gone answers nobody, and
/// holds up this call alone.
///
/// # Errors
/// What `work` says, and `timeout`.
pub(super) async fn in_time<T: Send + 'static>(
    wall: Duration,
    work: impl FnOnce() -> Result<T, Stopped> + Send + 'static,
) -> Result<T, Stopped> {
    match tokio::time::timeout(wall, tokio::task::spawn_blocking(work)).await {
        Ok(done) => done.map_err(|error| Stopped::new(Code::Internal, error.to_string()))?,
        Err(_) => Err(Stopped::new(Code::Timeout, "its folder does not answer; it was not begun")),
    }
}

/// The folders of `skill` in the home `home`; its own data folder is made if it is missing. What a person has `opened` takes
/// the place of what router/config.json names.
///
/// # Errors
/// `disabled`, with the key of router/config.json to correct.
pub(super) fn lend(
    skill: &Skill,
    home: &Path,
    opened: Option<&Path>,
) -> Result<Vec<Lent>, Stopped> {
    let one = |folder: &Folder| {
        let path = found(folder, home, opened).map_err(|why| refused(skill, folder, &why))?;
        Ok(Lent::new(&folder.name, &path, folder.write))
    };
    skill.folders.iter().map(one).collect()
}

/// The folders that router/governance.json opens, each where it is.
pub(super) fn open(governance: &Governance, home: &Path) -> Vec<Lent> {
    let opened = policy::opened(governance, home).into_iter().enumerate();
    let one = |(number, opened): (usize, policy::Opened)| Lent {
        name: format!("open{number}"),
        path: opened.path,
        write: opened.write,
        in_place: true,
        hidden: opened.hidden,
    };
    opened.map(one).collect()
}

fn found(folder: &Folder, home: &Path, opened: Option<&Path>) -> Result<PathBuf, String> {
    match (&folder.place, opened) {
        (Place::Owners(_) | Place::Unnamed, Some(opened)) => usable(opened, folder.write, home),
        (Place::Owners(path), None) => usable(path, folder.write, home),
        (Place::Unnamed, None) => Err("its owner has named none".to_owned()),
        (Place::Data(path), _) => {
            made(path).map_err(|error| format!("{} can't be made: {error}", path.display()))?;
            // Where the home is reached by a link, the folder is not to be.
            let real = path.canonicalize().map_err(|error| error.to_string())?;
            usable(&real, folder.write, home)
        }
    }
}

/// The folder `path` of router/data, made when it is missing; the path has no link on its way.
///
/// # Errors
/// The system's.
pub(crate) fn data_folder(path: &Path) -> io::Result<PathBuf> {
    made(path)?;
    path.canonicalize()
}

/// Makes the folder for its user alone: the one who runs skills, where the router is root.
fn made(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    home::file::make_folder(path).map_err(io::Error::other)?;
    if geteuid().is_root() {
        chown(path, Some(Uid::from_raw(UNPRIVILEGED)), Some(Gid::from_raw(UNPRIVILEGED)))?;
    }
    Ok(())
}

fn refused(skill: &Skill, folder: &Folder, why: &str) -> Stopped {
    let (action, name) = (skill.name(), &folder.name);
    let set = match skill.is_workbench() {
        true => "the owner opens one by /work DIR in a chat, or sets",
        false => "set",
    };
    Stopped::new(
        Code::Disabled,
        format!(
            "{action} gets no folder {name}: {why}; {set} skills.{action}.folders.{name} in router/config.json"
        ),
    )
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[tokio::test]
    async fn a_folder_that_never_answers_holds_up_its_own_call_alone() {
        let here = thread::current().id();
        let elsewhere = in_time(Duration::MAX, move || Ok(thread::current().id() != here)).await;
        assert_eq!(elsewhere, Ok(true));
        let (answer, waits) = std::sync::mpsc::channel::<()>();
        let asked = in_time(Duration::from_millis(10), move || Ok(waits.recv().is_ok())).await;
        assert_eq!(asked.unwrap_err().code, Code::Timeout);
        drop(answer);
    }
}
