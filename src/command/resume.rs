//! `safeclaw resume`: takes the kill switch back.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use super::Subcommand;

/// Let everything go on after a stop.
#[derive(Debug, Parser)]
pub(super) struct Resume {}

impl Subcommand for Resume {
    fn run(self, home: Option<&Path>) -> ExitCode {
        router::cli::run_one("resume", home)
    }
}
