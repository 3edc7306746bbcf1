//! `cargo xtask test`: everything that must hold before a change is taken.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::stage::{Stage, run_all};
use crate::{lint, readme, setup};

const BEFORE: [Stage; 1] = [Stage::new("setup", "cargo xtask setup", setup::run)];

const AFTER: [Stage; 4] = [
    Stage::new("build", "cargo build --workspace --all-targets --locked", |sh| {
        Ok(cmd!(sh, "cargo build --workspace --all-targets --locked").run()?)
    }),
    Stage::new("tests", "cargo test --workspace --all-targets --no-fail-fast --locked", |sh| {
        Ok(cmd!(sh, "cargo test --quiet --workspace --all-targets --no-fail-fast --locked")
            .run()?)
    }),
    Stage::new("doc tests", "cargo test --workspace --doc --locked", |sh| {
        Ok(cmd!(sh, "cargo test --quiet --workspace --doc --locked").run()?)
    }),
    Stage::new("README", "cargo xtask readme", readme::run),
];

/// Runs the whole gate.
///
/// # Errors
/// The first failure, with the command that repeats its stage.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    run_all(sh, BEFORE.iter().chain(&lint::STAGES).chain(&AFTER))?;
    eprintln!("\neverything passes");
    Ok(())
}
