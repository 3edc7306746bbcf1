//! What came of a way back, and what is set aside after a command, in words for a person.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::{Undone, gitlinks};

/// How many names of one kind are told.
const NAMES: usize = 12;

/// The words.
#[must_use]
pub fn told(undone: &Undone) -> String {
    let folder = undone.folder.display().to_string();
    let is = if undone.failed.is_empty() { "is" } else { "is not yet" };
    let mut lines = vec![format!(
        "{} {is} as it was before the latest task: {} put back, {} removed.",
        folder.escape_debug(),
        undone.restored.len(),
        undone.removed.len()
    )];
    for (what, names, unnamed) in [
        ("Put back", &undone.restored, 0),
        ("Removed", &undone.removed, 0),
        ("Kept, because it was changed after the task", &undone.kept, 0),
        ("Not brought back; the snapshot is kept, so /undo tries again", &undone.failed, 0),
        ("Not in the snapshot, and left as it is", &undone.left_out, undone.unnamed),
    ] {
        if !names.is_empty() {
            lines.push(format!("{what}: {}", list(names, unnamed)));
        }
    }
    if let Some(aside) = &undone.aside {
        lines.push(format!("What it replaced lies in {} for a week.", aside.display()));
    }
    if let Some(before) = &undone.before {
        let lies = before.display();
        lines.push(format!("How the kept ones were before the task lies in {lies} for a week."));
    }
    lines.join("\n")
}

/// Sets aside what a task has made in `folder` for its owner's git to run, except what is `known` to be the owner's, and tells of
/// it. Nothing is set aside where that is not known.
#[must_use]
pub fn set_aside(folder: &Path, known: Option<&BTreeSet<PathBuf>>) -> Vec<String> {
    match known.map(|known| gitlinks::set_aside(folder, known)) {
        None => Vec::new(),
        Some(Ok(moved)) => moved.iter().map(|path| is_set_aside(path)).collect(),
        Some(Err(error)) => vec![format!(
            "whether `git status` in the folder would run what a task has made can't be told ({error}); use no git there \
            before you have looked, or take /undo"
        )],
    }
}

fn is_set_aside(path: &Path) -> String {
    let path = path.to_string_lossy();
    format!(
        "{} was called .git and stood in the index of the folder's own repository, so that `git status` there would have \
        run what its settings say; it has this name now",
        path.escape_debug()
    )
}

/// The first names, on one line, and how many more there are, `unnamed` ones among them: a program may have chosen them.
fn list(names: &[String], unnamed: usize) -> String {
    let first: Vec<_> =
        names.iter().take(NAMES).map(|name| name.escape_debug().to_string()).collect();
    let more = names.len().saturating_sub(NAMES) + unnamed;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_as_it_was_once_nothing_is_left_to_do() {
        let mut undone = Undone { folder: "/project".into(), ..Undone::default() };
        undone.restored.push("a".to_owned());
        let all = "/project is as it was before the latest task: 1 put back, 0 removed.";
        assert!(told(&undone).starts_with(all));
        undone.failed.push("b (a reason)".to_owned());
        undone.kept.push("c".to_owned());
        undone.before = Some("/before".into());
        assert_eq!(
            told(&undone),
            "/project is not yet as it was before the latest task: 1 put back, 0 removed.\n\
            Put back: a\n\
            Kept, because it was changed after the task: c\n\
            Not brought back; the snapshot is kept, so /undo tries again: b (a reason)\n\
            How the kept ones were before the task lies in /before for a week."
        );
    }
}
