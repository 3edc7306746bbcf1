//! Which folders may be opened.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use home::Home;
use nix::unistd::{AccessFlags, access};

use crate::catalog::folder::usable;

/// The folder that `named` means: a whole path, or one that begins with `~/`.
///
/// # Errors
/// Why it can't be opened, and what to do.
pub(super) fn openable(named: &str, home: &Home) -> Result<PathBuf, String> {
    let path = usable(&home::with_tilde(named), true, home.root())?;
    let shown = path.display();
    let ours = home.root().canonicalize().unwrap_or_else(|_| home.root().to_owned());
    if path.starts_with(&ours) {
        return Err(format!("{shown} lies in SafeClaw's own home: choose a folder outside"));
    }
    if is_somebodys_home(&path) {
        return Err(format!("{shown} is a home directory: name a folder below it"));
    }
    if let Err(error) = access(&path, AccessFlags::R_OK | AccessFlags::W_OK | AccessFlags::X_OK) {
        return Err(format!(
            "{shown} can't be worked in ({error}): let the router's user read and write it"
        ));
    }
    Ok(path)
}

/// Whether keys and settings of a person lie right in it, by passwd(5) or by its place.
fn is_somebodys_home(path: &Path) -> bool {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut homes = users.lines().filter_map(|user| user.split(':').nth(5));
    path.parent() == Some(Path::new("/home"))
        || path == Path::new("/root")
        || homes.any(|home| path.as_os_str() == OsStr::new(home.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use testkit::TempHome;

    use super::*;

    #[test]
    fn what_is_no_project_of_its_own_is_refused_with_what_to_do() {
        let home = TempHome::new();
        let root = home.root().canonicalize().unwrap();
        fs::create_dir_all(root.join("router/data/library")).unwrap();
        let beside = tempfile::tempdir().unwrap();
        let beside = beside.path().canonicalize().unwrap();
        fs::write(beside.join("file"), "").unwrap();
        symlink("/etc", beside.join("way")).unwrap();
        let home = Home::find(Some(&root)).unwrap();
        let said = |path: &Path| openable(path.to_str().unwrap(), &home);
        assert_eq!(said(&beside), Ok(beside.clone()));
        for (path, why) in [
            (Path::new("/"), "holds SafeClaw's own home"),
            (Path::new("/root"), "home directory"),
            (Path::new("/home"), "of many"),
            (Path::new("/etc"), "belongs to the system"),
            (Path::new("project"), "write it from / on"),
            (&beside.join("file"), "is no folder"),
            (&beside.join("missing"), "can't be used"),
            (&beside.join("way"), "there is a link on the way"),
            (&beside.join(".."), "without . and .."),
            (&root, "holds SafeClaw's own home"),
            (&root.join("router"), "lies in SafeClaw's own home"),
            (&root.join("router/data/library"), "lies in SafeClaw's own home"),
        ] {
            let refused = said(path).unwrap_err();
            assert!(refused.contains(why), "{}: {refused}", path.display());
        }
        assert!(is_somebodys_home(Path::new("/home/ada")) && !is_somebodys_home(&beside));
    }
}
