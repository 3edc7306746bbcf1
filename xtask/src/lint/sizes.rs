//! How much code a crate may hold.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use xshell::Shell;

use super::house::lines_before_tests;
use super::source::{crates, modules, roots};

/// The most lines of code of a crate that has no line of its own below.
const MOST: usize = 8_000;

/// The crate that is larger today, in lines of code, and may only become smaller.
const CEILINGS: [(&str, usize); 1] = [("router", 16_000)];

/// Checks every crate of the workspace. Lines count up to the tests of a file; files of tests don't count.
///
/// # Errors
/// All crates that are too large, each with its lines.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let here = sh.current_dir();
    let mut broken = Vec::new();
    for folder in crates(&here)? {
        let (lines, most) = (lines(&here.join(&folder))?, most(&folder));
        if lines > most {
            broken.push(format!(
                "{}: {lines} lines of code, of at most {most}: split it where few modules need the others",
                folder.join("src").display()
            ));
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

fn most(folder: &Path) -> usize {
    let own = CEILINGS.iter().find(|(name, _)| Path::new(name) == folder);
    own.map_or(MOST, |(_, most)| *most)
}

fn lines(folder: &Path) -> Result<usize> {
    let mut files = BTreeSet::new();
    for root in roots(folder) {
        let modules = modules(&root)?;
        files.extend(
            modules.into_iter().filter(|module| module.owns_file).map(|module| module.file),
        );
    }
    let count = |file| Ok(lines_before_tests(&std::fs::read_to_string(file)?));
    files.iter().map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_is_too_large_is_told_and_tests_do_not_count() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        sh.write_file("Cargo.toml", "[workspace]\nmembers = [\"a\"]").unwrap();
        sh.write_file("a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod tests;\n").unwrap();
        sh.write_file("a/src/tests.rs", "\n".repeat(2 * MOST)).unwrap();
        sh.write_file("a/src/b.rs", "\n".repeat(MOST - 1) + "#[cfg(test)]\nmod tests {}\n")
            .unwrap();
        check(&sh).unwrap();
        sh.write_file("a/src/b.rs", "\n".repeat(MOST)).unwrap();
        let error = check(&sh).unwrap_err().to_string();
        assert!(error.starts_with("a/src: 8001 lines of code, of at most 8000"), "{error}");
    }
}
