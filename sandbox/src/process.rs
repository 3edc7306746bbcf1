//! One running launcher, and how its end is understood.
#![expect(clippy::disallowed_types, reason = "this is where the sandbox makes its processes")]

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use super::group::Group;
use super::log::{Heard, SkillLog};
use super::stage::FAILED;
use super::{RunError, staging::Scratch};

/// A launcher that was started, and everything that hangs on it. Dropping it ends all of that.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
    pub(super) life: Life,
}

/// What must be held for the process to go on.
#[derive(Debug)]
pub(super) struct Life {
    // Fields are dropped in this order: first the processes, then the place that they write into.
    group: Option<Group>,
    child: Child,
    _scratch: Option<Scratch>,
}

impl Process {
    /// Starts `exe` with an empty environment in a group of its own.
    ///
    /// # Errors
    /// When the router cannot start its own binary, or runs out of processes or descriptors.
    pub(super) async fn start(
        exe: &Path,
        args: &[String],
        scratch: Option<Scratch>,
    ) -> io::Result<Self> {
        let mut command = Command::new(exe);
        command
            .args(args)
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .kill_on_drop(true)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = spawn(&mut command).await?;
        let group = child.id().and_then(Group::of);
        match (child.stdin.take(), child.stdout.take(), child.stderr.take()) {
            (Some(stdin), Some(stdout), Some(stderr)) => {
                let life = Life { group, child, _scratch: scratch };
                Ok(Self { stdin, stdout, stderr, life })
            }
            _ => Err(io::Error::other("a pipe to the new process is missing")),
        }
    }

    /// Gives it `input` and waits for its end; what it wrote on stdout.
    pub(super) async fn finish(
        mut self,
        input: &[u8],
        limit: usize,
        log: SkillLog,
    ) -> Result<Vec<u8>, RunError> {
        let feed = async {
            feed(&mut self.stdin, input).await;
            drop(self.stdin);
            Ok(())
        };
        let heard = async { Ok(log.follow(self.stderr).await) };
        // All at once: a skill may answer before it has read everything, and end before it has said everything.
        let ((), output, heard, ended) =
            tokio::try_join!(feed, read_at_most(self.stdout, limit), heard, self.life.end())?;
        understand(ended, heard).map(|()| output)
    }
}

/// A copy of the binary that was just written counts as being written while any process that another thread
/// started meanwhile still has to begin: that is a matter of moments.
async fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..100 {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            done => return done,
        }
    }
    command.spawn()
}

impl Life {
    /// Waits for the end of the skill and ends what it left behind.
    pub(super) async fn end(&mut self) -> Result<ExitStatus, RunError> {
        let ended = self.child.wait().await.map_err(RunError::Broken)?;
        // At once, while the number of the group can't have been given to another.
        self.group = None;
        Ok(ended)
    }

    /// Whether it has already ended.
    pub(super) fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

/// Writes all of `input`. Whoever ended or closed stdin has what it wants: no error.
pub(super) async fn feed(stdin: &mut ChildStdin, input: &[u8]) {
    if stdin.write_all(input).await.is_ok() {
        let _ = stdin.flush().await;
    }
}

async fn read_at_most(source: impl AsyncRead + Unpin, limit: usize) -> Result<Vec<u8>, RunError> {
    let mut bytes = Vec::new();
    let most = limit as u64 + 1;
    source.take(most).read_to_end(&mut bytes).await.map_err(RunError::Broken)?;
    if bytes.len() > limit { Err(RunError::TooMuchOutput { limit }) } else { Ok(bytes) }
}

/// What an end means: a code of its own, a signal (128 and its number, as a shell has it), or the launcher's
/// report that there was no beginning.
pub(super) fn understand(ended: ExitStatus, heard: Heard) -> Result<(), RunError> {
    use std::os::unix::process::ExitStatusExt;
    let code = ended.code().or_else(|| Some(128 + ended.signal()?)).unwrap_or(-1);
    let last_stderr_line = heard.last_line;
    if code == 0 {
        return Ok(());
    }
    match heard.not_started {
        Some(not_started) if code == i32::from(FAILED) => Err(RunError::NotStarted(not_started)),
        _ => Err(match Signal::try_from(code - 128) {
            Ok(signal) => RunError::Killed { signal, last_stderr_line },
            Err(_) => RunError::Exited { code, last_stderr_line },
        }),
    }
}
