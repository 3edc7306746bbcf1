//! Asks a real model. The crate `eval` does that, through the agent's own prompt.

use anyhow::Result;
use xshell::{Shell, cmd};

/// Passes `args` on to the crate's own program.
///
/// # Errors
/// When the model does not answer, or it can't be run.
pub(crate) fn run(sh: &Shell, args: &[String]) -> Result<()> {
    Ok(cmd!(sh, "cargo run --quiet --locked --package eval -- {args...}").run()?)
}
