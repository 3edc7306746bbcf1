//! The same programs without a wall around them.
#![expect(clippy::disallowed_types, reason = "what is measured here are processes")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// How long a process takes from its start to its end, with `input` for it and its answer read.
pub(crate) fn once(program: &Path, input: &str) -> Result<Duration> {
    let start = Instant::now();
    let mut process = spawn(program)?;
    if let Some(mut stdin) = process.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    let output = process.wait_with_output()?;
    let took = start.elapsed();
    ensure!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    Ok(took)
}

/// A process that answers line by line. It ends with the value.
pub(crate) struct Talk {
    process: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Talk {
    pub(crate) fn with(program: &Path) -> Result<Self> {
        let mut process = spawn(program)?;
        let stdin = process.stdin.take().context("no stdin")?;
        let stdout = BufReader::new(process.stdout.take().context("no stdout")?);
        Ok(Self { process, stdin, stdout })
    }

    /// How long a line takes to be answered.
    pub(crate) fn ask(&mut self, line: &str) -> Result<Duration> {
        let start = Instant::now();
        self.stdin.write_all(format!("{line}\n").as_bytes())?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        let took = start.elapsed();
        ensure!(answer.ends_with('\n'), "it has ended");
        Ok(took)
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn spawn(program: &Path) -> Result<Child> {
    let mut command = Command::new(program);
    command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().with_context(|| program.display().to_string())
}
