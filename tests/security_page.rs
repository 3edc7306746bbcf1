//! The book names tests as proof of what it promises; each of them has to exist.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The functions of tests in every file under `folder`.
fn tests_under(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            tests_under(&path, found);
        } else if name.ends_with(".rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                let named = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
                match named.and_then(|rest| rest.split_once('(')) {
                    Some((name, _)) => {
                        if std::mem::take(&mut is_test) {
                            found.insert(name.to_owned());
                        }
                    }
                    None => {
                        is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test")
                    }
                }
            }
        }
    }
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/src/security-promises.md")).unwrap();
    let (_, promises) = page.split_once("| promise | proof |\n|---|---|\n").unwrap();
    let promises = promises.trim_end();
    let mut tests = BTreeSet::new();
    tests_under(root, &mut tests);
    for promise in promises.lines() {
        let proof = promise.trim_end_matches(" |").rsplit_once(" | ").unwrap().1;
        let named: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no proof: {promise}");
        for name in named {
            assert!(tests.contains(name), "the book names a test that is not there: {name}");
        }
    }
}
