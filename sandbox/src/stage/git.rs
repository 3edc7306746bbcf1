//! Keeps what git runs and believes by itself from being changed in a folder that a skill may write to.
//!
//! Hooks and settings are run by the owner's git, outside: whoever may write them may do anything there. So they are locked,
//! and the repository is a mount of its own, which can't be renamed, removed or exchanged.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::bind::lock_in_place;

/// What of a repository the owner's git runs, or lets name what it runs, or where that is (gitrepository-layout(5)).
const TRUSTED: [&str; 5] = ["hooks", "config", "config.worktree", "info/attributes", "commondir"];

/// How deep repositories of submodules and worktrees are looked for.
const DEPTH: usize = 6;

/// How many folders are looked into for repositories inside the project.
const FOLDERS: usize = 20_000;

/// Locks it in the folder at `project`, as it is seen inside, and in the repositories that lie in it.
///
/// # Errors
/// What the kernel answered, or which link can't be kept from being exchanged.
pub(super) fn lock(project: &Path) -> io::Result<()> {
    let mut waiting = vec![(project.to_owned(), 0)];
    let (mut looked, mut found, mut above) = (0, Vec::new(), BTreeSet::new());
    while let Some((folder, depth)) = waiting.pop() {
        if is_there(&folder.join(".git"))? {
            let on_the_way = folder.ancestors().take_while(|above| *above != project);
            above.extend(on_the_way.map(Path::to_owned));
            found.push(folder.clone());
        }
        looked += 1;
        if depth == DEPTH || looked >= FOLDERS {
            continue;
        }
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && entry.file_name() != ".git"
        });
        waiting.extend(folders.map(|entry| (entry.path(), depth + 1)));
    }
    // Mounts as well, or a folder above could be renamed and another put in its place; the upper ones first, which show the lower.
    for folder in above {
        lock_in_place(&folder, true)?;
    }
    found.iter().try_for_each(|folder| lock_one(folder))
}

fn lock_one(folder: &Path) -> io::Result<()> {
    let git = folder.join(".git");
    match fs::symlink_metadata(&git) {
        Ok(facts) if facts.is_dir() => lock_in_place(&git, true)?,
        // A worktree or a submodule: it says where its repository is.
        Ok(facts) if facts.is_file() => return lock_in_place(&git, false),
        _ => return Ok(()),
    }
    let mut repositories = vec![git.clone()];
    for inner in ["modules", "worktrees"] {
        repositories_in(&git.join(inner), DEPTH, &mut repositories);
    }
    for repository in repositories {
        let hooks = repository.join("hooks");
        if repository == git && !is_there(&hooks)? {
            // Locked while it is empty: otherwise the first hook could be written.
            fs::create_dir(&hooks)?;
        }
        let elsewhere = repository.join("commondir");
        if !is_there(&elsewhere)? {
            // Git takes hooks and settings from where this says; it says what is so without it.
            make(&elsewhere, ".\n")?;
        }
        let own = repository.join("config.worktree");
        if !is_there(&own)? && names_own_settings(&repository.join("config")) {
            make(&own, "")?;
        }
        for trusted in TRUSTED.map(|trusted| repository.join(trusted)) {
            if is_there(&trusted)? {
                lock_in_place(&trusted, false)?;
            }
        }
    }
    Ok(())
}

/// Makes the file at `path`, where none may be: what another process puts there meanwhile, such as a link that leads out of the
/// project, is not written to.
fn make(path: &Path, text: &str) -> io::Result<()> {
    File::create_new(path)?.write_all(text.as_bytes())
}

/// Whether git reads settings of each worktree's own, too (git-worktree(1), `extensions.worktreeConfig`).
fn names_own_settings(config: &Path) -> bool {
    let text = fs::read_to_string(config).unwrap_or_default();
    text.to_ascii_lowercase().contains("worktreeconfig")
}

/// Whether something stands at `path`.
///
/// # Errors
/// When it is a link: nothing keeps that from being exchanged.
fn is_there(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(facts) if facts.is_symlink() => Err(io::Error::other(format!(
            "{} is a link, so it can't be kept from being exchanged: put what it leads to in its place",
            path.display()
        ))),
        found => Ok(found.is_ok()),
    }
}

/// The repositories at and below `folder`: what has a HEAD.
fn repositories_in(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
    {
        let path = entry.path();
        if path.join("HEAD").is_file() {
            found.push(path.clone());
        }
        if depth > 0 && !path.join("objects").is_dir() {
            repositories_in(&path, depth - 1, found);
        } else if depth > 0 {
            repositories_in(&path.join("modules"), depth - 1, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_is_refused_where_a_lock_would_be() {
        let project = tempfile::tempdir().unwrap();
        let hooks = project.path().join("hooks");
        assert!(!is_there(&hooks).unwrap());
        symlink("../elsewhere", &hooks).unwrap();
        assert!(is_there(&hooks).unwrap_err().to_string().contains("hooks is a link"));
        symlink("elsewhere.git", project.path().join(".git")).unwrap();
        assert!(lock(project.path()).unwrap_err().to_string().contains(".git is a link"));
        fs::remove_file(project.path().join(".git")).unwrap();
        fs::create_dir(project.path().join("inner")).unwrap();
        symlink("elsewhere.git", project.path().join("inner/.git")).unwrap();
        assert!(lock(project.path()).unwrap_err().to_string().contains("inner/.git is a link"));
    }

    #[test]
    fn what_appears_meanwhile_is_not_written_to() {
        let project = tempfile::tempdir().unwrap();
        let [own, link] = ["own", "commondir"].map(|name| project.path().join(name));
        fs::write(&own, "the owner's").unwrap();
        symlink(&own, &link).unwrap();
        assert_eq!(make(&link, ".\n").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(own).unwrap(), "the owner's");
    }
}
