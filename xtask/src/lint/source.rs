//! The modules of a crate as its compiler reads them, without those of tests.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// One module.
#[derive(Debug)]
pub(crate) struct Module {
    /// The names of the modules that it stands in and its own; empty for the root of the crate.
    pub(crate) path: Vec<String>,
    /// Its file. A module inside another one has the file of that.
    pub(crate) file: PathBuf,
    /// Whether the file is its own.
    pub(crate) owns_file: bool,
    /// Its code, without inner modules and what is for tests alone.
    pub(crate) code: Vec<TokenTree>,
}

/// The folders of the workspace's crates, by its Cargo.toml in `root`.
///
/// # Errors
/// When it can't be read.
pub(crate) fn crates(root: &Path) -> Result<Vec<PathBuf>> {
    let text = std::fs::read_to_string(root.join("Cargo.toml"))?;
    let manifest: toml::Table = text.parse()?;
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members"));
    let members = members.and_then(toml::Value::as_array).context("Cargo.toml lists no members")?;
    let members = members.iter().filter_map(toml::Value::as_str).map(PathBuf::from);
    Ok(members.chain([PathBuf::new()]).collect())
}

/// The roots of the library and the binary of the crate in `folder`. Further binaries are files of their own.
pub(crate) fn roots(folder: &Path) -> Vec<PathBuf> {
    let roots = ["lib.rs", "main.rs"].map(|name| folder.join("src").join(name));
    roots.into_iter().filter(|root| root.is_file()).collect()
}

/// All modules below the file `root`, the root first.
///
/// # Errors
/// A file that can't be read, or is no Rust.
pub(crate) fn modules(root: &Path) -> Result<Vec<Module>> {
    let mut found = Vec::new();
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    read(root, &folder, Vec::new(), &mut found)?;
    Ok(found)
}

/// Reads the file of the module `path`, whose inner modules have their files in `folder`.
fn read(file: &Path, folder: &Path, path: Vec<String>, found: &mut Vec<Module>) -> Result<()> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let code = TokenStream::from_str(&text).map_err(|error| anyhow!("{}: {error}", file.display()));
    take(code?, (file, true), folder, path, found)
}

fn take(
    code: TokenStream,
    (file, owns_file): (&Path, bool),
    folder: &Path,
    path: Vec<String>,
    found: &mut Vec<Module>,
) -> Result<()> {
    let at = found.len();
    let (path_of_inner, file) = (path.clone(), file.to_owned());
    found.push(Module { path, file: file.clone(), owns_file, code: Vec::new() });
    let mut kept = Vec::new();
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_punct(&token, '#') && tokens.peek().is_some_and(is_for_tests) {
            // The attribute, and what it is on: up to its braces or its end.
            tokens.find(|token| is_punct(token, ';') || is_braces(token));
            continue;
        }
        let is_mod = matches!(&token, TokenTree::Ident(word) if word == "mod");
        let Some(TokenTree::Ident(name)) = tokens.peek().filter(|_| is_mod) else {
            kept.push(token);
            continue;
        };
        let name = name.to_string();
        let inner = [path_of_inner.as_slice(), std::slice::from_ref(&name)].concat();
        let folder = folder.join(&name);
        tokens.next();
        match tokens.next() {
            Some(TokenTree::Group(group)) => {
                take(group.stream(), (&file, false), &folder, inner, found)?;
            }
            _ => {
                let files = [folder.with_extension("rs"), folder.join("mod.rs")];
                let Some(file) = files.iter().find(|file| file.is_file()) else {
                    bail!("{}: the module {name} has no file", file.display());
                };
                read(file, &folder, inner, found)?;
            }
        }
    }
    found[at].code = kept;
    Ok(())
}

/// Returns `true` for the `[cfg(test)]` of an attribute.
fn is_for_tests(attribute: &TokenTree) -> bool {
    let text = attribute.to_string().replace(' ', "");
    text == "[cfg(test)]"
}

fn is_braces(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Returns `true` if `token` is this sign.
pub(crate) fn is_punct(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A crate with these files below `src`, and the modules of its library.
    pub(crate) fn crate_of(files: &[(&str, &str)]) -> (tempfile::TempDir, Vec<Module>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join("src").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let modules = modules(&folder.path().join("src/lib.rs")).unwrap();
        (folder, modules)
    }

    #[test]
    fn modules_are_found_in_files_folders_and_braces_and_those_of_tests_are_not() {
        let (_folder, found) = crate_of(&[
            ("lib.rs", "mod a; pub mod b { pub(crate) mod c; } #[cfg(test)] mod gone; fn f() {}"),
            ("a/mod.rs", "mod d; #[cfg(test)] mod tests { use crate::x; }"),
            ("a/d.rs", ""),
            ("b/c.rs", ""),
        ]);
        let paths: Vec<String> = found.iter().map(|module| module.path.join("::")).collect();
        assert_eq!(paths, ["", "a", "a::d", "b", "b::c"]);
        let code = |at: usize| found[at].code.iter().map(ToString::to_string).collect::<String>();
        assert!(code(0).contains("fnf()"), "{}", code(0));
        assert!(!code(1).contains("crate"), "{}", code(1));
    }
}
