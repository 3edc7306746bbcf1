//! A process of an environment: it takes orders on its stdin, tells on a descriptor of its own how each ended, and whatever
//! it and its children print is one output.
#![expect(clippy::disallowed_types, reason = "the sandbox is around this process already")]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
use signal_hook::SigId;
use signal_hook::consts::SIGINT;

use super::output::Tail;

/// How often an end is looked for that closes no descriptor, because a background job holds it.
const LOOK: Duration = Duration::from_millis(50);

/// How long a process may take to stop what it does after an interrupt.
const GRACE: Duration = Duration::from_secs(2);

/// How many of the sandbox's processes the environments leave to the workbench, so that one that starts processes without
/// end keeps no other from starting.
const KEPT: u64 = 64;

/// The most that a pipe holds, in bytes, and how much of it is read at once.
const PIPE: usize = 1024 * 1024;
const CHUNK: usize = 64 * 1024;

/// How an order ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// The process said so, in these bytes.
    Said(Vec<u8>),
    /// The process itself ended, with this code.
    Gone(i32),
    /// It took too long, and stopped when it was interrupted.
    Interrupted(Vec<u8>),
    /// It took too long, and had to be killed with all that it had started.
    Killed,
}

/// A running process of an environment. Dropping it ends it, with all of its group.
#[derive(Debug)]
pub(super) struct Child {
    process: Process,
    stdin: ChildStdin,
    said: Receiver<Vec<u8>>,
    output: Arc<Output>,
    group: Pid,
}

/// The pipe of the output, and what has come through it.
#[derive(Debug)]
struct Output {
    pipe: File,
    tail: Mutex<Tail>,
}

