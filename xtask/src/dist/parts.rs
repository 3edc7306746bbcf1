//! What the programs are made of: their crates and those that they stand on, without what only builds or tests them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;
use xshell::{Shell, cmd};

/// The crate that holds everything.
const ROOT: &str = "safeclaw";

/// A crate.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Part {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) license_file: Option<PathBuf>,
    pub(super) description: Option<String>,
    pub(super) repository: Option<String>,
    /// Where it comes from; none for this project's own.
    source: Option<String>,
    pub(super) manifest_path: PathBuf,
}

/// All crates, by their ids, and what each stands on.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) all: BTreeMap<String, Part>,
    pub(super) uses: BTreeMap<String, Vec<String>>,
    root: Part,
    /// The SHA-256 of each that was fetched, by name and version.
    pub(super) sums: HashMap<(String, String), String>,
}

/// What `cargo metadata` prints (doc.rust-lang.org/cargo/commands/cargo-metadata.html).
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Part>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    /// `dev`, `build`, or none for what becomes a part of the program.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

impl Parts {
    /// Those of the programs for `target`, as Cargo.lock has them.
    pub(super) fn of(sh: &Shell, target: &str) -> Result<Self> {
        let told =
            cmd!(sh, "cargo metadata --format-version 1 --locked --filter-platform {target}");
        let metadata: Metadata = serde_json::from_str(&told.quiet().read()?)?;
        let lock: Lock = toml::from_str(&sh.read_file("Cargo.lock")?)?;
        let is_linked = |edge: &&Edge| edge.dep_kinds.iter().any(|kind| kind.kind.is_none());
        let stands_on = |node: Node| {
            let linked = node.deps.iter().filter(is_linked).map(|edge| edge.pkg.clone());
            (node.id, linked.collect())
        };
        let mut uses: BTreeMap<String, Vec<String>> =
            metadata.resolve.nodes.into_iter().map(stands_on).collect();
        let root = metadata.packages.iter().find(|part| part.name == ROOT && !part.is_foreign());
        let root = root.context("this is not the project's folder")?.clone();
        let reached = reached(&uses, &root.id);
        uses.retain(|id, _| reached.contains(id));
        let all = metadata.packages.into_iter().filter(|part| reached.contains(&part.id));
        let all = all.map(|part| (part.id.clone(), part)).collect();
        let sums = lock.package.into_iter();
        let sums = sums.filter_map(|it| Some(((it.name, it.version), it.checksum?))).collect();
        Ok(Self { all, uses, root, sums })
    }

    /// The crate that holds everything.
    pub(super) fn root(&self) -> &Part {
        &self.root
    }

    /// Those of other people.
    pub(super) fn foreign(&self) -> impl Iterator<Item = &Part> {
        self.all.values().filter(|part| part.is_foreign())
    }
}

impl Part {
    fn is_foreign(&self) -> bool {
        self.source.is_some()
    }
}

/// All that `first` stands on, and itself.
fn reached(uses: &BTreeMap<String, Vec<String>>, first: &str) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![first.to_owned()]);
    while let Some(id) = open.pop() {
        if reached.insert(id.clone()) {
            open.extend(uses.get(&id).into_iter().flatten().cloned());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_or_builds_is_no_part_of_the_programs() {
        let sh = Shell::new().unwrap();
        sh.change_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let parts = Parts::of(&sh, "x86_64-unknown-linux-gnu").unwrap();
        let has = |name: &str| parts.all.values().any(|part| part.name == name);
        assert!(has("tokio") && has("router") && has("agent"));
        for name in ["testkit", "proptest", "cc", "windows-sys"] {
            assert!(!has(name), "{name}");
        }
        for part in parts.foreign() {
            let sum = parts.sums.get(&(part.name.clone(), part.version.clone()));
            assert_eq!(sum.map(String::len), Some(64), "{part:?}");
        }
    }
}
