//! Finds lines in the files of the project.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::overrides::OverrideBuilder;
use ignore::{Walk, WalkBuilder};

use super::file::File;
use super::view::regex;
use crate::workbench::output;

/// How many lines are listed.
const MOST: usize = 100;

/// How many files are looked into.
const FILES: usize = 50_000;

/// The lines that fit `pattern`, in the files of `files`.
///
/// # Errors
/// What is wrong with the pattern.
pub(super) fn search(project: &Path, pattern: &str, mut files: Files) -> Result<String, String> {
    let (pattern, mut lines, mut more) = (regex(pattern)?, Vec::new(), 0_usize);
    for path in files.by_ref() {
        let Ok(file) = File::read(project, &path) else { continue };
        for (number, line) in (1..).zip(file.all()).filter(|(_, line)| pattern.is_match(line)) {
            if lines.len() < MOST {
                lines.push(format!("{path}:{number}: {}", output::line(line.trim())));
            } else {
                more += 1;
            }
        }
    }
    if lines.is_empty() {
        lines.push("No line fits.".to_owned());
    }
    if more > 0 {
        lines.push(format!("... [{more} more lines fit]"));
    }
    if let Some(stopped) = files.stopped() {
        lines.push(format!("... [{stopped}; a narrower glob reaches others]"));
    }
    Ok(lines.join("\n"))
}

/// The files of the project whose names fit a glob, in their order, without those that git leaves out.
pub(super) struct Files {
    project: PathBuf,
    walk: Walk,
    until: Instant,
    count: usize,
    /// Why some are left out.
    why: Option<&'static str>,
}

impl Files {
    /// Those whose names fit `glob`, for at most `limit`.
    ///
    /// # Errors
    /// What is wrong with the glob.
    pub(super) fn of(project: &Path, glob: &str, limit: Duration) -> Result<Self, String> {
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
        let until = Instant::now() + limit;
        Ok(Self { project: project.to_owned(), walk, until, count: 0, why: None })
    }

    /// How far they came, if there are more.
    pub(super) fn stopped(&self) -> Option<String> {
        self.why.map(|why| format!("stopped after {} files, because {why}", self.count))
    }
}

impl Iterator for Files {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        for entry in self.walk.by_ref() {
            if Instant::now() >= self.until {
                self.why = Some("the time was up");
                return None;
            }
            let file =
                entry.ok().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
            let name = file.and_then(|file| {
                Some(file.path().strip_prefix(&self.project).ok()?.to_str()?.to_owned())
            });
            if name.is_some() && self.count == FILES {
                self.why = Some("there are more than are looked into");
                return None;
            }
            if name.is_some() {
                self.count += 1;
                return name;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_how_far_it_came() {
        let project = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            std::fs::write(project.path().join(name), "").unwrap();
        }
        let mut files = Files::of(project.path(), "*", Duration::from_secs(20)).unwrap();
        assert_eq!(files.by_ref().take(2).collect::<Vec<_>>(), ["a", "b"]);
        files.until = Instant::now();
        assert_eq!(files.next(), None);
        assert_eq!(files.stopped().unwrap(), "stopped after 2 files, because the time was up");
        let mut files = Files::of(project.path(), "*", Duration::from_secs(20)).unwrap();
        files.count = FILES - 2;
        assert_eq!(files.by_ref().count(), 2);
        assert!(files.stopped().unwrap().starts_with("stopped after 50000 files"));
        files = Files::of(project.path(), "*", Duration::from_secs(20)).unwrap();
        assert_eq!((files.by_ref().count(), files.stopped()), (3, None));
    }
}
