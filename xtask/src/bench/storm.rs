//! What a storm of 1,000 messages costs besides its models, measured within one process by the package `bench`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// Runs the measurement.
///
/// # Errors
/// When it fails.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_storm", &[])?;
    let figure = |name, what| said.figure(name, what, "ms");
    Ok(vec![
        figure("load", "1,000 messages are loaded")?.at_most(20.0),
        figure("own", "a speaker's own time, without three writes")?.at_most(2.0),
        figure("disk", "for comparison: this disk keeps one small file")?,
    ])
}
