//! Draws the recorded session of README.md and the pictures of both pages again, from real runs.

use anyhow::Result;
use xshell::{Shell, cmd};

/// Runs the tests that draw them.
///
/// # Errors
/// When one does not come to its end.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    cmd!(sh, "cargo test --quiet --workspace --locked --test recording")
        .env("SAFECLAW_RECORD", "1")
        .run()?;
    let drawn =
        cmd!(sh, "cargo test --quiet --workspace --locked --test page --test window -- --ignored");
    Ok(drawn.run()?)
}
