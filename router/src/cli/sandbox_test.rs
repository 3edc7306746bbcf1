//! `start_router sandbox`: tells what the sandbox is worth on this machine.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use home::Home;

use crate::catalog::printable;
use crate::cli::error::CommandError;
use crate::sandbox::SelfCommand;
use crate::self_test::{self, Verdict};

/// What `--help` tells of what `test` prints.
const TEST_HELP: &str = "\
Each attack runs first without the sandbox, against files, sockets and processes that were made for it; where it \
fails even there it is `not tried`, with the reason. Then it runs in the sandbox that skills run in: `contained` \
or `LEAKED`. The exit code is 1 if anything leaked.

With --json: {\"level\", \"reasons\": [], \"findings\": [{\"attack\", \"verdict\": \"contained\" | \"leaked\" | \
\"not_tried\", \"tried\", \"happened\"}]}.";

/// `sandbox` and what stands behind it.
#[derive(Debug, Args)]
pub(super) struct Sandbox {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Attack the sandbox as a malicious skill would, and tell what held and what did not.
    #[command(after_long_help = TEST_HELP)]
    Test {
        /// Print one JSON document instead of words for people.
        #[arg(long)]
        json: bool,
    },
}

/// Runs the attacks and prints what they found.
pub(super) async fn run(
    home: &Home,
    me: &SelfCommand,
    sandbox: Sandbox,
) -> Result<ExitCode, CommandError> {
    let Command::Test { json } = sandbox.command;
    let report = self_test::run(home, me).await.map_err(CommandError::Attacks)?;
    let text = match json {
        true => format!("{:#}\n", serde_json::json!(report)),
        false => {
            report.to_string().lines().flat_map(|line| [printable(line), "\n".to_owned()]).collect()
        }
    };
    home::say_part(format_args!("{text}"));
    Ok(if report.count(Verdict::Leaked) > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
