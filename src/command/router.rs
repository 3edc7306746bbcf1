//! `safeclaw router`: the router's own command line.

use std::process::ExitCode;

use clap::ArgMatches;

/// What stands before the router's arguments when it starts this program again.
pub(crate) const PREFIX: &[&str] = &["router"];

/// Does what was asked of the router.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    router::cli::serve(matches, PREFIX)
}
