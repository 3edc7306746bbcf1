//! What came of a way back, in words for a person.

use snapshot::Undone;

/// How many names of one kind are told.
const NAMES: usize = 12;

/// The words.
pub(super) fn told(undone: &Undone) -> String {
    let folder = undone.folder.display().to_string();
    let mut lines = vec![format!(
        "{} is as it was before the latest task: {} put back, {} removed.",
        folder.escape_debug(),
        undone.restored.len(),
        undone.removed.len()
    )];
    for (what, names) in [
        ("Put back", &undone.restored),
        ("Removed", &undone.removed),
        ("Kept, because it was changed after the task", &undone.kept),
        ("Not brought back; the snapshot is kept, so /undo tries again", &undone.failed),
        ("Not in the snapshot, and left as it is", &undone.left_out),
    ] {
        if !names.is_empty() {
            lines.push(format!("{what}: {}", list(names)));
        }
    }
    if let Some(aside) = &undone.aside {
        lines.push(format!("What it replaced lies in {} for a week.", aside.display()));
    }
    lines.join("\n")
}

/// The first names, on one line: a program may have chosen them.
fn list(names: &[String]) -> String {
    let first: Vec<_> =
        names.iter().take(NAMES).map(|name| name.escape_debug().to_string()).collect();
    let more = names.len().saturating_sub(NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}
