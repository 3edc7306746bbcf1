//! `cargo xtask test`: everything that must hold before a change is taken.

use std::thread;

use anyhow::{Result, anyhow, ensure};
use xshell::{Shell, cmd};

use crate::stage::{Stage, run_all};
use crate::{lint, readme, setup};

const BEFORE: [Stage; 1] = [Stage::new("setup", "cargo xtask setup", setup::run)];

const AFTER: [Stage; 3] = [
    Stage::new("build", "cargo build --workspace --all-targets --locked", |sh| {
        Ok(cmd!(sh, "cargo build --workspace --all-targets --locked").run()?)
    }),
    Stage::new("tests", "cargo test --workspace --no-fail-fast --locked", tests),
    Stage::new("README", "cargo xtask readme", readme::run),
];

/// The commands that run beside the tests, one after the other. Clippy comes last: it locks the folder that the tests are built
/// in, and the tests need that lock only when they begin.
const BESIDE: [&str; 2] = ["cargo build --release --locked", lint::CLIPPY.repeat];

/// Runs the tests. They wait for other programs half of the time, so the commands that only need a processor run beside
/// them, with the lowest priority.
fn tests(sh: &Shell) -> Result<()> {
    thread::scope(|scope| {
        let beside = sh.clone();
        let beside = scope.spawn(move || BESIDE.iter().try_for_each(|one| alone(&beside, one)));
        // Without `--all-targets`, doc tests run too. In a command of their own they would build most libraries again,
        // because cargo unites features over other packages there.
        let tests = cmd!(sh, "cargo test --quiet --workspace --no-fail-fast --locked").run();
        let beside = beside.join().map_err(|_| anyhow!("what runs beside the tests panicked"))?;
        tests?;
        beside
    })
}

/// Runs one command, and shows what it says only if it fails: two commands that print at once can't be read.
fn alone(sh: &Shell, command: &str) -> Result<()> {
    let words = command.split(' ');
    let output = cmd!(sh, "nice -n 19 {words...}").quiet().ignore_status().output()?;
    ensure!(
        output.status.success(),
        "{command} failed beside the tests:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

/// Runs the whole gate.
///
/// # Errors
/// The first failure, with the command that repeats its stage.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    // Incremental files make later builds quick. Here they only take room.
    let _env = sh.push_env("CARGO_INCREMENTAL", "0");
    run_all(sh, BEFORE.iter().chain(&lint::QUICK).chain(&AFTER))?;
    eprintln!("\neverything passes");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_beside_the_tests_is_told_with_what_it_said() {
        let sh = Shell::new().unwrap();
        alone(&sh, "true").unwrap();
        let error = alone(&sh, "ls /nowhere-at-all").unwrap_err().to_string();
        assert!(error.starts_with("ls /nowhere-at-all failed beside the tests:\n"), "{error}");
        assert!(error.contains("No such file"), "{error}");
    }
}
