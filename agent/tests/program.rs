//! `start_agent` as a program of its own.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::disallowed_types)]

use std::fs::File;
use std::process::Command;

use testkit::TempHome;

#[test]
fn what_a_full_disk_swallows_is_an_error() {
    let home = TempHome::new();
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut config = Command::new(env!("CARGO_BIN_EXE_start_agent"));
    config.arg("config").arg("--home").arg(home.root()).env_clear().stdout(full);
    let output = config.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("can't be written: No space left"), "{told}");
}
