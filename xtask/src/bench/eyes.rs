//! What a look at a page takes and holds, measured by the program `bench_eyes`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// How long a warm look at a small page may take, in milliseconds.
const LOOK: f64 = 600.0;

/// How much more the agent may hold for a page of 5 MB, in MB.
const HELD: f64 = 20.0;

/// Runs the measurement.
///
/// # Errors
/// When there is no browser, or a page is not seen.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_eyes", &[])?;
    let figure = |name, what, unit| said.figure(name, what, unit);
    Ok(vec![
        figure("warm", "a small page, a browser is open", "ms")?.at_most(LOOK),
        figure("first", "the first look, nothing is open", "ms")?,
        figure("at_once", "a look right after another one", "ms")?,
        figure("large", "a page of 5 MB", "ms")?,
        figure("large_held", "what the agent holds more for it", "MB")?.at_most(HELD),
    ])
}
