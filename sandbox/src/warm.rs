//! A skill that stays alive and speaks a line each.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::task::JoinHandle;

use super::job::Stay;
use super::launcher::Launcher;
use super::log::{Budget, Heard};
use super::process::{Life, feed, understand};
use super::{Job, RunError};

/// A skill's process between calls. It is started by the first call, and again by the next one after it died,
/// was stopped, or a call was given up; it ends when this is dropped.
#[derive(Debug)]
pub struct Warm {
    launcher: Arc<Launcher>,
    job: Job,
    log: PathBuf,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: JoinHandle<Heard>,
    log: Budget,
    life: Life,
}

impl Launcher {
    /// A skill that stays alive between calls. Nothing is started yet.
    #[must_use]
    pub fn serve(self: &Arc<Self>, job: Job, log: PathBuf) -> Warm {
        Warm::new(Arc::clone(self), job, log)
    }
}

impl Warm {
    fn new(launcher: Arc<Launcher>, job: Job, log: PathBuf) -> Self {
        Self { launcher, job, log, running: None }
    }

    /// Sends one line and waits for the line that answers it; neither carries its line end.
    ///
    /// # Errors
    /// As for [`Launcher::once`]; [`RunError::Exited`] also when the skill ended with code 0 instead of
    /// answering. After any error, and after a call whose future was dropped, the process is gone.
    pub async fn call(&mut self, line: &[u8]) -> Result<Vec<u8>, RunError> {
        self.call_marked(line, "").await
    }

    /// The same, with what [`Job::mark`] is for this call.
    ///
    /// # Errors
    /// The same.
    pub async fn call_marked(&mut self, line: &[u8], mark: &str) -> Result<Vec<u8>, RunError> {
        let after = self.job.limits.wall;
        // Taken out for the call: whatever ends the call early drops it, so that no answer is ever read by
        // the wrong question.
        let running = self.running.take();
        let answered = tokio::time::timeout(after, self.exchange(running, line, mark)).await;
        let (running, answer) = answered.unwrap_or(Err(RunError::TimedOut { after }))?;
        self.running = Some(running);
        Ok(answer)
    }

    async fn exchange(
        &self,
        running: Option<Running>,
        line: &[u8],
        mark: &str,
    ) -> Result<(Running, Vec<u8>), RunError> {
        let mut running = match running.and_then(Running::if_quiet) {
            Some(running) => running,
            None => self.start().await?,
        };
        running.log.renew(self.job.limits.log_bytes, mark);
        let limit = self.job.limits.output_bytes;
        let line = [line, b"\n"].concat();
        let (stdin, stdout) = (&mut running.stdin, &mut running.stdout);
        // Both at once: an answer may be longer than a pipe holds, and begin before the line was read.
        let ((), answer) = tokio::try_join!(
            async {
                feed(stdin, &line).await;
                Ok(())
            },
            read_line(stdout, limit)
        )?;
        match answer {
            Some(answer) => Ok((running, answer)),
            None => Err(running.why_it_ended().await),
        }
    }

    async fn start(&self) -> Result<Running, RunError> {
        let (mut process, head, log) =
            self.launcher.start(&self.job, &self.log, Stay::Warm).await?;
        let budget = log.budget();
        let stderr = tokio::spawn(log.follow(process.stderr));
        feed(&mut process.stdin, &head).await;
        let stdout = BufReader::new(process.stdout);
        Ok(Running { stdin: process.stdin, stdout, stderr, log: budget, life: process.life })
    }
}

impl Running {
    /// Itself, if it is alive and has nothing to say that was not asked.
    fn if_quiet(mut self) -> Option<Self> {
        let mut now = Context::from_waker(Waker::noop());
        let silent = Pin::new(&mut self.stdout).poll_fill_buf(&mut now).is_pending();
        (silent && !self.life.is_over()).then_some(self)
    }

    async fn why_it_ended(mut self) -> RunError {
        drop(self.stdin);
        let ended = match self.life.end().await {
            Ok(ended) => ended,
            Err(error) => return error,
        };
        let heard = self.stderr.await.unwrap_or_default();
        let last_stderr_line = heard.last_line.clone();
        match understand(ended, heard) {
            Err(error) => error,
            Ok(()) => RunError::Exited { code: 0, last_stderr_line },
        }
    }
}

/// The next line without its end, or nothing when there is none any more.
async fn read_line(
    stdout: &mut BufReader<ChildStdout>,
    limit: usize,
) -> Result<Option<Vec<u8>>, RunError> {
    let mut line = Vec::new();
    let mut bounded = stdout.take(limit as u64 + 1);
    bounded.read_until(b'\n', &mut line).await.map_err(RunError::Broken)?;
    match line.pop() {
        Some(b'\n') => Ok(Some(line)),
        Some(_) if line.len() >= limit => Err(RunError::TooMuchOutput { limit }),
        _ => Ok(None),
    }
}
