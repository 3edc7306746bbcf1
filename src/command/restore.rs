//! `safeclaw restore`: puts a backup back.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use backup::{Backup, BackupError, RestorePlan, Restored, SecretString};
use clap::Parser;
use home::Home;
use settings::{Asker, Terminal};

use super::Subcommand;
use super::backup::{ask, read_passphrase};

const MORE_HELP: &str = "\
The whole backup is read and every sum in it is proved before anything is written. A file that stands there with another content \
is kept in before-restore-TIME in the home, and what the backup does not hold stays where it is. SafeClaw must not be at work \
in that home.

  safeclaw restore safeclaw-2026-11-23.tar.gz --dry-run
  safeclaw --home ~/new-home restore safeclaw-2026-11-23.tar.gz";

/// How many paths are shown.
const SHOWN: usize = 20;

/// Put everything from a backup back; what stands there now is kept.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Restore {
    /// The backup.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Say what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Ask nothing.
    #[arg(long)]
    yes: bool,
    /// Where the passphrase stands: the first line of this file.
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl Subcommand for Restore {
    fn run(self, home: Option<&Path>) -> ExitCode {
        super::say(restored(&self, home))
    }
}

fn restored(wanted: &Restore, home: Option<&Path>) -> Result<String, String> {
    let home = Home::locate(home).map_err(|error| error.to_string())?;
    let given = wanted.passphrase_file.as_deref().map(read_passphrase).transpose()?;
    let said = |error: BackupError| error.to_string();
    let backup = match Backup::read(&wanted.file, home.root(), given) {
        Err(BackupError::NoPassphrase(_)) if Terminal::is_there() => {
            let passphrase = SecretString::from(ask("The passphrase of the backup:")?);
            Backup::read(&wanted.file, home.root(), Some(passphrase)).map_err(said)?
        }
        read => read.map_err(said)?,
    };
    let plan = backup.plan(&home).map_err(said)?;
    home::say!("{}", told(&plan, &backup, home.root()));
    if wanted.dry_run {
        return Ok("nothing was changed (--dry-run)".to_owned());
    }
    if plan.new.is_empty() && plan.replaced.is_empty() {
        return Ok("nothing is to be done".to_owned());
    }
    if !wanted.yes && !agreed("Restore this?")? {
        return Ok("nothing was changed".to_owned());
    }
    let Restored { written, kept } = backup.restore(&home).map_err(said)?;
    let kept = kept.map_or_else(String::new, |folder| {
        format!("; what stood there before is in {}", folder.display())
    });
    let secrets = match backup.has_secrets() {
        true => String::new(),
        false => format!(
            "\nThe backup holds no secrets: `{}` sets those of models and channels again, and router/.env takes those of skills; `{}` \
             says what is missing",
            home::command("init"),
            home::command("doctor")
        ),
    };
    Ok(format!("{written} files are restored{kept}{secrets}"))
}

fn told(plan: &RestorePlan, backup: &Backup, root: &Path) -> String {
    let head = format!(
        "backup of {}: {} files are new in {}, {} replace others, {} are there already",
        backup.made_at(),
        plan.new.len(),
        root.display(),
        plan.replaced.len(),
        plan.same
    );
    let changes = plan.replaced.iter().map(|path| format!("  replaces {}", legible::line(path)));
    let changes =
        changes.chain(plan.new.iter().map(|path| format!("  new      {}", legible::line(path))));
    let logs = (!plan.logs.is_empty()).then(|| {
        "  the audit logs of the backup are left out, because those of this home go on".to_owned()
    });
    listed(head, logs.into_iter().chain(changes).collect(), SHOWN)
}

/// A line with the `first` of the `lines` below it, and how many more there are.
pub(super) fn listed(head: String, mut lines: Vec<String>, first: usize) -> String {
    let more = lines.len().saturating_sub(first);
    lines.truncate(first);
    lines.extend((more > 0).then(|| format!("  and {more} more")));
    std::iter::once(head).chain(lines).collect::<Vec<_>>().join("\n")
}

/// Whether a person says yes to `question`.
pub(super) fn agreed(question: &str) -> Result<bool, String> {
    if !Terminal::is_there() {
        return Err("nobody is here to say yes: pass --yes, or --dry-run to see what would change"
            .to_owned());
    }
    let choices = ["no".to_owned(), "yes".to_owned()];
    let chosen = Terminal.choose(question, &choices, 0).map_err(|error| error.to_string())?;
    Ok(chosen == 1)
}
