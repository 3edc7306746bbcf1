//! What a turn costs besides the model, measured within one process by the package `bench`.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{Figure, program};

/// What people wait for is the model; the mind may add this much to it, in milliseconds.
const BUDGET: f64 = 2.0;

/// Runs the measurement.
///
/// # Errors
/// When a turn fails.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let program = program::path(sh, "bench");
    let said = cmd!(sh, "{program}").quiet().read()?;
    let figure = |name: &str, what: &str| -> Result<Figure> {
        let value = said.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Ok(Figure::new(what, value.with_context(|| format!("no {name} in {said:?}"))?, "ms"))
    };
    Ok(vec![
        figure("plain", "words, 500 memory keys, 50 skills")?.at_most(BUDGET),
        figure("acting", "an action of the router and words, the same")?.at_most(BUDGET),
        figure("disk", "for comparison: this disk keeps one small file")?,
    ])
}
