//! A process of the house, and how it is started again after it was killed.
#![allow(clippy::disallowed_types, reason = "what is looked at here are processes")]

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};

/// How a process is started.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// The program.
    pub(crate) program: PathBuf,
    /// What stands behind it.
    pub(crate) args: Vec<&'static str>,
    /// The home.
    pub(crate) home: PathBuf,
    /// Where its model is.
    pub(crate) ollama: String,
    /// Where the Redis is, if it uses one.
    pub(crate) redis: Option<String>,
}

impl Start {
    /// What starts it, with nothing in its environment but what it needs.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", &self.home);
        command.env("SAFECLAW_HOME", &self.home).env("SAFECLAW_ACTIONS", "names");
        command.env("OLLAMA_HOST", &self.ollama);
        command.envs(self.redis.iter().map(|url| ("REDIS_URL", url)));
        command
    }
}

/// A process without a chat, such as a router on Redis.
#[derive(Debug)]
pub(crate) struct Daemon {
    start: Start,
    /// The file that its stderr goes to.
    log: PathBuf,
    child: Child,
}

impl Daemon {
    pub(crate) fn start(start: Start, log: PathBuf) -> Result<Self> {
        let told = OpenOptions::new().create(true).append(true).open(&log);
        let told = told.with_context(|| format!("cannot open {}", log.display()))?;
        let mut command = start.command();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(told).spawn();
        let child = child.with_context(|| format!("cannot start {}", start.program.display()))?;
        Ok(Self { start, log, child })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and starts the next one.
    pub(crate) fn replace(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        *self = Self::start(self.start.clone(), self.log.clone())?;
        Ok(())
    }

    /// Asks it to end, and waits for that, which has to be a good one.
    pub(crate) fn end(&mut self) -> Result<()> {
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "a router ended with {status}; see {}", self.log.display());
        Ok(())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills the process of this id, which is a grandchild of ours.
pub(crate) fn kill(id: u32) {
    let pid = i32::try_from(id).ok().and_then(Pid::from_raw);
    // One that has just ended by itself is as dead.
    let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
}

/// Runs `args` of the program for a home to its end: whether it went well.
pub(crate) fn went_well(program: &Path, home: &Path, args: &[&str]) -> Result<bool> {
    let mut command = Command::new(program);
    command.args(args).env_clear().env("SAFECLAW_HOME", home);
    Ok(command.stdout(Stdio::null()).status()?.success())
}
