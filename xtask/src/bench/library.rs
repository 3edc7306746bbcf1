//! What the library costs beside SQLite alone, and how often it finds the right file, measured by the program `bench_library`.

use std::path::Path;

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// The questions, and the papers that they are about: the book, and the documents of two Debian packages.
const QUESTIONS: &str = "bench/questions/papers.tsv";
const BOOK: &str = "docs/src";
const PACKAGES: [&str; 2] = ["/usr/share/doc/git/html", "/usr/share/doc/sqlite3"];

/// Runs the measurement.
///
/// # Errors
/// When a paper or the disk fails.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_library", &["speed"])?;
    let figure = |name, what, unit| said.figure(name, what, unit);
    let mut figures = vec![
        figure("indexed", "Markdown taken in a second", "MB")?.at_least(20.0),
        figure("indexed_bare", "the same rows and words written by SQLite alone", "MB")?,
        figure("database", "the database of 100,000 passages", "MB")?.at_most(285.0),
        figure("texts", "their texts beside it, packed", "MB")?,
        figure("natural_p50", "six natural words, the median", "ms")?.at_most(5.0),
        figure("natural_p99", "the same, one in a hundred is slower", "ms")?.at_most(50.0),
        figure("natural_bare_p50", "the same by SQLite alone: any of them", "ms")?,
        figure("natural_bare_p99", "the same, one in a hundred is slower", "ms")?,
        figure("rare_p50", "three rare words, the median", "ms")?.at_most(1.0),
        figure("rare_bare_p50", "the same by SQLite alone", "ms")?,
        figure("meaning_p50", "six natural words and a vector of 256 numbers", "ms")?,
    ];
    let share = said.value("known")? / said.value("known_bare")?;
    let what = "of the passages that any of the words finds, found";
    figures.push(Figure::new(what, share, "x").at_least(0.9));
    figures.extend(right(sh)?);
    Ok(figures)
}

/// How often the right file is found; nothing where the packages are not there.
fn right(sh: &Shell) -> Result<Option<Figure>> {
    if PACKAGES.iter().any(|folder| !Path::new(folder).is_dir()) {
        eprintln!("the questions are left out: apt install git-doc sqlite3-doc");
        return Ok(None);
    }
    let said =
        Said::by(sh, "bench_library", &[&["questions", QUESTIONS, BOOK], &PACKAGES[..]].concat())?;
    let what = "questions whose file is among the first five, held out";
    Ok(Some(Figure::new(what, said.value("held_out")? * 100.0, "%").at_least(85.0)))
}
