//! Asks cargo-deny about the dependencies; `deny.toml` holds the rules.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::tool::CARGO_DENY;

/// Checks licences, banned crates and sources of the whole workspace, not of its root package alone. It
/// needs no network once the crates are fetched.
///
/// # Errors
/// When a rule is broken.
pub(crate) fn check(sh: &Shell) -> Result<()> {
    let cargo_deny = CARGO_DENY.find(sh)?;
    Ok(cmd!(sh, "{cargo_deny} --locked --workspace check licenses bans sources").run()?)
}

/// Checks the dependencies against the database of known vulnerabilities, which it fetches with git.
///
/// # Errors
/// When one is known, or the database can't be fetched.
pub(crate) fn advisories(sh: &Shell) -> Result<()> {
    let cargo_deny = CARGO_DENY.find(sh)?;
    Ok(cmd!(sh, "{cargo_deny} --locked --workspace check advisories").run()?)
}
