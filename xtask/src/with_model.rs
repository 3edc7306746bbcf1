//! `cargo xtask customers` and `cargo xtask papers`: tests that need a model, which a person names, and that print what they count.

use anyhow::Result;
use clap::Args;
use xshell::{Shell, cmd};

/// With which model.
#[derive(Debug, Args)]
pub(crate) struct WithModel {
    /// The model, as `safeclaw agent config llm` takes it, such as ollama:qwen2.5:3b
    #[arg(long, value_name = "TARGET")]
    model: String,
}

impl WithModel {
    /// Plays a customers' day, and prints what was right.
    ///
    /// # Errors
    /// When somebody is shown what is the owner's or another customer's, or nothing can be built or started.
    pub(crate) fn customers(&self, sh: &Shell) -> Result<()> {
        let _model = sh.push_env("SAFECLAW_DAY_MODEL", &self.model);
        ignored(sh, "business", "a_customers_day")
    }

    /// Asks about pages that stand in the conversation, that are read apart, or that are in the library, and prints what was right. The
    /// model is one of a server that speaks OpenAI's API.
    ///
    /// # Errors
    /// When nothing can be built or started, or the model does not answer.
    pub(crate) fn papers(&self, sh: &Shell) -> Result<()> {
        let _model = sh.push_env("SAFECLAW_PAPERS_MODEL", &self.model);
        ignored(sh, "papers", "questions_to_papers")
    }
}

/// Runs one test of a file of tests.
fn ignored(sh: &Shell, file: &str, name: &str) -> Result<()> {
    let name = ["--ignored", "--nocapture", name];
    Ok(cmd!(sh, "cargo test --quiet --workspace --locked --test {file} -- {name...}").run()?)
}
