//! The project as a model first sees it: two levels of its tree, the state of its repository, and what its people have
//! written for agents. All of it is text of whoever wrote it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use ignore::WalkBuilder;

use super::child::{Child, Ended};

/// What the project's people tell agents.
const FOR_AGENTS: &str = "AGENTS.md";

/// How much of one file is told, in bytes.
const TOLD: u64 = 8_000;

/// How many entries of the tree are told.
const ENTRIES: usize = 200;

/// How many lines of the repository's state are told.
const CHANGES: usize = 40;

/// How long git may take.
const GIT: Duration = Duration::from_secs(10);

/// What lies in `folder`, in sections; what is not there has none.
pub(super) fn told(folder: &Path) -> String {
    let sections = [
        Some(tree(folder)),
        state(folder).map(|state| format!("git status:\n{state}")),
        text(&folder.join(FOR_AGENTS)).map(|text| format!("{FOR_AGENTS} says:\n{text}")),
    ];
    sections.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// Two levels of what lies there, without what git ignores and without hidden files.
fn tree(folder: &Path) -> String {
    let walk = WalkBuilder::new(folder)
        .max_depth(Some(2))
        .require_git(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .build();
    let lines = walk.flatten().filter(|entry| entry.depth() > 0).map(|entry| {
        let slash = if entry.file_type().is_some_and(|kind| kind.is_dir()) { "/" } else { "" };
        let name = entry.file_name().to_string_lossy().replace(char::is_control, "?");
        format!("{}{name}{slash}", "  ".repeat(entry.depth() - 1))
    });
    let mut lines: Vec<String> = lines.take(ENTRIES + 1).collect();
    if lines.is_empty() {
        return "The folder is empty.".to_owned();
    }
    if lines.len() > ENTRIES {
        lines[ENTRIES] = "[there are more]".to_owned();
    }
    format!("The folder holds:\n{}", lines.join("\n"))
}

/// The state of the repository, if it is one and git is there. Whatever the repository has git start runs in the sandbox.
fn state(folder: &Path) -> Option<String> {
    if !folder.join(".git").exists() {
        return None;
    }
    let script = "exec git -c core.fsmonitor=false status --short --branch 1>&2";
    let mut child = Child::start("sh", &["-c", script], folder, b'\n').ok()?;
    let is_done = matches!(child.order(b"", GIT), Ended::Gone(0));
    let output = child.output();
    let lines: Vec<&str> = output.lines().take(CHANGES + 1).collect();
    let more = if lines.len() > CHANGES { "\n[there are more]" } else { "" };
    is_done.then(|| format!("{}{more}", lines[..lines.len().min(CHANGES)].join("\n")))
}

/// The beginning of the text in `file`, if there is one.
pub(super) fn text(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(TOLD).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_empty_folder_is_said_to_be_one() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(told(folder.path()), "The folder is empty.");
    }

    #[test]
    #[expect(clippy::disallowed_types, reason = "a test makes a repository")]
    fn a_repository_tells_its_tree_its_state_and_what_is_written_for_agents() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("src/deep/deeper")).unwrap();
        fs::write(at("src/main.rs"), "fn main() {}\n").unwrap();
        fs::write(at("AGENTS.md"), "Run `make check` first.\n").unwrap();
        fs::write(at(".gitignore"), "build\n").unwrap();
        fs::create_dir(at("build")).unwrap();
        let mut git = std::process::Command::new("git");
        let made = git.args(["init", "-q", "-b", "main"]).current_dir(folder.path());
        assert!(made.status().unwrap().success());
        let told = told(folder.path());
        assert_eq!(
            told,
            "The folder holds:\nAGENTS.md\nsrc/\n  deep/\n  main.rs\n\n\
             git status:\n## No commits yet on main\n?? .gitignore\n?? AGENTS.md\n?? src/\n\n\
             AGENTS.md says:\nRun `make check` first."
        );
    }

    #[test]
    fn a_large_tree_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..300 {
            fs::write(folder.path().join(format!("{n:03}.txt")), "").unwrap();
        }
        let told = told(folder.path());
        assert!(told.ends_with("199.txt\n[there are more]"), "{told}");
    }
}
