//! What a storm of 1,000 messages costs besides its models, measured within one process by the package `bench`.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{Figure, program};

/// Runs the measurement.
///
/// # Errors
/// When it fails.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let program = program::path(sh, "bench_storm");
    let said = cmd!(sh, "{program}").quiet().read()?;
    let figure = |name: &str, what: &str| -> Result<Figure> {
        let value = said.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Ok(Figure::new(what, value.with_context(|| format!("no {name} in {said:?}"))?, "ms"))
    };
    Ok(vec![
        figure("load", "1,000 messages are loaded")?.at_most(20.0),
        figure("own", "a speaker's own time, without three writes")?.at_most(2.0),
        figure("disk", "for comparison: this disk keeps one small file")?,
    ])
}
