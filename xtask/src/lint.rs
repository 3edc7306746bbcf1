//! What can be judged without running anything.

mod book;
mod house;
pub(crate) mod licences;

use xshell::cmd;

use crate::stage::Stage;

/// The stages, the quickest first.
pub(crate) const STAGES: [Stage; 5] = [
    Stage::new("format", "cargo fmt --all --check", |sh| {
        Ok(cmd!(sh, "cargo fmt --all --check").run()?)
    }),
    Stage::new("house rules", "cargo xtask lint", house::check),
    Stage::new("book", "cargo xtask lint", book::check),
    Stage::new("clippy", "cargo clippy --workspace --all-targets --locked -- -D warnings", |sh| {
        Ok(cmd!(sh, "cargo clippy --workspace --all-targets --locked -- -D warnings").run()?)
    }),
    Stage::new("licences", "cargo xtask lint", licences::check),
];
