//! What the owner decides from the router's own side: questions, grants, sessions, the PIN and the kill switch.

mod approvals;
mod pin;
mod sessions;
mod switch;

use std::io::Write;

pub(super) use approvals::Approvals;
pub(super) use pin::PinCommand;
pub(super) use sessions::Sessions;
pub(super) use switch::{resume, stop};
pub(super) use {approvals::run as approvals, pin::run as pin, sessions::run as sessions};

use crate::owner::OwnerError;

/// What a person types after `prompt`, without the white space around it.
fn ask_line(prompt: &str) -> Result<String, OwnerError> {
    let mut out = std::io::stdout();
    write!(out, "{prompt}")?;
    out.flush()?;
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.trim().to_owned())
}

/// Whether a person says yes; nothing typed is a no.
fn ask_yes(question: &str) -> Result<bool, OwnerError> {
    let typed = ask_line(&format!("{question} [y/N] "))?;
    Ok(matches!(typed.to_ascii_lowercase().as_str(), "y" | "yes"))
}
