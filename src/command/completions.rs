//! `safeclaw completions`: what a shell needs to complete the command line.

use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use clap_complete::Shell;

use super::Subcommand;

const MORE_HELP: &str = "\
A package of SafeClaw has these in place already. Without one:

  safeclaw completions bash > ~/.local/share/bash-completion/completions/safeclaw
  safeclaw completions zsh > ~/.zfunc/_safeclaw         # ~/.zfunc has to stand in fpath
  safeclaw completions fish > ~/.config/fish/completions/safeclaw.fish";

/// Print what lets a shell complete this command line.
#[derive(Debug, Parser)]
#[command(after_long_help = MORE_HELP)]
pub(super) struct Completions {
    /// The shell that reads it.
    #[arg(value_enum)]
    shell: Shell,
}

impl Subcommand for Completions {
    fn run(self, _: Option<&Path>) -> ExitCode {
        // Into memory first: where nobody reads any more, the library would panic.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut super::command(), "safeclaw", &mut script);
        super::say(Ok(String::from_utf8_lossy(&script).trim_end().to_owned()))
    }
}
