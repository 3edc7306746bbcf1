//! `safeclaw storm`: several minds around one question.

use std::process::ExitCode;

use clap::ArgMatches;

/// Does what was asked of the storms.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    agent::cli::storm(matches, super::home_of(matches))
}
