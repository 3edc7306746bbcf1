//! What the broker costs on Redis against a bare loop, measured by the program `bench_queue`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// Runs the measurement.
///
/// # Errors
/// When Redis does not start or a worker ends.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_queue", &[])?;
    let figure = |name, what, unit| said.figure(name, what, unit);
    Ok(vec![
        figure("rate_64", "64 callers: rate against a bare loop", "x")?.at_least(1.2),
        figure("cpu_64", "64 callers: CPU a command against it", "x")?.at_most(0.6),
        figure("half_1", "1 caller: median time against it", "x")?.at_most(2.0),
        figure("cpu_1", "1 caller: CPU a command against it", "x")?.at_most(2.0),
        figure("three_routers", "three routers against one, 20 ms each", "x")?.at_least(2.7),
        figure("idle_percent", "an idle router's end", "% CPU")?.at_most(0.5),
        figure("signed_half_1", "1 caller: what signing adds to the median time", "µs")?
            .at_most(100.0),
        figure("signed_micros_1", "1 caller: what signing adds to the CPU a command", "µs")?,
        figure("commands_64", "64 callers: commands a second", "/s")?,
        figure("micros_64", "64 callers: CPU a command", "µs")?,
        figure("micros_1", "1 caller: CPU a command", "µs")?,
    ])
}
