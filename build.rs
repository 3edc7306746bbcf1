//! How the program is linked: the places that the loader fills with addresses are listed in short (RELR, glibc 2.36) where this
//! machine's loader can read such a list. The list as it is else has 3 MB, which each process would read and hold.

use std::env;
use std::fs;

/// A C library that can read the short list has this text, and a program with such a list asks for it.
const MARK: &[u8] = b"GLIBC_ABI_DT_RELR";

#[expect(
    clippy::disallowed_methods,
    reason = "this is how Cargo tells a build script what is built"
)]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_for_this_machine = env::var_os("TARGET") == env::var_os("HOST");
    if is_for_this_machine && is_known_here() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Whether the C library that this very process runs with can read it.
fn is_known_here() -> bool {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let library = maps.split_whitespace().find(|word| word.ends_with("/libc.so.6"));
    let bytes = library.and_then(|path| fs::read(path).ok()).unwrap_or_default();
    bytes.windows(MARK.len()).any(|text| text == MARK)
}
