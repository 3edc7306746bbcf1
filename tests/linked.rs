//! How the program is linked: small enough to stand several times in memory.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::fs;

/// Who can read a short list of addresses says so, and so does a program that has one.
const MARK: &[u8] = b"GLIBC_ABI_DT_RELR";

fn has_mark(path: &str) -> bool {
    fs::read(path).unwrap().windows(MARK.len()).any(|text| text == MARK)
}

#[test]
fn the_loader_is_given_a_short_list_of_addresses_where_it_can_read_one() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let library = maps.split_whitespace().find(|word| word.ends_with("/libc.so.6"));
    let can_be_read = library.is_some_and(has_mark);
    assert_eq!(has_mark(env!("CARGO_BIN_EXE_safeclaw")), can_be_read);
}
