//! Cargo's subcommands at the versions that this project is checked with.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

/// A subcommand of cargo from crates.io.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    /// The crate and its program.
    pub(crate) name: &'static str,
    /// The one version that is used: another might judge differently.
    pub(crate) version: &'static str,
}

/// Checks licences, bans, sources and advisories.
pub(crate) const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };
/// Runs the fuzz targets.
pub(crate) const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };

/// Where tools are installed, so that nothing outside of the checkout changes.
const FOLDER: &str = "target/tools";

impl Tool {
    /// The program to run: the one on the PATH or under target/tools if its version fits, else it is
    /// installed there first.
    ///
    /// # Errors
    /// When it can't be installed.
    pub(crate) fn find(self, sh: &Shell) -> Result<String> {
        let Self { name, version } = self;
        let own = sh.current_dir().join(FOLDER).join("bin").join(name).display().to_string();
        for program in [name, &own] {
            if self.is(sh, program) {
                return Ok(program.to_owned());
            }
        }
        eprintln!(
            "installing {name} {version} under {FOLDER}; this is done once and takes minutes"
        );
        // A debug build takes half the time, and these tools have little to do.
        cmd!(
            sh,
            "cargo install --quiet --locked --debug --root {FOLDER} --version {version} {name}"
        )
        .run()
        .with_context(|| format!("{name} {version} can't be installed"))?;
        Ok(own)
    }

    fn is(self, sh: &Shell, program: &str) -> bool {
        let said = cmd!(sh, "{program} --version").quiet().ignore_stderr().read();
        said.is_ok_and(|said| said == format!("{} {}", self.name, self.version))
    }
}
