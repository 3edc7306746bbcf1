//! Repositories that the index of a project names inside it. `git status` in the project runs what their settings say, as it does
//! for submodules (gitsubmodules(7)), so none that a task has made may stand there.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use crate::beneath::{Beneath, is_absent};

/// The largest index that is read, in bytes: that of some millions of files.
const LARGEST: u64 = 512 * 1024 * 1024;

/// The longest file that says where a repository is, in bytes.
const LONGEST: u64 = 64 * 1024;

/// How a repository in the project is called, a folder or a file that says where it is.
const GIT: &str = ".git";

/// The bits of an entry's mode that say what it is, and what they are for a commit of another repository
/// (gitformat-index(5)).
const KIND: u32 = 0o170_000;
const COMMIT: u32 = 0o160_000;

/// The folders in the project at `folder` that its index takes for repositories and that are some now, with those that their
/// indexes name.
///
/// # Errors
/// When an index can't be read. A project without one has none.
pub fn repositories(folder: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let project = Beneath::open(folder)?;
    let (mut found, mut waiting) = (BTreeSet::new(), vec![PathBuf::new()]);
    while let Some(at) = waiting.pop() {
        let Some(own) = own(&project, folder, &at)? else { continue };
        for path in named(&own)?.into_iter().map(|path| at.join(path)) {
            let inner = project.folder(&path);
            let is_one = inner.is_ok_and(|inner| inner.facts(OsStr::new(GIT)).is_ok());
            if is_one && found.insert(path.clone()) {
                waiting.push(path);
            }
        }
    }
    Ok(found)
}

/// Where the repository at `at` keeps its index; none where that is outside of the project, in which nobody has written, or there
/// is no repository.
fn own(project: &Beneath, folder: &Path, at: &Path) -> io::Result<Option<Beneath>> {
    let place = project.folder(at)?;
    match place.facts(OsStr::new(GIT)) {
        Ok(facts) if facts.is_dir() => place.folder(Path::new(GIT)).map(Some),
        // It says where it is (gitrepository-layout(5)).
        Ok(_) => {
            let mut text = String::new();
            place.read(OsStr::new(GIT))?.take(LONGEST).read_to_string(&mut text)?;
            let named = text.trim_start_matches("gitdir:").trim();
            let Ok(inner) =
                plain(&folder.join(at).join(named)).strip_prefix(folder).map(PathBuf::from)
            else {
                return Ok(None);
            };
            match project.folder(&inner) {
                Err(error) if is_absent(&error) => Ok(None),
                found => found.map(Some),
            }
        }
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `path` without `.` and `..`, as it reads where no link is on the way.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The commits in the index of the repository in `own`, or in the parts into which it is split.
fn named(own: &Beneath) -> io::Result<BTreeSet<PathBuf>> {
    let is_index =
        |name: &OsString| name == "index" || name.as_encoded_bytes().starts_with(b"sharedindex.");
    let mut found = BTreeSet::new();
    for name in own.names()?.into_iter().filter(is_index) {
        let mut bytes = Vec::new();
        own.read(&name)?.take(LARGEST).read_to_end(&mut bytes)?;
        // SHA-1 and SHA-256. Read the wrong way it names nothing that is there; what git can't read names nothing, either.
        found.extend([20, 32].into_iter().filter_map(|hash| commits(&bytes, hash)).flatten());
    }
    Ok(found)
}

/// Gives each repository of [`repositories`] that is not among `known` another name, so that git finds none there, and tells where
/// they are now.
///
/// # Errors
/// When one stays: nobody should use git in the project then.
pub(crate) fn set_aside(folder: &Path, known: &BTreeSet<PathBuf>) -> io::Result<Vec<PathBuf>> {
    let project = Beneath::open(folder)?;
    let mut moved = Vec::new();
    for path in repositories(folder)?.difference(known) {
        let inner = project.folder(path)?;
        let names = (1..).map(|number| OsString::from(format!("{GIT}.set-aside-{number}")));
        let free = names.into_iter().find(|name| inner.facts(name).is_err_and(|e| is_absent(&e)));
        let name = free.ok_or(io::ErrorKind::StorageFull)?;
        fs::rename(inner.at(OsStr::new(GIT)), inner.at(&name))?;
        moved.push(path.join(name));
    }
    Ok(moved)
}

/// The paths of the commits in an index whose object names have `hash` bytes; `None` when it is no such index.
fn commits(index: &[u8], hash: usize) -> Option<Vec<PathBuf>> {
    let (head, mut rest) = index.split_at_checked(12)?;
    let number = |bytes: &[u8]| bytes.try_into().map(u32::from_be_bytes).ok();
    let (version, count) = (number(&head[4..8])?, number(&head[8..12])?);
    if !head.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let (mut name, mut found) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (mode, flags) = (rest.get(24..28)?, rest.get(40 + hash..42 + hash)?);
        let is_long = version > 2 && flags[0] & 0x40 != 0;
        let before = 42 + hash + if is_long { 2 } else { 0 };
        let is_commit = number(mode)? & KIND == COMMIT;
        let mut text = rest.get(before..)?;
        if version == 4 {
            // Each name begins as the one before does, less so many bytes.
            let (less, behind) = variable(text)?;
            name.truncate(name.len().checked_sub(less)?);
            text = behind;
        } else {
            name.clear();
        }
        let length = text.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&text[..length]);
        let end = match version {
            4 => rest.len() - text.len() + length + 1,
            // Up to a multiple of eight, with a zero at least.
            _ => (before + length + 8) / 8 * 8,
        };
        rest = rest.get(end..)?;
        if is_commit {
            found.push(PathBuf::from(OsString::from_vec(name.clone())));
        }
    }
    (rest.len() >= hash).then_some(found)
}

