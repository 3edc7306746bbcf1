//! What the wall adds to a command, measured by the program `bench_wall`.

use anyhow::Result;
use xshell::Shell;

use super::{Figure, Said};

/// What the wall itself may add, and what a warm skill may take more than its process alone, in milliseconds.
const WALL: f64 = 1.0;

/// What the sandbox may add to the start of a process, in milliseconds.
const START: f64 = 25.0;

/// Runs the measurement.
///
/// # Errors
/// When Redis does not start or a command is not done.
pub(super) fn run(sh: &Shell) -> Result<Vec<Figure>> {
    let said = Said::by(sh, "bench_wall", &[])?;
    let figure = |name, what| said.figure(name, what, "ms");
    let rate = |name, what| said.figure(name, what, "/s");
    Ok(vec![
        figure("look_files", "no effect, sessions in files")?.at_most(WALL),
        figure("read_files", "the same, reads public")?.at_most(WALL),
        figure("post_files_unsynced", "external, without the disk's sync")?.at_most(WALL),
        figure("look_redis", "no effect, sessions in Redis")?.at_most(WALL),
        figure("read_redis", "the same, reads public")?.at_most(WALL),
        figure("post_redis_unsynced", "external, without the disk's sync")?.at_most(WALL),
        figure("post_files", "external, sessions in files, in all")?,
        figure("post_redis", "external, sessions in Redis, in all")?,
        figure("queue", "for comparison: the queue without a wall")?,
        figure("disk", "for comparison: this disk syncs one row")?,
        figure("once_more", "a skill's process, more than a bare one")?.at_most(START),
        figure("once", "the same in all")?,
        figure("once_bare", "for comparison: the bare process")?,
        rate("once_rate_1", "commands a second through a skill, 1 caller")?,
        rate("once_rate_64", "the same, 64 callers")?,
        figure("warm_more", "a warm skill, more than its bare process")?.at_most(WALL),
        figure("warm", "the same in all")?,
        figure("warm_bare", "for comparison: the bare process's answer")?,
    ])
}
