//! The pages for people: each stands in the book's summary, and each link in them leads somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pulldown_cmark::{Event, Parser, Tag};
use xshell::Shell;

/// Where the book's pages are.
const BOOK: &str = "docs/src";

/// The page that lists the others.
const SUMMARY: &str = "SUMMARY.md";

/// The pages beside the book.
const OTHERS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md"];

/// Checks every page.
///
/// # Errors
/// All that is wrong at once, each with its page.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let mut pages: Vec<PathBuf> = sh.read_dir(BOOK).context("people need a book")?;
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    let root = sh.current_dir();
    let mut broken = Vec::new();
    let mut listed = BTreeSet::new();
    for page in pages.iter().cloned().chain(OTHERS.map(|name| root.join(name))) {
        let text = sh.read_file(&page)?;
        for link in links(&text) {
            let target = page.parent().unwrap_or(&root).join(&link);
            if !target.exists() {
                broken.push(format!("{}: {link} leads nowhere", shown(&page, &root)));
            }
            if page.ends_with(SUMMARY) {
                listed.insert(link);
            }
        }
    }
    for page in &pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name != SUMMARY && !listed.contains(&name) {
            broken.push(format!("{name} does not stand in {BOOK}/{SUMMARY}"));
        }
    }
    let gone = missing(&sh.read_file(root.join(WALK))?, &root);
    broken.extend(gone.into_iter().map(|name| format!("{WALK}: there is no file {name}")));
    if broken.is_empty() {
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

/// The page that follows a message and a command from file to file.
const WALK: &str = "ARCHITECTURE.md";

/// The folders in which that page names files.
const BASES: [&str; 2] = ["", "router/src"];

/// The files in backquotes that are in none of the folders below `root`. A name with a gap, as `<name>.rs`, is no file.
fn missing(text: &str, root: &Path) -> Vec<String> {
    let quoted = Parser::new(text).filter_map(|event| match event {
        Event::Code(code) => Some(code.to_string()),
        _ => None,
    });
    let is_file =
        |name: &String| name.contains('/') && name.ends_with(".rs") && !name.contains('<');
    let is_there = |name: &String| BASES.iter().any(|base| root.join(base).join(name).is_file());
    quoted.filter(is_file).filter(|name| !is_there(name)).collect()
}

/// The files of this project that `text` links to.
fn links(text: &str) -> Vec<String> {
    let links = Parser::new(text).filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url),
        _ => None,
    });
    let paths = links.filter(|link| !link.contains("://") && !link.starts_with('#'));
    paths.map(|link| link.split('#').next().unwrap_or_default().to_owned()).collect()
}

fn shown(page: &Path, root: &Path) -> String {
    page.strip_prefix(root).unwrap_or(page).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_and_addresses_are_not() {
        let page = "[a](a.md#part) <https://b.example> [c](https://c.example) ![d](img/d.svg) [e](#f) `[x](y)`";
        assert_eq!(links(page), ["a.md", "img/d.svg"]);
    }

    /// A checkout with these pages of the book, and empty pages beside it.
    fn checked(pages: &[(&str, &str)]) -> Result<()> {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        OTHERS.iter().for_each(|name| sh.write_file(name, "").unwrap());
        pages
            .iter()
            .for_each(|(name, text)| sh.write_file(format!("{BOOK}/{name}"), text).unwrap());
        check(&sh)
    }

    #[test]
    fn a_file_that_the_walk_names_and_that_is_gone_is_told() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let page =
            "`mind/src/turn/mod.rs` `policy/mod.rs` `slash/<name>.rs` `mod.rs` `turn/gone.rs`";
        assert_eq!(missing(page, root), ["turn/gone.rs"]);
    }

    #[test]
    fn a_page_that_is_not_listed_and_a_link_that_leads_nowhere_are_told() {
        checked(&[("SUMMARY.md", "[A](a.md)"), ("a.md", "[up](../../README.md)")]).unwrap();
        let error = checked(&[("SUMMARY.md", "[A](a.md)"), ("b.md", "")]).unwrap_err().to_string();
        assert_eq!(
            error,
            "docs/src/SUMMARY.md: a.md leads nowhere\nb.md does not stand in docs/src/SUMMARY.md"
        );
    }
}
