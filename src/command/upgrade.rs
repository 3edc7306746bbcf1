//! `safeclaw upgrade`: raises the format of a home, once a copy of it has proved itself.

use std::path::Path;
use std::process::ExitCode;

use backup::{BackupError, UpgradePlan, plan_upgrade, upgrade};
use clap::Parser;
use home::Home;

use super::Subcommand;
use super::backup::{left_out, size};

const MORE_HELP: &str = "\
A home has a format, a number that tells what may be written in it. SafeClaw reads every older format for ever, so nothing forces \
you to upgrade; but what is new in a format is written only then.

First a copy of everything but the secrets is made in before-upgrade in the home, restored beside the home and compared with it, \
file by file. Only then the new number is written, in one step: however this ends, the home is the old one or the new one. \
Secrets (.env and router/.env) are not touched. SafeClaw must not be at work in that home.

  safeclaw upgrade --dry-run
  safeclaw upgrade
  safeclaw rollback             # back to what it was before, keeping what was written since";

/// Let this home be written in the newest format, after a copy of it was made and proved.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Upgrade {
    /// Say what would be done, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Subcommand for Upgrade {
    fn run(self, home: Option<&Path>) -> ExitCode {
        super::say(upgraded(self.dry_run, home))
    }
}

fn upgraded(is_dry: bool, home: Option<&Path>) -> Result<String, String> {
    let said = |error: BackupError| error.to_string();
    let home = Home::locate(home).map_err(|error| error.to_string())?;
    let Some(plan) = plan_upgrade(&home).map_err(said)? else {
        return Ok(format!(
            "{} has format {} already: there is nothing to upgrade",
            home.root().display(),
            home::format::NEWEST
        ));
    };
    home::say!("{}", told(&plan, &home));
    if is_dry {
        return Ok("nothing was changed (--dry-run)".to_owned());
    }
    home::say!("copying {} files ({}), and proving the copy ...", plan.files, size(plan.bytes));
    match upgrade(&home, env!("CARGO_PKG_VERSION")).map_err(said)? {
        None => Ok("somebody was faster: it is upgraded already".to_owned()),
        Some(done) => Ok(format!(
            "it has format {} now. The home as it was before is in {} ({}), restored once and found the same; `{}` takes the \
             home back to it{}",
            plan.to,
            done.copy.display(),
            size(done.made.size),
            home::command("rollback"),
            left_out(&done.made.left_out),
        )),
    }
}

fn told(plan: &UpgradePlan, home: &Home) -> String {
    let UpgradePlan { from, to, brings, .. } = plan;
    let mut lines = vec![format!(
        "{} has format {from}; SafeClaw {} writes format {to}, which brings:",
        home.root().display(),
        env!("CARGO_PKG_VERSION")
    )];
    lines.extend(brings.iter().map(|what| format!("  {what}")));
    lines.join("\n")
}
