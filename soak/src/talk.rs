//! Somebody's end of a chat with a process: says a line, and hears what comes on both of its streams.
#![allow(clippy::disallowed_types, reason = "what is talked to here is a process")]

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::Start;

/// How many of the last lines are kept, for whoever asks why something was lost.
const KEPT: usize = 12;

/// A chat with one process.
pub(crate) struct Talk {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    heard: VecDeque<String>,
}

impl Talk {
    pub(crate) fn start(start: &Start) -> Result<Self> {
        let mut command = start.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn();
        let mut child =
            child.with_context(|| format!("cannot start {}", start.program.display()))?;
        let stdin = child.stdin.take().context("no stdin")?;
        let (sender, lines) = channel();
        follow(child.stdout.take().context("no stdout")?, sender.clone());
        follow(child.stderr.take().context("no stderr")?, sender);
        Ok(Self { child, stdin, lines, heard: VecDeque::new() })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.stdin, "{line}").context("the chat has ended")?;
        Ok(self.stdin.flush()?)
    }

    /// The next line within `patience`; none when it does not come.
    ///
    /// # Errors
    /// When the process has ended.
    pub(crate) fn hear(&mut self, patience: Duration) -> Result<Option<String>> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => {
                if self.heard.len() == KEPT {
                    self.heard.pop_front();
                }
                self.heard.push_back(line.clone());
                Ok(Some(line))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                bail!("a chat has ended by itself:\n{}", self.last_lines())
            }
        }
    }

    /// What was heard last.
    pub(crate) fn last_lines(&self) -> String {
        self.heard.iter().map(|line| format!("    {line}\n")).collect()
    }

    /// Ends the process as somebody does who leaves.
    pub(crate) fn end(mut self, patience: Duration) -> Result<()> {
        drop(self.stdin);
        let start = Instant::now();
        while start.elapsed() < patience {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        self.child.kill()?;
        self.child.wait()?;
        bail!("a chat did not end within {patience:?} after its stdin was closed")
    }
}

fn follow(stream: impl Read + Send + 'static, to: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if to.send(line).is_err() {
                return;
            }
        }
    });
}
