//! The programs of the release build at work, spoken with as a pipe speaks with them.
#![expect(clippy::disallowed_types, reason = "what is measured is a process")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use xshell::Shell;

/// Where the release build puts a program.
pub(super) fn path(sh: &Shell, name: &str) -> PathBuf {
    sh.current_dir().join("target/release").join(name)
}

/// A program that has not said what it should by then never will.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that runs. It is killed if it is dropped before its end.
#[derive(Debug)]
pub(super) struct Program {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines,
    stderr: Lines,
}

/// What a program says, line by line, read by a thread of its own.
#[derive(Debug)]
struct Lines(Receiver<String>);

impl Program {
    /// Starts `safeclaw` with these arguments in the home `home`, and nothing else in its environment but
    /// the address of its model.
    pub(super) fn safeclaw(sh: &Shell, args: &[&str], home: &Path, ollama: &str) -> Result<Self> {
        let path = path(sh, "safeclaw");
        let mut process = Command::new(&path)
            .args(args)
            .arg("--home")
            .arg(home)
            .env_clear()
            .env("OLLAMA_HOST", ollama)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| path.display().to_string())?;
        let stdin = process.stdin.take();
        let stdout = Lines::of(process.stdout.take().context("no stdout")?);
        let stderr = Lines::of(process.stderr.take().context("no stderr")?);
        Ok(Self { process, stdin, stdout, stderr })
    }

    /// Its process id.
    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Types one line.
    pub(super) fn say(&mut self, line: &str) -> Result<()> {
        let stdin = self.stdin.as_mut().context("stdin is closed")?;
        Ok(stdin.write_all(format!("{line}\n").as_bytes())?)
    }

    /// Reads stdout up to a line that begins like this.
    pub(super) fn heard(&mut self, beginning: &str) -> Result<()> {
        self.stdout.read_to(beginning)
    }

    /// Reads stderr up to a line that begins like this.
    pub(super) fn noticed(&mut self, beginning: &str) -> Result<()> {
        self.stderr.read_to(beginning)
    }

    /// Closes stdin and waits for the end, which must be a good one.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.stdin.take());
        let mut rest = self.stdout.rest();
        let status = self.process.wait()?;
        rest += &self.stderr.rest();
        ensure!(status.success(), "{status}: {rest}");
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has usually ended, and then there is nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Lines {
    /// Those of `source`.
    fn of(source: impl Read + Send + 'static) -> Self {
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let mut source = BufReader::new(source);
            let mut line = String::new();
            while source.read_line(&mut line).is_ok_and(|read| read > 0)
                && sender.send(std::mem::take(&mut line)).is_ok()
            {}
        });
        Self(lines)
    }

    /// Reads up to a line that begins like this.
    fn read_to(&self, beginning: &str) -> Result<()> {
        let mut seen = String::new();
        loop {
            let line = self.0.recv_timeout(PATIENCE);
            let line =
                line.with_context(|| format!("waited for {beginning:?} in vain:\n{seen}"))?;
            if line.starts_with(beginning) {
                return Ok(());
            }
            seen += &line;
        }
    }

    /// All lines up to the end.
    fn rest(&self) -> String {
        self.0.iter().collect()
    }
}
