//! `safeclaw rollback`: takes a home back to what it was before its upgrade.

use std::path::Path;
use std::process::ExitCode;

use backup::{BackupError, Rollback as Way, RollbackPlan};
use clap::Parser;
use home::Home;

use super::Subcommand;
use super::restore::{agreed, listed};

const MORE_HELP: &str = "\
The copy that the upgrade made is read and proved first. Then every file gets the content that it had before the upgrade. What \
was written since is kept: each file that changes or was not there before stands in before-rollback-TIME in the home, under its \
own path, and this command names them all. Secrets (.env and router/.env), logs, and what a Redis keeps stay as they are. \
SafeClaw must not be at work in that home.

A SafeClaw that is too old for a home finds the way back as well.

  safeclaw rollback --dry-run
  safeclaw rollback";

/// Take this home back to what it was before its upgrade; what was written since is kept.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Rollback {
    /// Say what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing.
    #[arg(long)]
    yes: bool,
}

impl Subcommand for Rollback {
    fn run(self, home: Option<&Path>) -> ExitCode {
        super::say(rolled_back(&self, home))
    }
}

fn rolled_back(wanted: &Rollback, home: Option<&Path>) -> Result<String, String> {
    let said = |error: BackupError| error.to_string();
    let home = Home::locate(home).map_err(|error| error.to_string())?;
    let way = Way::find(&home).map_err(said)?;
    let plan = way.plan().map_err(said)?;
    home::say!("{}", told(&way, &plan, &home));
    if wanted.dry_run {
        return Ok("nothing was changed (--dry-run)".to_owned());
    }
    if !wanted.yes && !agreed("Take it back to that?")? {
        return Ok("nothing was changed".to_owned());
    }
    let from = way.upgraded().from;
    let kept = way.run().map_err(said)?;
    let kept = kept.map_or_else(String::new, |folder| {
        format!("; what was written since is in {}", folder.display())
    });
    Ok(format!("it has format {from} again{kept}"))
}

fn told(way: &Way, plan: &RollbackPlan, home: &Home) -> String {
    let head = format!(
        "{} has format {} since the upgrade of {}; back to format {}: {} files get their content of then, {} come back, {} were \
         not there then",
        home.root().display(),
        way.format(),
        way.upgraded().at,
        way.upgraded().from,
        plan.replaced.len(),
        plan.back.len(),
        plan.since.len(),
    );
    let changes = [
        ("  kept and replaced  ", &plan.replaced),
        ("  kept and taken out ", &plan.since),
        ("  comes back         ", &plan.back),
    ];
    let lines = changes
        .into_iter()
        .flat_map(|(what, paths)| paths.iter().map(move |path| format!("{what}{path}")));
    listed(head, lines.collect(), usize::MAX)
}
