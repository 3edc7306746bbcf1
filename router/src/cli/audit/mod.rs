//! `start_router audit`: proves that the audit log is whole, and shows it.

mod check;
mod error;
mod show;

use std::io::{self, Write};

use clap::{Args, Subcommand};
use home::Home;
use when::Since;

pub(crate) use self::error::AuditError;

pub use self::show::traced;

use crate::audit_log::Head;

/// What `--help` teaches.
const MORE_HELP: &str = include_str!("help.txt");

/// `audit` and what stands behind it.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(MORE_HELP))]
pub(super) struct Audit {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check every row of every log in the home; exit code 1 and the first broken row if one does not hold.
    Verify {
        /// A head that you have kept, as `audit head` prints it: it must still be there. May be repeated.
        #[arg(long, value_name = "COUNTER:HASH")]
        head: Vec<Head>,
        /// Accept that the oldest files are gone, because you have moved them elsewhere.
        #[arg(long)]
        archived: bool,
    },
    /// Print where each log ends, to be kept elsewhere.
    Head,
    /// Show the newest rows.
    Tail {
        /// How many.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        lines: usize,
        /// Go on with those that are written from now on, until Ctrl-C.
        #[arg(short, long)]
        follow: bool,
    },
    /// Print all rows of all logs, by time.
    Export {
        /// Only those since then: a span such as 90m, 12h or 7d, a day such as 2026-11-20, or a time such as
        /// 2026-11-20T18:00:00Z (all in UTC).
        #[arg(long, value_name = "T")]
        since: Option<Since>,
        /// One JSON object a line, with everything, instead of words for people.
        #[arg(long)]
        json: bool,
    },
}

/// Does what the command line asks for.
pub(super) fn run(home: &Home, audit: Audit) -> Result<(), AuditError> {
    let folder = home.router_audit();
    let done = match audit.command {
        Command::Verify { head, archived } => check::verify(&folder, &head, archived),
        Command::Head => check::heads(&folder),
        Command::Tail { lines, follow: false } => show::tail(&folder, lines),
        Command::Tail { lines, follow: true } => show::follow(&folder, lines),
        Command::Export { since, json } => show::export(&folder, since, json),
    };
    match done {
        // Whoever reads has seen enough.
        Err(AuditError::Print(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

fn print(text: &str) -> Result<(), AuditError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}
