//! A program that runs to its end, or until its time is over; what it prints is one output.
#![expect(clippy::disallowed_types, reason = "the sandbox is around this process already")]

use std::ffi::OsStr;
use std::io::{self, PipeReader, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::LARGEST;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(10);

/// How long its output is waited for once it has ended, where something that it started still holds it.
const LATE: Duration = Duration::from_millis(200);

/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(2);

/// What came of it.
pub(super) struct Ran {
    /// The first of what was printed.
    pub(super) output: Vec<u8>,
    /// How much that was in all, in bytes.
    pub(super) whole: usize,
    /// Its exit code; 128 and the signal's number where a signal ended it. Nothing when its time was over.
    pub(super) code: Option<i32>,
}

/// Runs `program` in `folder`, with an environment of its own.
pub(super) fn run(
    program: &str,
    arguments: &[&OsStr],
    folder: &Path,
    home: &Path,
) -> io::Result<Ran> {
    let (reader, writer) = io::pipe()?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("LANG", "C.UTF-8")
        .env("TMPDIR", "/tmp")
        .env("PAGER", "cat")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0);
    let mut process = command.spawn()?;
    // It holds the other end of the pipe.
    drop(command);
    let (tell, told) = mpsc::channel();
    thread::Builder::new().spawn(move || drain(reader, &tell))?;
    let begun = Instant::now();
    let ended = loop {
        match process.try_wait()? {
            Some(status) => break Some(code(status)),
            None if begun.elapsed() > LIMIT => break None,
            None => thread::sleep(LOOK),
        }
    };
    // What it has started ends with it.
    if let Ok(id) = i32::try_from(process.id()) {
        let _ = kill(Pid::from_raw(-id), Signal::SIGKILL);
    }
    let _ = process.wait();
    let (mut output, mut whole) = (Vec::new(), 0);
    let late = Instant::now() + LATE;
    while let Ok(piece) = told.recv_timeout(late.saturating_duration_since(Instant::now())) {
        whole += piece.len();
        let room = LARGEST - output.len();
        output.extend(piece.into_iter().take(room));
    }
    Ok(Ran { output, whole, code: ended })
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Reads all of it, so that nothing waits for room; of what is beyond the largest, only the length counts.
fn drain(mut reader: PipeReader, tell: &mpsc::Sender<Vec<u8>>) {
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(count) = reader.read(&mut chunk) {
        if count == 0 || tell.send(chunk[..count].to_vec()).is_err() {
            return;
        }
    }
}
