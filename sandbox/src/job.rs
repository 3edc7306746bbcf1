//! What to run: one call of one skill, in the sandbox's words.

use std::path::PathBuf;

use super::{Lent, Limits};

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program with its arguments. `./run` and `bin/run` are looked for in the skill's folder, `/usr/bin/env`
    /// stands for itself, and a bare name (`python3`) is looked for in PATH.
    Command(Vec<String>),
    /// A skill that is compiled into the router's own binary, by its name.
    Builtin(String),
}

/// One call of a skill: what to start, where, with what and within which bounds.
#[derive(Debug, Clone)]
pub struct Job {
    /// What is started.
    pub program: Program,
    /// The skill's folder. It is seen at `/skill`, and only for reading.
    pub folder: PathBuf,
    /// The folders of the host that it works in.
    pub lent: Vec<Lent>,
    /// The environment beyond what every skill gets (PATH, HOME, TMPDIR, LANG, and the proxy's address with
    /// [`Job::net`]). No secret belongs here: the skill can read it.
    pub env: Vec<(String, String)>,
    /// What stands in the log in front of what this call of it writes there: a line with its end, or nothing.
    pub mark: String,
    /// Its bounds.
    pub limits: Limits,
    /// The Unix socket of the proxy through which it reaches the network; without one it has no network.
    pub net: Option<PathBuf>,
}

/// Whether a process ends after its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stay {
    /// It is started for one call.
    Once,
    /// It stays for further ones.
    Warm,
}
