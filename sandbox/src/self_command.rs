//! How the router starts its own binary again, as a stage of the sandbox.

use std::path::PathBuf;

/// How the router starts its own binary again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelfCommand {
    /// The binary.
    pub exe: PathBuf,
    /// The arguments ahead of the subcommand: `router` where the binary is all of SafeClaw.
    pub prefix: Vec<String>,
}
