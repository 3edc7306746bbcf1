//! `pin`: sets the owner's PIN, takes it away, unlocks it, and tells how it stands.

use std::io::{self, IsTerminal};

use clap::{Args, Subcommand};
use home::Home;
use inquire::{InquireError, Password, PasswordDisplayMode};

use crate::owner::{self, OwnerError, deeds, now};
use crate::pin::GUARDED;

/// What `--help` teaches.
const MORE_HELP: &str = include_str!("pin_help.txt");

/// `pin` and what stands behind it.
#[derive(Debug, Args)]
#[command(after_long_help = crate::cli::typed_here(MORE_HELP))]
pub(in crate::cli) struct PinCommand {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say whether a PIN is set, what it guards, and whether it is locked. The default.
    Status,
    /// Set a PIN of 4 to 6 digits, or another one in its place: typed twice, unseen, or the first line of stdin.
    Set,
    /// Take the PIN away: none is asked for any more.
    Remove,
    /// Let the PIN be typed again that three wrong tries have locked.
    Unlock,
}

/// Does what the command line asks for.
pub(in crate::cli) async fn run(home: &Home, pin: PinCommand) -> Result<(), OwnerError> {
    let said = match pin.command.unwrap_or(Command::Status) {
        Command::Status => status(home).await?,
        Command::Set => {
            let typed = new_pin()?;
            owner::set_pin(home, &deeds(home), typed)?;
            format!("the PIN is set; it guards {} from now on", guarded())
        }
        Command::Remove => match owner::remove_pin(home, &deeds(home))? {
            true => "no PIN is asked for any more".to_owned(),
            false => "no PIN was set".to_owned(),
        },
        Command::Unlock => match owner::unlock_pin(home, &deeds(home)).await? {
            true => "the PIN can be entered again; you have three tries".to_owned(),
            false => "it was not locked".to_owned(),
        },
    };
    home::say!("{said}");
    Ok(())
}

async fn status(home: &Home) -> Result<String, OwnerError> {
    let set = home::router_command("pin set");
    Ok(match owner::pin_status(home).await? {
        (false, _) => format!("no PIN is set; `{set}` sets one"),
        (true, None) => format!("a PIN is set; it guards {}", guarded()),
        (true, Some(until)) => {
            let minutes = until.since(now()).as_secs().div_ceil(60);
            let unlock = home::router_command("pin unlock");
            format!("a PIN is set, and locked for {minutes} more minutes; `{unlock}` ends that")
        }
    })
}

/// What it guards, as people read it.
fn guarded() -> String {
    let routed = GUARDED.iter().filter(|name| !name.starts_with('_'));
    let names: Vec<&str> = routed.copied().collect();
    format!("{} and what [pin] in router/policy.toml adds", names.join(", "))
}

/// The PIN that a person has typed: twice the same, where nobody can see what was typed.
fn new_pin() -> Result<protocol::Pin, OwnerError> {
    if !io::stdin().is_terminal() {
        return read(&super::ask_line("")?);
    }
    let asked = Password::new("New PIN, 4 to 6 digits:")
        .with_custom_confirmation_message("The same once more:")
        .with_custom_confirmation_error_message("the two were not the same")
        .with_display_mode(PasswordDisplayMode::Hidden)
        .prompt();
    read(&asked.map_err(ended)?)
}

fn ended(error: InquireError) -> OwnerError {
    match error {
        InquireError::OperationCanceled | InquireError::OperationInterrupted => {
            OwnerError::Pin("ended by you, and nothing was changed")
        }
        other => io::Error::other(other).into(),
    }
}

fn read(typed: &str) -> Result<protocol::Pin, OwnerError> {
    let pin = protocol::Pin::typed(typed).filter(protocol::Pin::is_whole);
    pin.ok_or(OwnerError::Pin("a PIN is 4 to 6 digits and nothing else; nothing was changed"))
}
