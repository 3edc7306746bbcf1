//! `safeclaw stop`: the kill switch.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use super::Subcommand;

/// Stop everything at once: nothing begins any more, and what runs is ended.
#[derive(Debug, Parser)]
pub(super) struct Stop {}

impl Subcommand for Stop {
    fn run(self, home: Option<&Path>) -> ExitCode {
        router::cli::run_one("stop", home)
    }
}
