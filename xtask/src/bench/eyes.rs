//! What a look at a page takes and holds, measured by the program `bench_eyes`.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use super::{Figure, program};

/// How long a warm look at a small page may take, in milliseconds.
const LOOK: f64 = 600.0;

/// How much more the agent may hold for a page of 5 MB, in MB.
const HELD: f64 = 20.0;

/// Runs the measurement.
///
/// # Errors
/// When there is no browser, or a page is not seen.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let program = program::path(sh, "bench_eyes");
    let said = cmd!(sh, "{program}").quiet().read()?;
    let figure = |name: &str, what: &str, unit: &'static str| -> Result<Figure> {
        let value = said.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        Ok(Figure::new(what, value.with_context(|| format!("no {name} in {said:?}"))?, unit))
    };
    Ok(vec![
        figure("warm ", "a small page, a browser is open", "ms")?.at_most(LOOK),
        figure("first ", "the first look, nothing is open", "ms")?,
        figure("at_once ", "a look right after another one", "ms")?,
        figure("large ", "a page of 5 MB", "ms")?,
        figure("large_held ", "what the agent holds more for it", "MB")?.at_most(HELD),
    ])
}
