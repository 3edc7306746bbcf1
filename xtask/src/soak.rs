//! Lets the programs work for long. The crate `soak` does that.

use anyhow::Result;
use xshell::{Shell, cmd};

/// Builds what is to be looked at, unless `args` name another program, and passes `args` on to the crate's own program.
///
/// # Errors
/// When something was lost or has grown, or it can't be run.
pub(crate) fn run(sh: &Shell, args: &[String]) -> Result<()> {
    let is_named = |arg: &String| arg.starts_with("--program") || arg == "--help" || arg == "-h";
    if !args.iter().any(is_named) {
        cmd!(sh, "cargo build --quiet --locked --release --bin safeclaw").run()?;
    }
    Ok(cmd!(sh, "cargo run --quiet --locked --package soak -- {args...}").run()?)
}
