//! When the agent's page and the wall's window are painted, and what they hold, measured by the program `bench_page`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// When something must stand on the screen, in milliseconds after the page was asked for.
const PAINT: f64 = 100.0;

/// What an agent with 200 sessions and its page open may hold, in MB.
const HELD: f64 = 40.0;

/// What the router may hold more with its window on, in MB.
const WINDOW: f64 = 2.0;

/// Runs the measurement.
///
/// # Errors
/// When there is no browser, or a page is never painted.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_page", &[])?;
    let figure = |name, what, unit| said.figure(name, what, unit);
    Ok(vec![
        figure("page", "the chat's first paint, 200 sessions, nothing cached", "ms")?
            .at_most(PAINT),
        figure("window", "the window's first paint, nothing cached", "ms")?.at_most(PAINT),
        figure("word", "for comparison: a page of one word, the same headers", "ms")?,
        figure("held", "what an agent with 200 sessions and its page holds", "MB")?.at_most(HELD),
        figure("window_held", "what the router holds more with its window", "MB")?.at_most(WINDOW),
    ])
}
