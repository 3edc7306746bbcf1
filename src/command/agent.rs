//! `safeclaw agent`: the agent's own command line.

use std::process::ExitCode;

use clap::ArgMatches;

/// The setting that the router keeps, beside the papers that it is for.
const EMBED: &str = "embed";

/// Does what was asked of the agent.
pub(super) fn run(matches: &ArgMatches) -> ExitCode {
    let config = matches.subcommand_matches("config");
    let text = |matches: &ArgMatches, name: &str| matches.get_one::<String>(name).cloned();
    match config.filter(|config| text(config, "key").as_deref() == Some(EMBED)) {
        Some(config) => {
            let home = super::home_of(config);
            router::cli::embed(text(config, "value").as_deref(), home, super::ROUTER_PREFIX)
        }
        None => agent::cli::serve(matches),
    }
}