/// A number of as many bytes as it needs, and what stands behind it (gitformat-pack(5), offset encoding).
fn variable(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (mut value, mut place) = (0_usize, 0);
    loop {
        let byte = *bytes.get(place)?;
        value = value.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        place += 1;
        if byte & 128 == 0 {
            return Some((value, &bytes[place..]));
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_types, reason = "git itself is asked")]

    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, words: &[&str]) -> String {
        let mut git = Command::new("git");
        let who = ["-c", "user.name=x", "-c", "user.email=x@y", "-c", "safe.directory=*"];
        git.arg("-C").arg(folder).args(who).args(words).env("HOME", folder);
        let output = git.output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A project with files whose names share beginnings, and a repository `evil` that runs a program on `git status`.
    fn project(version: &str, objects: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        git(folder.path(), &["init", "-q", objects]);
        git(folder.path(), &["config", "index.version", version]);
        for name in ["eve", "evil0/a", "evil0/ab", "zz/0123456789", "zz/0123456789a"] {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), name).unwrap();
        }
        fs::create_dir(at("evil")).unwrap();
        git(&at("evil"), &["init", "-q", objects]);
        git(&at("evil"), &["commit", "-q", "--allow-empty", "-m", "x"]);
        git(folder.path(), &["add", "."]);
        let ran = at("ran");
        let hook = at("hook.sh");
        fs::write(&hook, format!("#!/bin/sh\necho ran > '{}'\n", ran.display())).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        git(&at("evil"), &["config", "core.fsmonitor", hook.to_str().unwrap()]);
        (folder, ran)
    }

    #[test]
    fn a_repository_that_the_index_names_runs_nothing_once_it_is_set_aside() {
        for (version, objects) in [
            ("2", "--object-format=sha1"),
            ("4", "--object-format=sha1"),
            ("2", "--object-format=sha256"),
            ("4", "--object-format=sha256"),
        ] {
            let (folder, ran) = project(version, objects);
            let folder = folder.path();
            git(folder, &["status"]);
            assert!(ran.exists(), "this git runs it, so that it is worth a test");
            fs::remove_file(&ran).unwrap();
            let evil = BTreeSet::from([PathBuf::from("evil")]);
            assert_eq!(repositories(folder).unwrap(), evil, "version {version} {objects}");
            assert!(set_aside(folder, &evil).unwrap().is_empty(), "it is known");
            let moved = set_aside(folder, &BTreeSet::new()).unwrap();
            assert_eq!(moved, [PathBuf::from("evil/.git.set-aside-1")]);
            git(folder, &["status"]);
            assert!(!ran.exists(), "version {version} {objects}");
            fs::rename(folder.join(&moved[0]), folder.join("evil/.git")).unwrap();
            // A known one may name others in its index, as one that lies in the project's own does.
            let module = "[submodule \"evil\"]\npath = evil\nurl = ./evil\n";
            fs::write(folder.join(".gitmodules"), module).unwrap();
            git(folder, &["submodule", "absorbgitdirs", "evil"]);
            assert!(folder.join("evil/.git").is_file());
            git(&folder.join("evil"), &["init", "-q", objects, "deep"]);
            git(&folder.join("evil/deep"), &["commit", "-q", "--allow-empty", "-m", "x"]);
            git(&folder.join("evil"), &["add", "deep"]);
            let moved = set_aside(folder, &evil).unwrap();
            assert_eq!(moved, [PathBuf::from("evil/deep/.git.set-aside-1")]);
            git(folder, &["update-index", "--split-index"]);
            assert_eq!(repositories(folder).unwrap(), evil, "split, version {version}");
        }
    }

    #[test]
    fn what_is_no_index_names_nothing_and_ends() {
        let (folder, _) = project("4", "--object-format=sha1");
        let index = fs::read(folder.path().join(".git/index")).unwrap();
        for length in 0..index.len() {
            let _ = commits(&index[..length], 20);
        }
        for place in 0..index.len() {
            let mut broken = index.clone();
            broken[place] = 255;
            let _ = (commits(&broken, 20), commits(&broken, 32));
        }
        assert_eq!(commits(&index, 20).unwrap(), [PathBuf::from("evil")]);
        assert_eq!(repositories(tempfile::tempdir().unwrap().path()).unwrap(), BTreeSet::new());
    }
}
