//! A stranger's file: whatever its bytes are, reading it ends with a text or an error.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use library::chunk::passages;
use library::parse::{Budget, parse};

const NAMES: [&str; 8] =
    ["a.pdf", "a.docx", "a.md", "a.txt", "a.html", "a.epub", "a.xlsx", "a.csv"];

/// A parser's panic is an answer too: it is caught, as in the house, and only what gets past that is found.
static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let Some((kind, bytes)) = data.split_first() else { return };
    let name = NAMES[usize::from(*kind) % NAMES.len()];
    if let Ok((_, document)) = parse(name, bytes, &Budget::default()) {
        let _ = passages("fuzz", &document);
    }
});
