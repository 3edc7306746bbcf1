//! No two top-level modules of a crate may need each other, also not by way of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use proc_macro2::{Delimiter, TokenTree};
use xshell::Shell;

use super::source::{Module, crates, is_punct, modules, roots};

/// Which modules each module names.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Checks every crate of the workspace.
///
/// # Errors
/// All cycles at once, each with its crate and its modules.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let here = sh.current_dir();
    let mut broken = Vec::new();
    for folder in crates(&here)? {
        for root in roots(&here.join(&folder)) {
            for cycle in cycles(&graph(&modules(&root)?)) {
                broken.push(told(&folder, &cycle));
            }
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    bail!("{}", broken.join("\n"))
}

fn told(folder: &Path, cycle: &[String]) -> String {
    format!(
        "{}: the modules {} need one another: move what they share to the one that needs the others least",
        folder.join("src").display(),
        cycle.join(", ")
    )
}

/// The top-level modules that each top-level module names by `crate::` and `super::`.
fn graph(modules: &[Module]) -> Graph {
    let top = |module: &Module| module.path.first().cloned();
    let names: BTreeSet<String> = modules.iter().filter_map(top).collect();
    let lent: BTreeMap<String, String> =
        modules.first().map(|root| lent(&root.code)).unwrap_or_default();
    let mut graph = Graph::new();
    for module in modules {
        let Some(own) = top(module) else { continue };
        let mut named = BTreeSet::new();
        walk(&module.code, module.path.len(), &mut named);
        let named = named.into_iter().map(|name| lent.get(&name).cloned().unwrap_or(name));
        let others = named.filter(|name| *name != own && names.contains(name));
        graph.entry(own.clone()).or_default().extend(others);
    }
    graph
}

/// The names that the root of a crate passes on, each with the module that it is of: `pub use a::b::{C, D as E}`.
fn lent(root: &[TokenTree]) -> BTreeMap<String, String> {
    let mut lent = BTreeMap::new();
    let is_use = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "use");
    for line in root.split(|token| is_punct(token, ';')) {
        let Some(at) = line.iter().position(is_use) else { continue };
        let Some(TokenTree::Ident(module)) = line.get(at + 1) else { continue };
        let mut names = BTreeSet::new();
        leaves(&line[at + 2..], &mut names);
        lent.extend(names.into_iter().map(|name| (name, module.to_string())));
    }
    lent
}

/// The last name of each branch of a `use`.
fn leaves(tokens: &[TokenTree], names: &mut BTreeSet<String>) {
    for branch in tokens.split(|token| is_punct(token, ',')) {
        match branch.last() {
            Some(TokenTree::Ident(name)) => {
                names.insert(name.to_string());
            }
            Some(TokenTree::Group(group)) => {
                leaves(&group.stream().into_iter().collect::<Vec<_>>(), names);
            }
            _ => {}
        }
    }
}

/// Collects the names at the root of the crate that code names, which stands in a module `depth` below that root.
fn walk(tokens: &[TokenTree], depth: usize, named: &mut BTreeSet<String>) {
    let is_path = |at: usize| {
        let is_colon = |at: usize| tokens.get(at).is_some_and(|token| is_punct(token, ':'));
        is_colon(at) && is_colon(at + 1)
    };
    let word = |at: usize| match tokens.get(at) {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    };
    let mut at = 0;
    while at < tokens.len() {
        if let TokenTree::Group(group) = &tokens[at] {
            walk(&group.stream().into_iter().collect::<Vec<_>>(), depth, named);
        }
        let mut up = 0;
        while word(at).is_some_and(|word| word == "super") && is_path(at + 1) {
            (up, at) = (up + 1, at + 3);
        }
        if word(at).is_some_and(|word| word == "crate") && is_path(at + 1) {
            (up, at) = (depth, at + 3);
        }
        if up == depth && up > 0 {
            named.extend(first_names(tokens.get(at)));
        }
        if up == 0 {
            at += 1;
        }
    }
}

/// The first names of what stands behind a path: a name, or several in braces.
fn first_names(token: Option<&TokenTree>) -> Vec<String> {
    match token {
        Some(TokenTree::Ident(name)) => vec![name.to_string()],
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            let branches = tokens.split(|token| is_punct(token, ','));
            branches.flat_map(|branch| first_names(branch.first())).collect()
        }
        _ => Vec::new(),
    }
}

/// The modules that can reach each other, as one list for each cycle.
fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|from| (from, reached(graph, from))).collect();
    let mut cycles = BTreeSet::new();
    for (from, to) in &reach {
        if to.contains(from) {
            let both =
                |other: &&&String| reach.get(**other).is_some_and(|back| back.contains(from));
            let cycle: Vec<String> = to.iter().filter(both).map(|name| (*name).clone()).collect();
            cycles.insert(cycle);
        }
    }
    cycles.into_iter().collect()
}

fn reached<'g>(graph: &'g Graph, from: &String) -> BTreeSet<&'g String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = graph.get(from).into_iter().flatten().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(graph.get(next).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::super::source::tests::crate_of;
    use super::*;

    /// The cycles of a crate whose library declares `a`, `b` and `c` with this code.
    fn found(a: &str, b: &str, c: &str) -> Vec<Vec<String>> {
        let lib = "mod a; mod b; mod c; pub use c::{D as E, F};";
        let files = [("lib.rs", lib), ("a.rs", a), ("b/mod.rs", b), ("c.rs", c)];
        let (_folder, modules) = crate_of(&files);
        cycles(&graph(&modules))
    }

    #[test]
    fn modules_that_need_each_other_are_found_however_they_write_it() {
        let none: [&[&str]; 0] = [];
        assert_eq!(found("use crate::b::X;", "use crate::c::Y;", ""), none);
        assert_eq!(found("use crate::b::X;", "", "use super::a;"), none);
        let both = [["a", "b"]];
        assert_eq!(found("use crate::b::X;", "use crate::a::Y;", ""), both);
        assert_eq!(found("use crate::{b::X, c};", "fn f() { crate::a::g() }", ""), both);
        assert_eq!(found("use super::b::X;", "mod d { use super::super::a; }", ""), both);
        assert_eq!(found("fn f() { print!(\"\", crate::b::X) }", "use crate::a::Y;", ""), both);
        let all = [["a", "b", "c"]];
        assert_eq!(found("use crate::b::X;", "use crate::c::Y;", "use crate::a::Z;"), all);
        // By the name under which the root passes it on.
        assert_eq!(found("use crate::E;", "", "use crate::a::Z;"), [["a", "c"]]);
        assert_eq!(found("use crate::F;", "", "use crate::a::Z;"), [["a", "c"]]);
    }

    #[test]
    fn what_stands_in_tests_comments_and_texts_needs_nothing() {
        let none: [&[&str]; 0] = [];
        let tests = "#[cfg(test)] mod tests { use crate::a::Y; }";
        assert_eq!(found("use crate::b::X;", tests, ""), none);
        let words = "//! [`crate::a`]\nconst A: &str = \"crate::a::Y\"; // crate::a::Y";
        assert_eq!(found("use crate::b::X;", words, ""), none);
        assert_eq!(
            found("use crate::b::X;", "pub(super) fn f() {} pub(crate) fn g() {}", ""),
            none
        );
    }
}
