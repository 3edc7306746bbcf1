//! `cargo xtask test`: everything that must hold before a change is taken.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::stage::{Stage, run_all};
use crate::{lint, readme, setup};

const BEFORE: [Stage; 1] = [Stage::new("setup", "cargo xtask setup", setup::run)];

const AFTER: [Stage; 3] = [
    Stage::new("build", "cargo build --workspace --all-targets --locked", |sh| {
        Ok(cmd!(sh, "cargo build --workspace --all-targets --locked").run()?)
    }),
    // Without `--all-targets`, doc tests run too. In a command of their own they would build most libraries again,
    // because cargo unites features over other packages there.
    Stage::new("tests", "cargo test --workspace --no-fail-fast --locked", |sh| {
        Ok(cmd!(sh, "cargo test --quiet --workspace --no-fail-fast --locked").run()?)
    }),
    Stage::new("README", "cargo xtask readme", readme::run),
];

/// Runs the whole gate.
///
/// # Errors
/// The first failure, with the command that repeats its stage.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    // Incremental files make later builds quick. Here they only take room.
    let _env = sh.push_env("CARGO_INCREMENTAL", "0");
    run_all(sh, BEFORE.iter().chain(&lint::STAGES).chain(&AFTER))?;
    eprintln!("\neverything passes");
    Ok(())
}
