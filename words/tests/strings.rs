//! The words of the console: each language has all of them, the program knows each, and none is there for nothing.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use words::CONSOLE;

/// The crates of the workspace that don't use them: this one, and those that nobody but the makers runs.
const OTHERS: [&str; 7] =
    ["bench", "bench/library", "chaos", "eval", "tests/kit", "words", "xtask"];

/// The folders of sources in which the program may use them.
fn sources(house: &Path) -> Vec<PathBuf> {
    let manifest = fs::read_to_string(house.join("Cargo.toml")).unwrap();
    let members = manifest.split_once("members = [").unwrap().1.split_once(']').unwrap().0;
    let members = members.split('"').skip(1).step_by(2).filter(|member| !OTHERS.contains(member));
    members.chain(["."]).map(|member| house.join(member).join("src")).collect()
}

/// Every text between two quotes of the program's own lines. Some are no literals, and none of the keys is lost.
fn quoted(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            quoted(&entry, found);
        } else if entry.extension().is_some_and(|kind| kind == "rs") {
            let text = fs::read_to_string(&entry).unwrap();
            found.extend(text.split('"').map(str::to_owned));
        }
    }
}

#[test]
fn each_language_has_each_text_with_the_same_gaps_to_fill() {
    let differences: [String; 0] = [];
    assert_eq!(CONSOLE.differences(), differences);
}

#[test]
fn every_text_is_used_and_every_one_that_is_used_is_there() {
    let house = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = BTreeSet::new();
    sources(house).iter().for_each(|folder| quoted(folder, &mut found));
    let keys: BTreeSet<String> = CONSOLE.wanted([]).keys().map(str::to_owned).collect();
    let unused: Vec<&String> = keys.difference(&found).collect();
    assert!(unused.is_empty(), "nobody uses {unused:?}");
    let groups: BTreeSet<&str> = keys.iter().map(|key| key.split_once('.').unwrap().0).collect();
    let is_key = |text: &str| {
        let Some((group, name)) = text.split_once('.') else { return false };
        // The page has files that are called like a group.
        let is_name = name != "js" && !name.is_empty() && name.chars().all(char::is_alphabetic);
        groups.contains(group) && is_name
    };
    let missing: Vec<&String> = found.difference(&keys).filter(|text| is_key(text)).collect();
    assert!(missing.is_empty(), "no file has {missing:?}");
}
