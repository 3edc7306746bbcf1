//! `safeclaw backup`: one file that holds everything.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use backup::{BackupError, SecretString};
use clap::Parser;
use home::Home;
use settings::{Asker, Terminal};

use super::Subcommand;

const MORE_HELP: &str = "\
The file holds what was said and remembered, the settings, the policy, the skills, and what ran. Logs and what is made again are \
left out, and so are the secrets (.env and router/.env): these come along with --secrets, and then the whole file is encrypted \
with a passphrase, in the format of the tool age.

SafeClaw may go on working meanwhile. Keys that lie outside of the home (SAFECLAW_KEY_FILE) are not in it.

  safeclaw backup
  safeclaw backup --secrets ~/safeclaw.age
  safeclaw restore ~/safeclaw.age --dry-run";

/// Put everything into one file: what was said, remembered, set and allowed.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Backup {
    /// The file to make [default: safeclaw-DATE.tar.gz, or .age with --secrets, here].
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Take the secrets along, and encrypt everything. Asks for a passphrase.
    #[arg(long)]
    secrets: bool,
    /// Where the passphrase stands: the first line of this file. Takes the secrets along, too.
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl Subcommand for Backup {
    fn run(self, home: Option<&Path>) -> ExitCode {
        super::say(made(self, home))
    }
}

fn made(wanted: Backup, home: Option<&Path>) -> Result<String, String> {
    let home = Home::locate(home).map_err(|error| error.to_string())?;
    let Backup { file, secrets, passphrase_file } = wanted;
    let passphrase = match passphrase_file {
        Some(file) => Some(read_passphrase(&file)?),
        None if secrets => Some(new_passphrase()?),
        None => None,
    };
    let is_encrypted = passphrase.is_some();
    let file = file.unwrap_or_else(|| default_name(is_encrypted));
    let made = backup::make(&home, &file, passphrase, env!("CARGO_PKG_VERSION"))
        .map_err(|error: BackupError| error.to_string())?;
    let secrets = match is_encrypted {
        true => "secrets included, encrypted: without the passphrase nobody can open it",
        false => "without secrets: .env and router/.env are not in it (--secrets takes them along)",
    };
    Ok(format!(
        "{}: {} files of {}, {} ({secrets}){}",
        file.display(),
        made.files,
        home.root().display(),
        size(made.size),
        left_out(&made.left_out),
    ))
}

/// How many files are named that are not in a backup.
const SHOWN: usize = 20;

/// What a person is told of `files` that are not in a backup.
pub(super) fn left_out(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let shown: String = files.iter().take(SHOWN).map(|file| format!("\n  {file}")).collect();
    let more = files.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!("\n  … and {more} more") };
    format!("\nNot in it:{shown}{more}")
}

fn default_name(is_encrypted: bool) -> PathBuf {
    let date = backup::today();
    let end = if is_encrypted { "age" } else { "tar.gz" };
    PathBuf::from(format!("safeclaw-{date}.{end}"))
}

/// A size as people read it.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// The passphrase that stands in a file.
pub(super) fn read_passphrase(file: &Path) -> Result<SecretString, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let line = text.lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(format!("{} has no passphrase in its first line", file.display()));
    }
    Ok(SecretString::from(line.to_owned()))
}

/// A passphrase that a person types twice.
fn new_passphrase() -> Result<SecretString, String> {
    let first = ask("A passphrase for the backup:")?;
    if first != ask("The same once more:")? {
        return Err("these were two passphrases, so nothing was made; try again".to_owned());
    }
    Ok(SecretString::from(first))
}

/// A passphrase that a person types.
pub(super) fn ask(question: &str) -> Result<String, String> {
    if !Terminal::is_there() {
        return Err("nobody is here to type a passphrase: name a file that holds it with \
                    --passphrase-file"
            .to_owned());
    }
    let typed = Terminal.ask_secret(question).map_err(|error| error.to_string())?;
    if typed.is_empty() {
        Err("an empty passphrase protects nothing".to_owned())
    } else {
        Ok(typed)
    }
}
