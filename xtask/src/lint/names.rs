//! A name that is seen beyond its folder stands for one type, or at most two.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use proc_macro2::TokenTree;
use xshell::Shell;

use super::source::{crates, modules, roots};

/// How many types of the workspace may have the same name.
const MOST: usize = 2;

/// The names that stand for more types today. They may become fewer, and no name may be added.
const CEILINGS: [(&str, usize); 26] = [
    ("Answer", 4),
    ("Asked", 5),
    ("Call", 3),
    ("Ended", 3),
    ("Ends", 3),
    ("Entry", 5),
    ("Fault", 5),
    ("Folder", 3),
    ("Found", 4),
    ("Kind", 3),
    ("Known", 3),
    ("Limits", 3),
    ("Listed", 3),
    ("Listener", 3),
    ("Look", 3),
    ("Outcome", 3),
    ("Params", 4),
    ("Place", 5),
    ("Request", 3),
    ("Role", 4),
    ("Said", 4),
    ("Server", 4),
    ("Standing", 4),
    ("Target", 3),
    ("Verdict", 3),
    ("Way", 3),
];

/// Checks every crate of the workspace.
///
/// # Errors
/// All names that stand for too many types, each with the files of its types.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let here = sh.current_dir();
    let mut types: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in crates(&here)? {
        for root in roots(&here.join(&folder)) {
            for module in modules(&root)? {
                let file = module.file.strip_prefix(&here).unwrap_or(&module.file);
                for name in seen(&module.code) {
                    types.entry(name).or_default().push(file.to_owned());
                }
            }
        }
    }
    let broken: Vec<String> =
        types.iter().filter(|(name, files)| files.len() > most(name)).map(told).collect();
    if broken.is_empty() {
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

fn most(name: &str) -> usize {
    let own = CEILINGS.iter().find(|(held, _)| *held == name);
    own.map_or(MOST, |(_, most)| *most)
}

fn told((name, files): (&String, &Vec<PathBuf>)) -> String {
    let files: Vec<String> = files.iter().map(|file| Path::display(file).to_string()).collect();
    format!(
        "{name} stands for {} types, in {}: say whose each one is, or let fewer modules see it",
        files.len(),
        files.join(", ")
    )
}

/// The names of the types that are `pub` or `pub(crate)`.
fn seen(code: &[TokenTree]) -> Vec<String> {
    let word = |at: usize| match code.get(at) {
        Some(TokenTree::Ident(word)) => word.to_string(),
        _ => String::new(),
    };
    let mut names = Vec::new();
    for at in 0..code.len() {
        if word(at) != "pub" {
            continue;
        }
        let at = match code.get(at + 1) {
            Some(TokenTree::Group(group)) if group.stream().to_string() == "crate" => at + 2,
            Some(TokenTree::Group(_)) => continue,
            _ => at + 1,
        };
        if ["struct", "enum", "union", "trait", "type"].contains(&word(at).as_str()) {
            names.push(word(at + 1));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use proc_macro2::TokenStream;

    use super::*;

    #[test]
    fn types_that_are_seen_beyond_their_folder_are_counted() {
        let code = "pub struct A; pub(crate) enum B {} pub(super) struct C; struct D; pub trait E {} \
                    pub type F = A; impl A { pub fn type_of() {} } pub(in crate::x) struct G; pub fn h() {}";
        let code: Vec<TokenTree> = TokenStream::from_str(code).unwrap().into_iter().collect();
        assert_eq!(seen(&code), ["A", "B", "E", "F"]);
    }

    #[test]
    fn a_name_of_three_types_is_told_with_their_files() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        sh.write_file("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]").unwrap();
        sh.write_file("a/src/lib.rs", "pub struct X; mod m;").unwrap();
        sh.write_file("a/src/m.rs", "pub(crate) enum X {} struct Y;").unwrap();
        sh.write_file("b/src/main.rs", "fn main() {}").unwrap();
        check(&sh).unwrap();
        sh.write_file("b/src/main.rs", "pub(crate) trait X {} fn main() {}").unwrap();
        let error = check(&sh).unwrap_err().to_string();
        let files = "a/src/lib.rs, a/src/m.rs, b/src/main.rs";
        assert!(error.starts_with(&format!("X stands for 3 types, in {files}: ")), "{error}");
    }
}
