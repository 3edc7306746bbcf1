//! The rules of the house that no other tool knows: how long a file may be, and what it may be called.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use xshell::Shell;

/// The most lines of a source file, its tests not counted.
const MOST_LINES: usize = 400;

/// Words that say nothing about what is in a file. They may be no part of its name ...
const BANNED_PARTS: [&str; 8] =
    ["common", "core", "helper", "helpers", "manager", "orchestrator", "service", "util"];
/// ... and these not the whole of it.
const BANNED_NAMES: [&str; 5] = ["context", "handler", "handlers", "types", "utils"];

/// Folders that hold no source of this project.
const FOREIGN: [&str; 3] = ["target", "corpus", "artifacts"];

/// Checks every Rust file and every folder that holds one.
///
/// # Errors
/// All broken rules at once, each with its file.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let mut broken = Vec::new();
    for path in rust_files(sh, Path::new("."))? {
        let length = lines_before_tests(&sh.read_file(&path)?);
        broken.extend(rule_broken_by(&path, length));
    }
    if broken.is_empty() {
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

fn rust_files(sh: &Shell, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in sh.read_dir(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with('.') || FOREIGN.contains(&name.as_str()) {
            continue;
        }
        let path = folder.join(name);
        if sh.current_dir().join(&path).is_dir() {
            files.extend(rust_files(sh, &path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

fn rule_broken_by(path: &Path, length: usize) -> Option<String> {
    let shown = path.display();
    // What lies outside of src is a test or an example from its first line.
    let is_source = path.components().any(|part| part.as_os_str() == "src");
    if is_source && length > MOST_LINES {
        let rule = format!("of at most {MOST_LINES}: split it by concern");
        return Some(format!("{shown}: {length} lines {rule}"));
    }
    let banned = path.components().find_map(|part| banned_word(Path::new(&part)))?;
    Some(format!("{shown}: \"{banned}\" says nothing: name it after what it holds"))
}

fn banned_word(part: &Path) -> Option<&'static str> {
    let stem = part.file_stem()?.to_str()?.to_lowercase();
    let inside = BANNED_PARTS.iter().find(|word| stem.split(['_', '-']).any(|part| part == **word));
    inside.or_else(|| BANNED_NAMES.iter().find(|word| stem == **word)).copied()
}

/// The lines of a file before its tests.
pub(super) fn lines_before_tests(text: &str) -> usize {
    text.lines().take_while(|line| *line != "#[cfg(test)]").count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(path: &str, length: usize) -> Option<String> {
        rule_broken_by(Path::new(path), length)
    }

    #[test]
    fn a_source_file_has_at_most_400_lines_before_its_tests() {
        let text = "line\n".repeat(400) + "#[cfg(test)]\n" + &"test\n".repeat(400);
        assert_eq!(lines_before_tests(&text), 400);
        assert_eq!(broken("agent/src/turn.rs", 400), None);
        assert!(broken("agent/src/turn.rs", 401).unwrap().contains("401 lines"));
        assert_eq!(broken("agent/tests/turn.rs", 401), None);
    }

    #[test]
    fn empty_words_are_no_names() {
        for bad in ["src/utils.rs", "src/session_manager.rs", "core/src/lib.rs", "src/Helper/x.rs"]
        {
            assert!(broken(bad, 1).is_some(), "{bad}");
        }
        for good in ["src/score.rs", "src/request_context.rs", "src/turn.rs"] {
            assert_eq!(broken(good, 1), None);
        }
    }

    #[test]
    fn the_walk_finds_files_and_leaves_foreign_ones_out() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        for path in ["a/src/utils.rs", "target/core.rs", ".git/core.rs", "a/src/lib.rs"] {
            sh.write_file(path, "").unwrap();
        }
        let error = check(&sh).unwrap_err().to_string();
        assert_eq!(error, "./a/src/utils.rs: \"utils\" says nothing: name it after what it holds");
    }
}
