//! Tries the agent's way to a model on a server that a person names.

use anyhow::Result;
use xshell::{Shell, cmd};

/// What the short eval asks: twelve messages from all parts of the list, in the two ways in which every model ends by itself (a
/// small one may write without end in the native way, which the tests ask once). Any model that is of use gets half of
/// them right in the json way.
const EVAL: [&str; 9] =
    ["--fresh", "--way", "tool_code", "--way", "json", "--limit", "12", "--floor", "50"];

/// Runs the tests that need a model server, and a short eval, against the one at `url`.
///
/// # Errors
/// When a test fails or nobody answers there.
pub(crate) fn run(sh: &Shell, url: &str) -> Result<()> {
    let _url = sh.push_env("SAFECLAW_REAL_MODEL", url);
    cmd!(sh, "cargo test --locked --package agent --test real_model -- --ignored --test-threads 1")
        .run()?;
    let args = ["--url", url].into_iter().chain(EVAL).map(str::to_owned).collect::<Vec<_>>();
    crate::eval::run(sh, &args)
}
