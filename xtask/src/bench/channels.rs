//! What many chats at once cost the mind, measured within one process by `bench_channels`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// What the mind may add before the model is asked, in milliseconds.
const DELAY: f64 = 5.0;

/// What a process with 200 chats may hold, in MB.
const HELD: f64 = 40.0;

/// Runs the measurement.
///
/// # Errors
/// When a turn fails.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_channels", &[])?;
    let figure = |name, what, unit| said.figure(name, what, unit);
    Ok(vec![
        figure("middle", "a message until the model is asked, 200 chats open", "ms")?
            .at_most(DELAY),
        figure("slow", "the same, of which one in a hundred is slower", "ms")?.at_most(DELAY),
        figure("burst", "all 200 at once, until the last is asked", "ms")?,
        figure("held", "what a process with them holds", "MB")?.at_most(HELD),
    ])
}
