//! `safeclaw import`: brings along what the home of another program holds.

mod first;
mod multis;
mod plan;
mod running;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser};
use home::{Home, Lock};

use self::plan::Plan;
use super::Subcommand;
use super::restore::agreed;

const MORE_HELP: &str = "\
Each line of the list says what comes along, or what stays and why. What stands here already is never overwritten, and nothing is \
changed or removed there. Keys and tokens go to .env, which only its owner reads. Nothing is read from a home that is in use.

  safeclaw import multis --dry-run
  safeclaw import multis ~/.multis
  safeclaw import safeclaw ~/safeclaw-python --dry-run";

/// Bring along what the home of multis, or of the first SafeClaw, holds; what stands here is kept.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Import {
    #[command(subcommand)]
    from: Source,
}

/// Where it comes from.
#[derive(Debug, clap::Subcommand)]
enum Source {
    /// From multis: its settings, its keys, the business, the owner's memory and its skills.
    Multis {
        /// Its home [default: ~/.multis].
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// From the first SafeClaw, which was written in Python: its settings, its keys and its workspace.
    Safeclaw {
        /// The folder in which agent/ and router/ lie, or the agent's own.
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        #[command(flatten)]
        how: How,
    },
}

#[derive(Debug, Clone, Copy, Args)]
struct How {
    /// Say what would come along, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing.
    #[arg(long)]
    yes: bool,
}

impl Subcommand for Import {
    fn run(self, home: Option<&Path>) -> ExitCode {
        super::say(imported(self, home))
    }
}

fn imported(wanted: Import, home: Option<&Path>) -> Result<String, String> {
    let home = Home::locate(home).map_err(|error| error.to_string())?;
    let (dir, how) = match &wanted.from {
        Source::Multis { dir: Some(dir), how } | Source::Safeclaw { dir, how } => {
            (dir.clone(), *how)
        }
        Source::Multis { dir: None, how } => {
            let own = etcetera::home_dir().map_err(|error| format!("no home folder: {error}"))?;
            (own.join(".multis"), *how)
        }
    };
    let dir = dir.canonicalize().map_err(|error| format!("{}: {error}", dir.display()))?;
    if dir == home.root() || dir.join(home::format::FILE).exists() {
        return Err(format!(
            "{} is a home of this SafeClaw: `--home` uses it, and `{}` copies one",
            dir.display(),
            home::command("backup")
        ));
    }
    running::check(&dir)?;
    let mut plan = Plan::new(&home)?;
    match wanted.from {
        Source::Multis { .. } => multis::plan(&dir, &mut plan)?,
        Source::Safeclaw { .. } => first::plan(&dir, &mut plan)?,
    }
    home::say!("{}", plan.told(&dir));
    if how.dry_run {
        return Ok("nothing was changed (--dry-run)".to_owned());
    }
    if plan.is_empty() {
        return Ok("nothing comes along, so nothing was changed".to_owned());
    }
    if !how.yes && !agreed("Bring this along?")? {
        return Ok("nothing was changed".to_owned());
    }
    let home = Home::open(Some(home.root())).map_err(|error| error.to_string())?;
    let _lock = Lock::take(&home.agent_lock()).map_err(|error| error.to_string())?;
    let count = plan.carry_out(&home)?;
    Ok(format!("{count} things have come along; `{}` looks at everything", home::command("doctor")))
}
