//! Tries the agent's way to a model on a server that a person names.

use anyhow::Result;
use xshell::{Shell, cmd};

/// How many messages the short eval asks.
const EVAL: &str = "12";

/// Runs the tests that need a model server, and a short eval, against the one at `url`.
///
/// # Errors
/// When a test fails or nobody answers there.
pub(crate) fn run(sh: &Shell, url: &str) -> Result<()> {
    let _url = sh.push_env("SAFECLAW_REAL_MODEL", url);
    cmd!(sh, "cargo test --locked --package agent --test real_model -- --ignored --test-threads 1")
        .run()?;
    crate::eval::run(sh, &["--url", url, "--way", "json", "--limit", EVAL].map(str::to_owned))
}
