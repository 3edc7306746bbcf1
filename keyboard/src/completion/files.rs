//! The files that can be named: their names alone are looked at.

use std::fs;
use std::path::{Path, PathBuf};

use rustyline::completion::Pair;

/// How many entries of folders are looked at, so that a key never waits for long.
const LOOKED_AT: usize = 2_000;
/// How many files are offered at once.
const OFFERED: usize = 50;
/// How many folders deep it is looked.
const DEPTH: usize = 4;

/// The files below `folder` whose name or path begins with `begun`, by their paths from the folder that it is in. No link is
/// followed.
pub(super) fn named(folder: &Path, begun: &str) -> Vec<Pair> {
    let begun = begun.to_lowercase();
    let Some(from) = folder.parent() else { return Vec::new() };
    let paths = below(folder).into_iter();
    let shown = paths.filter_map(|path| Some(path.strip_prefix(from).ok()?.to_str()?.to_owned()));
    let fits = |path: &String| {
        let (path, name) = (path.to_lowercase(), path.rsplit('/').next().unwrap_or_default());
        let is_plain = !path.contains(char::is_control);
        is_plain && (path.starts_with(&begun) || name.to_lowercase().starts_with(&begun))
    };
    let mut found: Vec<String> = shown.filter(fits).collect();
    found.sort_unstable();
    found.truncate(OFFERED);
    found.into_iter().map(pair).collect()
}

/// It stands in the line without its `@`, so that it is a path like one that was typed.
fn pair(path: String) -> Pair {
    let is_one_word = !path.contains(char::is_whitespace);
    let replacement = if is_one_word { format!("{path} ") } else { format!("\"{path}\" ") };
    Pair { display: path, replacement }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![(folder.to_owned(), DEPTH)]);
    let mut left = LOOKED_AT;
    // The folder itself may be a link that leads out.
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    while let Some((at, depth)) = folders.pop().filter(|_| is_folder) {
        for entry in fs::read_dir(at).into_iter().flatten().flatten() {
            let Some(rest) = left.checked_sub(1) else { return files };
            left = rest;
            match entry.file_type() {
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                Ok(kind) if kind.is_dir() && depth > 1 => folders.push((entry.path(), depth - 1)),
                _ => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_name_and_by_path_and_links_lead_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let output = home.path().join("output");
        fs::create_dir_all(output.join("plans")).unwrap();
        for name in ["Report.md", "plans/report two.md", "plans/other\nname.md"] {
            fs::write(output.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("/etc", output.join("reports")).unwrap();
        let found = |begun: &str| -> Vec<String> {
            named(&output, begun).into_iter().map(|pair| pair.replacement).collect()
        };
        assert_eq!(found("rep"), ["output/Report.md ", "\"output/plans/report two.md\" "]);
        assert_eq!(found("output/p"), ["\"output/plans/report two.md\" "]);
        assert!(found("passwd").is_empty() && found("other").is_empty());
        let link = home.path().join("link");
        std::os::unix::fs::symlink("/etc", &link).unwrap();
        assert!(named(&link, "passwd").is_empty());
    }
}