impl Child {
    /// Starts `program`. Its stdout is the way on which it tells how an order ended, one record for each, with `end` as its
    /// last byte; its stderr is the output.
    ///
    /// # Errors
    /// When it can't be started.
    pub(super) fn start(
        program: &str,
        arguments: &[&str],
        folder: &Path,
        end: u8,
    ) -> io::Result<Self> {
        hear_interrupts()?;
        let mut command = prepared(program, arguments, folder);
        let (mut process, has_group) = match command.process_group(0).spawn() {
            // Where only the sandbox's own group holds the processes together, there is no other.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                (prepared(program, arguments, folder).spawn()?, false)
            }
            started => (started?, true),
        };
        let id = i32::try_from(process.id()).map_err(io::Error::other)?;
        let group = Pid::from_raw(if has_group { -id } else { id });
        if let Err(error) = keep_room(id) {
            let _ = process.kill();
            let _ = process.wait();
            return Err(error);
        }
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            return Err(io::Error::other("a pipe to the new process is missing"));
        };
        let output = Arc::new(Output::of(stderr.into())?);
        let (tell, said) = mpsc::channel();
        let followed = Arc::clone(&output);
        let child = Self { process, stdin, said, output, group };
        // Where too many processes run there is no thread either, and the child ends again.
        thread::Builder::new().spawn(move || followed.follow())?;
        thread::Builder::new().spawn(move || records(stdout, end, &tell))?;
        Ok(child)
    }

    /// Sends `order` and waits for its end, at most `limit`. What a command leaves running goes on.
    pub(super) fn order(&mut self, order: &[u8], limit: Duration) -> Ended {
        // A process that is gone shows that below.
        let _ = self.stdin.write_all(order).and_then(|()| self.stdin.flush());
        if let Some(ended) = self.wait(limit) {
            return ended;
        }
        let _ = kill(self.group, Signal::SIGINT);
        match self.wait(GRACE) {
            Some(Ended::Said(said)) => Ended::Interrupted(said),
            Some(gone) => gone,
            None => {
                self.end();
                Ended::Killed
            }
        }
    }

    fn wait(&mut self, limit: Duration) -> Option<Ended> {
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.said.recv_timeout(left.min(LOOK)) {
                Ok(said) => return Some(Ended::Said(said)),
                Err(_) if left.is_zero() => return None,
                // The way on which it tells is closed: it ends, or can tell nothing any more.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK / 10),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Ok(Some(ended)) = self.process.try_wait() {
                let code = ended.code().unwrap_or_else(|| 128 + ended.signal().unwrap_or(0));
                return Some(Ended::Gone(code));
            }
        }
    }

    /// What has been printed since the last look, all that came before an end was told included.
    pub(super) fn output(&self) -> String {
        let mut tail = self.output.tail();
        // As much as a pipe holds: a job in the background may go on for ever.
        for _ in 0..PIPE / CHUNK {
            if !self.output.read(&mut tail) {
                break;
            }
        }
        tail.take()
    }

    fn end(&mut self) {
        let _ = kill(self.group, Signal::SIGKILL);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

impl Output {
    fn of(pipe: OwnedFd) -> io::Result<Self> {
        fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        Ok(Self { pipe: pipe.into(), tail: Mutex::default() })
    }

    fn tail(&self) -> std::sync::MutexGuard<'_, Tail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what the pipe has; `false` when that is nothing.
    fn read(&self, tail: &mut Tail) -> bool {
        let mut bytes = [0; CHUNK];
        match (&self.pipe).read(&mut bytes) {
            Ok(count) => {
                tail.push(&bytes[..count]);
                count > 0
            }
            Err(_) => false,
        }
    }

    /// Empties the pipe between commands too, so that no background job waits for a reader.
    fn follow(&self) {
        loop {
            let mut waits = [PollFd::new(self.pipe.as_fd(), PollFlags::POLLIN)];
            if poll(&mut waits, PollTimeout::NONE).is_err() {
                continue;
            }
            let is_over = waits[0].revents().is_some_and(|now| !now.contains(PollFlags::POLLIN));
            if is_over || (!self.read(&mut self.tail()) && self.is_closed()) {
                return;
            }
        }
    }

    /// Whether nobody can write any more.
    fn is_closed(&self) -> bool {
        let mut waits = [PollFd::new(self.pipe.as_fd(), PollFlags::empty())];
        poll(&mut waits, PollTimeout::ZERO).is_ok()
            && waits[0].revents().is_some_and(|now| now.contains(PollFlags::POLLHUP))
    }
}

/// Hands on each record, which ends with `end`.
fn records(source: ChildStdout, end: u8, tell: &Sender<Vec<u8>>) {
    let mut source = BufReader::new(source);
    loop {
        let mut record = Vec::new();
        match source.read_until(end, &mut record) {
            Ok(1..) if record.pop() == Some(end) && tell.send(record).is_ok() => {}
            _ => return,
        }
    }
}

/// Lets the process `id`, and what it starts, have [`KEPT`] processes less than the workbench itself. The kernel counts all
/// of the sandbox together and compares with the bound of whoever starts one more.
fn keep_room(id: i32) -> io::Result<()> {
    let Some(most) = getrlimit(Resource::Nproc).current else { return Ok(()) };
    let most = Some(most.saturating_sub(KEPT).max(1));
    let bound = Rlimit { current: most, maximum: most };
    prlimit(rustix::process::Pid::from_raw(id), Resource::Nproc, bound)?;
    Ok(())
}

/// Has interrupts reach whatever is started from now on. A shell starts a program in the background with interrupts ignored,
/// and whatever that one starts inherits this. Only a signal that is handled is not inherited.
fn hear_interrupts() -> io::Result<()> {
    static HEARD: LazyLock<Result<SigId, io::ErrorKind>> = LazyLock::new(|| {
        signal_hook::flag::register(SIGINT, Arc::default()).map_err(|error| error.kind())
    });
    (*HEARD).map(|_| ()).map_err(io::Error::from)
}

fn prepared(program: &str, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs([
        ("PS1", ""),
        ("PS2", ""),
        ("TERM", "dumb"),
        ("PAGER", "cat"),
        ("GIT_PAGER", "cat"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("HISTFILE", ""),
    ]);
    command
}
