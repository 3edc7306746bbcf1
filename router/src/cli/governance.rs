//! `start_router governance`: finds mistakes in router/governance.json, and tells what it says of a line.

use std::process::ExitCode;

use ::governance::{Access, Governance as Lists, Ruling};
use clap::{Args, Subcommand};
use home::Home;

use crate::catalog;
use crate::cli::error::CommandError;
use crate::policy::{self, PolicyError};

/// What `--help` teaches.
const MORE_HELP: &str = include_str!("governance.txt");

/// `governance` and what stands behind it.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(MORE_HELP))]
pub(super) struct Governance {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Find every mistake in router/governance.json, and show which folders are open; exit code 1 if there is a mistake.
    Check,
    /// Tell what becomes of a line of shell, command by command, and of a path. Nothing is run; exit code 1 if it is denied.
    Explain {
        /// The line, in quotes, such as "ls | head -3"; with --path, a path.
        line: String,
        /// It is a path to read.
        #[arg(long)]
        path: bool,
    },
}

/// Does what the command line asks for.
pub(super) fn run(home: &Home, governance: Governance) -> Result<ExitCode, CommandError> {
    crate::defaults::write_missing(home)?;
    let file = home.router().join("governance.json");
    let (text, code) = match (policy::governance(&file), governance.command) {
        (Ok(lists), Command::Check) => (checked(&lists, home), ExitCode::SUCCESS),
        (Ok(lists), Command::Explain { line, path: true }) => explained_path(&lists, &line),
        (Ok(lists), Command::Explain { line, path: false }) => explained(&lists, &line),
        (Err(error @ PolicyError::Ungoverned { .. }), _) => {
            let end = "a router that starts denies everything of this machine until it is mended";
            (format!("{error}\n{end}\n"), ExitCode::FAILURE)
        }
        (Err(error), _) => return Err(error.into()),
    };
    let lines = text.lines().flat_map(|line| [catalog::printable(line), "\n".to_owned()]);
    home::say_part(format_args!("{}", lines.collect::<String>()));
    Ok(code)
}

fn checked(lists: &Lists, home: &Home) -> String {
    let counts = lists.counts();
    let counts = counts.iter().map(|(list, count)| format!("{count} in {list}"));
    let mut text = format!("commands: {}\n", counts.collect::<Vec<_>>().join(", "));
    let opened = policy::opened(lists, home.root());
    if opened.is_empty() {
        text.push_str("no folder is open; paths.allowed opens one\n");
    }
    for folder in opened {
        let how = if folder.write { "is read and written" } else { "is read" };
        text.push_str(&format!("{} {how}\n", folder.path.display()));
        for hidden in folder.hidden {
            text.push_str(&format!("  but not {}\n", hidden.display()));
        }
    }
    for problem in policy::problems(lists, home.root()) {
        text.push_str(&format!("not open: {problem}\n"));
    }
    text
}

fn explained(lists: &Lists, line: &str) -> (String, ExitCode) {
    let verdict = lists.judge(line);
    let word = |ruling| match ruling {
        Ruling::Allow => "allow",
        Ruling::Confirm => "ask",
        Ruling::Deny => "deny",
    };
    let one = |part: &::governance::Judged| {
        format!("{:<6} {}\n       {}\n", word(part.ruling), legible::line(&part.shown), part.why)
    };
    let parts: String = verdict.parts.iter().map(one).collect();
    let text = format!("{parts}\nThe line: {}\n", word(verdict.ruling()));
    (text, code(verdict.ruling() != Ruling::Deny))
}

fn explained_path(lists: &Lists, path: &str) -> (String, ExitCode) {
    let whole = lists.paths().whole(path);
    let judged = lists.paths().judge(&whole, Access::Read);
    let is_ok = judged.is_ok();
    let text = match judged {
        Ok(()) => format!("allow  {}\n", whole.display()),
        Err(why) => format!("deny   {}\n       {why}\n", whole.display()),
    };
    (text, code(is_ok))
}

fn code(is_right: bool) -> ExitCode {
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
