//! Draws the recorded session of README.md again, from a real run.

use anyhow::Result;
use xshell::{Shell, cmd};

/// Runs the test that compares the picture, and has it write the picture.
///
/// # Errors
/// When the session does not come to its end.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    Ok(cmd!(sh, "cargo test --quiet --locked --test recording")
        .env("SAFECLAW_RECORD", "1")
        .run()?)
}
