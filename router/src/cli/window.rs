//! `start_router window`: the wall's window in a browser, turned on and off, and a link that opens it.

use std::net::TcpStream;
use std::time::Duration;

use clap::{Args, Subcommand};
use home::{ConfigError, Home};
use protocol::Millis;
use window::{Address, KeyError, KeyFile};

use super::wishes::{self, WishError};
use crate::config::{WindowPlace, read_config};

/// What `--help` teaches.
const MORE_HELP: &str = include_str!("window_help.txt");

/// How long the window may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(2);

/// `window` and what stands behind it.
#[derive(Debug, Args)]
#[command(after_long_help = super::typed_here(MORE_HELP))]
pub(super) struct WindowCommand {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a link that opens the window once, within ten minutes. The default.
    Link,
    /// Turn the window on, at once and at every start.
    On {
        /// Where it listens: an address of this machine alone that no other page has.
        #[arg(default_value_t = Address::USUAL)]
        address: Address,
    },
    /// Turn the window off, and shut it for everybody who has it open.
    Off,
}

/// Why there is no link, or nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WindowError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Wish(#[from] WishError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("the window is off; `{}` turns it on", home::router_command("window on"))]
    Off,
    #[error(
        "the window is on, and no router of this home shows it at {0}: start one with `{start}`, or `{with}`",
        start = home::router_command(""), with = home::command("")
    )]
    NoRouter(Address),
}

/// Does what the command line asks for.
pub(super) fn run(home: &Home, window: WindowCommand) -> Result<(), WindowError> {
    let said = match window.command.unwrap_or(Command::Link) {
        Command::Link => link(home)?,
        Command::On { address } => turn(home, WindowPlace(Some(address)))?,
        Command::Off => turn(home, WindowPlace(None))?,
    };
    home::say!("{said}");
    Ok(())
}

fn link(home: &Home) -> Result<String, WindowError> {
    let Some(address) = read_config(home)?.window.0 else { return Err(WindowError::Off) };
    let no_router = WindowError::NoRouter(address);
    let Some(key) = KeyFile::read(&KeyFile::path(&home.router_state()))? else {
        return Err(no_router);
    };
    // A router that was killed leaves its key behind.
    if TcpStream::connect_timeout(&key.listen.socket(), PATIENCE).is_err() {
        return Err(no_router);
    }
    let link = key.link(Millis::of_this_machine());
    Ok(format!(
        "{link}\nIt opens the window once, within ten minutes. Whoever has it is the owner."
    ))
}

fn turn(home: &Home, place: WindowPlace) -> Result<String, WindowError> {
    // What is wrong in there is said before it is changed.
    read_config(home)?;
    wishes::set(home, "window", place.into())?;
    let command = home::router_command("window");
    Ok(match place.0 {
        Some(address) => format!(
            "the window is on: http://{address}\na router that runs opens it within seconds, others when they start; `{command}` prints a link into it"
        ),
        None => "the window is off, and shut for everybody who had it open".to_owned(),
    })
}
