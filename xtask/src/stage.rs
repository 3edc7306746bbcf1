//! Stages that run one after the other, with the time that each took.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use xshell::Shell;

/// One step of a longer command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stage {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// The command that repeats it alone.
    pub(crate) repeat: &'static str,
    /// What it does.
    pub(crate) run: fn(&Shell) -> Result<()>,
}

impl Stage {
    /// A stage.
    pub(crate) const fn new(
        name: &'static str,
        repeat: &'static str,
        run: fn(&Shell) -> Result<()>,
    ) -> Self {
        Self { name, repeat, run }
    }
}

/// Runs the stages until one fails, and prints what each took.
///
/// # Errors
/// The failure of the first stage that fails, with the command that repeats it.
pub(crate) fn run_all<'a>(sh: &Shell, stages: impl IntoIterator<Item = &'a Stage>) -> Result<()> {
    let mut times = Vec::new();
    let mut result = Ok(());
    for stage in stages {
        eprintln!("\n== {}", stage.name);
        let start = Instant::now();
        result = (stage.run)(sh).with_context(|| failure(stage));
        times.push((stage.name, start.elapsed()));
        if result.is_err() {
            break;
        }
    }
    eprint!("\n{}", table(&times, result.is_ok()));
    result
}

fn failure(stage: &Stage) -> String {
    format!("the stage \"{}\" failed; repeat it with: {}", stage.name, stage.repeat)
}

fn table(times: &[(&str, Duration)], passed: bool) -> String {
    let mut text = String::new();
    for (place, (name, time)) in times.iter().enumerate() {
        let word = if passed || place + 1 < times.len() { "passed" } else { "FAILED" };
        text += &format!("{name:<14}{word:>8}{:>9.1} s\n", time.as_secs_f64());
    }
    let whole: Duration = times.iter().map(|(_, time)| time).sum();
    text + &format!("{:<14}{:>8}{:>9.1} s\n", "together", "", whole.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn the_first_failure_ends_the_run_and_says_how_to_repeat_it() {
        let stages = [
            Stage::new("good", "do good", |_| Ok(())),
            Stage::new("bad", "do bad", |_| bail!("no")),
            Stage::new("never", "do never", |_| unreachable!("a stage ran after a failure")),
        ];
        let error = run_all(&Shell::new().unwrap(), &stages).unwrap_err();
        assert_eq!(format!("{error:#}"), "the stage \"bad\" failed; repeat it with: do bad: no");
    }

    #[test]
    fn the_table_shows_each_time_and_the_sum() {
        let times = [("format", Duration::from_millis(1_240)), ("clippy", Duration::from_secs(61))];
        assert_eq!(
            table(&times, false),
            "format          passed      1.2 s\n\
             clippy          FAILED     61.0 s\n\
             together                   62.2 s\n"
        );
    }
}
