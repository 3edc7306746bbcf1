//! The project's own commands, `cargo xtask ...`: everything that a person or a machine needs to check
//! this house, in one place and in plain Rust.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is for whoever develops, and prints what it has found"
)]

mod bench;
mod chaos;
mod dist;
mod errands;
mod eval;
mod fuzz;
mod gate;
mod lint;
mod mutate;
mod readme;
mod real_model;
mod record;
mod setup;
mod soak;
mod stage;
mod tool;
mod with_model;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use xshell::Shell;

/// The project's own commands. `cargo xtask test` is the whole gate: what passes it can be merged.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Install what the tests need (redis-server, chromium, chromium-driver, npm, python3, util-linux, mount, dpkg) from the
    /// distribution's packages, and axe-core
    ///
    /// Does nothing when everything is there. Uses apt-get, with sudo unless you are root; elsewhere it
    /// names the packages.
    Setup,
    /// Format, clippy, the rules of the house, licences: what needs no running
    Lint,
    /// The whole gate: setup, lint, build, every test, doc tests, the README's commands
    ///
    /// Prints each stage's time, and stops at the first failure with the command that repeats it.
    Test {
        /// Instead, try the model server at this address (OpenAI's API): wire, streaming, stopping, what of the prompt
        /// is read again, and a short eval, which fails when less than half is right in the json way
        #[arg(long, value_name = "URL")]
        real_model: Option<String>,
    },
    /// Run the commands that README.md tells people to type, in an empty home
    Readme,
    /// Draw the recorded session of README.md and the pictures of both pages again, from real runs
    Record,
    /// Measure the release build against its budgets; without a name, list what can be measured
    Bench {
        /// One of the names of the list, or `all`
        name: Option<String>,
    },
    /// Feed random input to the parsers of untrusted text; without a target, list the targets
    ///
    /// Installs cargo-fuzz under target/tools the first time, and needs a C++ compiler. What it finds is
    /// kept under fuzz/artifacts, what it learned under fuzz/corpus.
    Fuzz {
        /// One of the targets of fuzz/fuzz_targets
        target: Option<String>,
        /// How long it looks, in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Break everything around the queue, and look whether it keeps its promises
    ///
    /// `cargo xtask chaos --help` tells how.
    #[command(disable_help_flag = true)]
    Chaos {
        /// What to pass on, such as --seed 7 --seconds 60
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Let the release build work for long, with a kill now and then, and measure what grows
    ///
    /// `cargo xtask soak --help` tells how.
    #[command(disable_help_flag = true)]
    Soak {
        /// What to pass on, such as --minutes 30
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Make what is handed out: an archive, a Debian package, the images' context, the parts, their licences, the sums
    ///
    /// Programs are static where the target for musl and musl-gcc are there. Otherwise they need the glibc that is told.
    Dist(dist::Dist),
    /// Ask a model what people ask an agent, and count how often it calls the right action
    ///
    /// `cargo xtask eval --help` tells how.
    #[command(disable_help_flag = true)]
    Eval {
        /// What to pass on, such as --url http://127.0.0.1:8080 --way json
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Have a model do small jobs at the workbench of the release build, and count how often each is done
    Errands(errands::Errands),
    /// Have customers say 200 messages to a business with a model, and count right answers and wishes that reach a person
    ///
    /// Fails when anybody is shown what is the owner's or another customer's.
    Customers(with_model::WithModel),
    /// Ask a model about pages in the conversation, read apart and in the library, and count right answers and citations
    ///
    /// The model has to be named as openai:NAME@http://HOST:PORT/v1. Ollama, too, speaks that at its own port.
    Papers(with_model::WithModel),
    /// Switch each control of the wall and of the pages off in turn, and look whether a test notices
    ///
    /// Builds a copy of the tree under target/mutants again for each control of tests/hostile/mutants.toml
    /// and tests/page/mutants.toml, and prints which case has killed which mutant. It takes about half a
    /// minute for each.
    MutateWall {
        /// Print the controls and run nothing
        #[arg(long)]
        list: bool,
        /// Rules by number, `page` for all of the pages, or words of controls; all without any
        picks: Vec<String>,
    },
    /// Look for known vulnerabilities in the dependencies
    ///
    /// It is no part of `test`, because it fetches a database and its answer changes without a change
    /// here.
    Advisories,
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let sh = Shell::new()?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent")?;
    sh.change_dir(root);
    match task {
        Task::Setup => setup::run(&sh),
        Task::Lint => stage::run_all(&sh, lint::QUICK.iter().chain([&lint::CLIPPY])),
        Task::Test { real_model: None } => gate::run(&sh),
        Task::Test { real_model: Some(url) } => real_model::run(&sh, &url),
        Task::Readme => readme::run(&sh),
        Task::Record => record::run(&sh),
        Task::Bench { name } => bench::run(&sh, name.as_deref()),
        Task::Chaos { args } => chaos::run(&sh, &args),
        Task::Soak { args } => soak::run(&sh, &args),
        Task::Errands(errands) => errands::run(&sh, &errands),
        Task::Customers(model) => model.customers(&sh),
        Task::Papers(model) => model.papers(&sh),
        Task::Dist(wanted) => dist::run(&sh, &wanted),
        Task::Eval { args } => eval::run(&sh, &args),
        Task::Fuzz { target, seconds } => fuzz::run(&sh, target.as_deref(), seconds),
        Task::MutateWall { list, picks } => mutate::run(&sh, list, &picks),
        Task::Advisories => lint::licences::advisories(&sh),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_commands_are_well_formed() {
        super::Task::command().debug_assert();
    }
}
