//! A program that runs to its end, or until its time is over; what it prints is one output.
#![expect(clippy::disallowed_types, reason = "the sandbox is around this process already")]

use std::ffi::OsStr;
use std::io::{self, Read};
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
    while let Ok((piece, count)) = told.recv_timeout(late.saturating_duration_since(Instant::now()))
    {
        whole += count;
        output.extend(piece);
    }
    Ok(Ran { output, whole, code: ended })
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
}

/// Reads all of it, so that nothing waits for room; of what is beyond the largest, only the length counts.
fn drain(mut reader: impl Read, tell: &mpsc::Sender<(Vec<u8>, usize)>) {
    let (mut chunk, mut room) = (vec![0; 64 * 1024], LARGEST);
    while let Ok(count) = reader.read(&mut chunk) {
        let held = count.min(room);
        room -= held;
        if count == 0 || tell.send((chunk[..held].to_vec(), count)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_only_the_first_is_held_and_all_of_it_is_counted() {
        let (tell, told) = mpsc::channel();
        drain(io::repeat(b'x').take(3 * LARGEST as u64 + 1), &tell);
        drop(tell);
        let pieces: Vec<_> = told.iter().collect();
        assert_eq!(pieces.iter().map(|(piece, _)| piece.len()).sum::<usize>(), LARGEST);
        assert_eq!(pieces.iter().map(|(_, count)| count).sum::<usize>(), 3 * LARGEST + 1);
    }
}
