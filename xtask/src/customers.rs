//! `cargo xtask customers`: a day of 200 messages of customers, with a model that a person names.

use anyhow::Result;
use clap::Args;
use xshell::{Shell, cmd};

/// With which model.
#[derive(Debug, Args)]
pub(crate) struct Customers {
    /// The model, as `safeclaw agent config llm` takes it, such as ollama:qwen2.5:3b
    #[arg(long, value_name = "TARGET")]
    model: String,
}

/// Plays the day, and prints what was right.
///
/// # Errors
/// When somebody is shown what is the owner's or another customer's, or nothing can be built or started.
pub(crate) fn run(sh: &Shell, customers: &Customers) -> Result<()> {
    let _model = sh.push_env("SAFECLAW_DAY_MODEL", &customers.model);
    let day = ["--ignored", "--nocapture", "a_customers_day"];
    Ok(cmd!(sh, "cargo test --quiet --workspace --locked --test business -- {day...}").run()?)
}
