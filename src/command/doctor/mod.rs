//! `safeclaw doctor`: looks at everything, attacks its own sandbox, and tells what mends what is not right. It writes nothing
//! to the home, takes no lock, and keeps no log.

mod ground;
mod unit;

use std::path::Path;
use std::process::ExitCode;

use ::agent::StartError;
use ::router::sandbox::SelfCommand;
use clap::Parser;
use home::{Check, Home, Status};
use serde_json::json;

use super::{ROUTER_PREFIX, Subcommand};

/// What `--help` tells of the exit codes and of `--json`.
const MORE_HELP: &str = "\
Each line tells what was tried and what happened, and the line below it tells what mends it. The exit code is 0 when all is \
well, 1 when there are warnings, 2 when something does not work.

With --json: {\"checks\": [{\"name\", \"status\": \"ok\" | \"warn\" | \"fail\", \"seen\", \"mend\"}]}. Neither form \
shows a secret.";

/// Look at everything, attack the sandbox, and tell what mends what is not right. It changes nothing.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Doctor {
    /// Print one JSON object instead of words for people.
    #[arg(long)]
    json: bool,
}

impl Subcommand for Doctor {
    fn run(self, home: Option<&Path>) -> ExitCode {
        match examined(home) {
            Ok(checks) => {
                let text = match self.json {
                    true => format!("{:#}\n", json!({ "checks": checks })),
                    false => told(&checks),
                };
                home::say_part(format_args!("{text}"));
                ExitCode::from(code(&checks))
            }
            Err(error) => ::agent::cli::finish(Err(error)),
        }
    }
}

/// Everything that was looked at in the home that `given` names.
fn examined(given: Option<&Path>) -> Result<Vec<Check>, StartError> {
    let home = Home::locate(given)?;
    let exe = std::env::current_exe()?;
    let me =
        SelfCommand { exe, prefix: ROUTER_PREFIX.iter().map(|&word| word.to_owned()).collect() };
    Ok(::agent::runtime()?.block_on(async {
        let (minds, walls) =
            tokio::join!(::agent::doctor::checks(&home), ::router::doctor::checks(&home, &me));
        let units = unit::checks(&home);
        [ground::checks(&home), minds, walls, units].concat()
    }))
}

/// 0, 1 with a warning, 2 with a failure.
fn code(checks: &[Check]) -> u8 {
    match checks.iter().map(|check| check.status).max() {
        None | Some(Status::Ok) => 0,
        Some(Status::Warn) => 1,
        Some(Status::Fail) => 2,
    }
}

fn told(checks: &[Check]) -> String {
    let mut text: String = checks.iter().map(line).collect();
    let count = |status| checks.iter().filter(|check| check.status == status).count();
    let (failures, warnings) = (count(Status::Fail), count(Status::Warn));
    text.push_str(&match (failures, warnings) {
        (0, 0) => "\nAll is well.\n".to_owned(),
        (0, warnings) => format!("\nIt works, with {}.\n", many(warnings, "warning")),
        (failures, 0) => format!("\n{} to mend first.\n", many(failures, "failure")),
        (failures, warnings) => {
            format!(
                "\n{} to mend first, and {}.\n",
                many(failures, "failure"),
                many(warnings, "warning")
            )
        }
    });
    text
}

fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn line(check: &Check) -> String {
    let word = match check.status {
        Status::Ok => "ok",
        Status::Warn => "warn",
        Status::Fail => "FAIL",
    };
    let Check { name, seen, mend, .. } = check;
    // What a file or a server says may hold anything.
    let clean = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
    let mend = match mend.as_str() {
        "" => String::new(),
        mend => format!("{:<24}→ {}\n", "", clean(mend)),
    };
    format!("{word:<5} {name:<17} {}\n{mend}", clean(seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_line_decides_the_exit_code() {
        let (ok, warn) = (Check::ok("a", ""), Check::warn("b", "", "x"));
        let fail = Check::fail("c", "", "x");
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[ok.clone(), ok.clone()]), 0);
        assert_eq!(code(&[warn.clone(), ok.clone()]), 1);
        assert_eq!(code(&[fail, warn, ok]), 2);
    }

    #[test]
    fn a_line_names_what_mends_it_and_shows_no_control_characters() {
        let text =
            told(&[Check::warn("queue", "red\u{1b}[31m", "start it"), Check::ok("disk", "5 GiB")]);
        assert_eq!(
            text,
            "warn  queue             red[31m\n                        → start it\nok    disk              5 GiB\n\n\
             It works, with 1 warning.\n"
        );
    }
}
