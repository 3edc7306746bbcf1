//! Programs that tests move about.

use std::path::Path;
use std::process::Command;

/// Copies a program that is to be started from there, by a process of its own: what this process has open for writing
/// can't be started (`ETXTBSY`), and a child that another test has just begun may hold it open.
///
/// # Panics
/// When it can't be copied.
pub fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    let status = Command::new("cp").arg(from.as_ref()).arg(to.as_ref()).status().unwrap();
    assert!(status.success(), "cp {} {}", from.as_ref().display(), to.as_ref().display());
}
