//! What a turn costs besides the model, measured within one process by the package `bench`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// What people wait for is the model; the mind may add this much to it, in milliseconds.
const BUDGET: f64 = 2.0;

/// Runs the measurement.
///
/// # Errors
/// When a turn fails.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench", &[])?;
    let figure = |name, what| said.figure(name, what, "ms");
    Ok(vec![
        figure("plain", "words, 500 memory keys, 50 skills")?.at_most(BUDGET),
        figure("acting", "an action of the router and words, the same")?.at_most(BUDGET),
        figure("disk", "for comparison: this disk keeps one small file")?,
    ])
}
