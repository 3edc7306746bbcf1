//! `safeclaw agent`: the agent's own command line.

use std::process::ExitCode;

use clap::ArgMatches;

/// Does what was asked of the agent.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    agent::cli::serve(matches)
}
