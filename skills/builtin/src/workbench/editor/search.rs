//! Finds lines in the files of the project.

use std::path::Path;

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

use super::file::File;
use super::view::regex;
use crate::workbench::output;

/// How many lines are listed.
const MOST: usize = 100;

/// How many files are looked into.
const FILES: usize = 50_000;

/// The lines that fit `pattern`, in the files whose names fit `glob`.
///
/// # Errors
/// What is wrong with the pattern or the glob.
pub(super) fn search(project: &Path, pattern: &str, glob: &str) -> Result<String, String> {
    let (pattern, mut lines, mut more) = (regex(pattern)?, Vec::new(), 0_usize);
    for path in files(project, glob)? {
        let Ok(file) = File::read(project, &path) else { continue };
        for (number, line) in (1..).zip(file.all()).filter(|(_, line)| pattern.is_match(line)) {
            if lines.len() < MOST {
                lines.push(format!("{path}:{number}: {}", output::line(line.trim())));
            } else {
                more += 1;
            }
        }
    }
    match (lines.is_empty(), more) {
        (true, _) => Ok("No line fits.".to_owned()),
        (false, 0) => Ok(lines.join("\n")),
        (false, more) => Ok(format!("{}\n... [{more} more lines fit]", lines.join("\n"))),
    }
}

/// The files of the project whose names fit `glob`, without those that git leaves out.
///
/// # Errors
/// What is wrong with the glob.
pub(super) fn files(project: &Path, glob: &str) -> Result<Vec<String>, String> {
    let mut fitting = OverrideBuilder::new(project);
    let fitting = fitting.add(glob).and_then(|fitting| fitting.build());
    let fitting = fitting.map_err(|error| format!("Invalid glob: {error}"))?;
    let walk = WalkBuilder::new(project)
        .overrides(fitting)
        .require_git(false)
        .git_global(false)
        .parents(false)
        .sort_by_file_path(Path::cmp)
        .build();
    let files = walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let names = files
        .filter_map(|entry| Some(entry.path().strip_prefix(project).ok()?.to_str()?.to_owned()));
    Ok(names.take(FILES).collect())
}
