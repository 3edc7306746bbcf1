//! `safeclaw manual`: the pages of the manual, for packages.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use super::Subcommand;

/// Write a page of the manual for each command, as man reads it.
#[derive(Debug, Parser)]
#[command(hide = true)]
pub(super) struct Manual {
    /// The folder for them, which has to be there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Subcommand for Manual {
    fn run(self, _: Option<&Path>) -> ExitCode {
        let folder = self.folder.display();
        super::say(match clap_mangen::generate_to(super::command(), &self.folder) {
            Ok(()) => Ok(format!("the pages are in {folder}")),
            Err(error) => Err(format!("can't write to {folder}: {error}; name a folder of yours")),
        })
    }
}
