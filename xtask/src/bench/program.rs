//! The programs of the release build at work, spoken with as a pipe speaks with them.
#![expect(clippy::disallowed_types, reason = "what is measured is a process")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use xshell::Shell;

/// Where the release build puts a program.
pub(super) fn path(sh: &Shell, name: &str) -> PathBuf {
    sh.current_dir().join("target/release").join(name)
}

/// A program that runs. It is killed if it is dropped before its end.
#[derive(Debug)]
pub(super) struct Program {
    process: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
}

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
        let stdout = BufReader::new(process.stdout.take().context("no stdout")?);
        let stderr = BufReader::new(process.stderr.take().context("no stderr")?);
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
        read_to(&mut self.stdout, beginning)
    }

    /// Reads stderr up to a line that begins like this.
    pub(super) fn noticed(&mut self, beginning: &str) -> Result<()> {
        read_to(&mut self.stderr, beginning)
    }

    /// Closes stdin and waits for the end, which must be a good one.
    pub(super) fn end(mut self) -> Result<()> {
        drop(self.stdin.take());
        let mut rest = Vec::new();
        self.stdout.read_to_end(&mut rest)?;
        let status = self.process.wait()?;
        self.stderr.read_to_end(&mut rest)?;
        ensure!(status.success(), "{status}: {}", String::from_utf8_lossy(&rest));
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

fn read_to(from: &mut impl BufRead, beginning: &str) -> Result<()> {
    let mut seen = String::new();
    loop {
        let end = seen.len();
        ensure!(from.read_line(&mut seen)? > 0, "waited for {beginning:?} in vain:\n{seen}");
        if seen[end..].starts_with(beginning) {
            return Ok(());
        }
    }
}
