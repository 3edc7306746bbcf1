//! A log on stderr. A reader that has stopped reading loses lines; it never holds the process up.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tracing_subscriber::fmt::MakeWriter;

/// How much a pipe takes without a wait that says it is ready (PIPE_BUF, pipe(7)).
const AT_ONCE: usize = 4096;

/// Writes whole lines to a stream that may be full.
#[derive(Debug)]
pub struct LogLines<W> {
    stream: Mutex<Stream<W>>,
}

#[derive(Debug)]
struct Stream<W> {
    to: W,
    /// How many lines nobody has read.
    lost: u64,
}

/// One line on its way.
#[derive(Debug)]
pub struct LogLine<'a, W>(&'a LogLines<W>);

impl<W: Write + AsFd> LogLines<W> {
    /// Lines for `to`.
    #[must_use]
    pub fn new(to: W) -> Self {
        Self { stream: Mutex::new(Stream { to, lost: 0 }) }
    }

    // A std mutex, because it is never held across an await. Poisoned, the count is still right.
    fn stream(&self) -> MutexGuard<'_, Stream<W>> {
        self.stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write + AsFd> Stream<W> {
    fn say(&mut self, line: &[u8]) -> io::Result<()> {
        if self.lost > 0 && self.is_ready() {
            let told = format!("(nobody read the log: {} lines are lost)\n", self.lost);
            self.lost = 0;
            self.to.write_all(told.as_bytes())?;
        }
        for piece in line.chunks(AT_ONCE) {
            if !self.is_ready() {
                self.lost += 1;
                return Ok(());
            }
            self.to.write_all(piece)?;
        }
        Ok(())
    }

    /// Whether it takes [`AT_ONCE`] bytes now. One that is closed does, too: writing says so.
    fn is_ready(&self) -> bool {
        let mut asked = [PollFd::new(self.to.as_fd(), PollFlags::POLLOUT)];
        poll(&mut asked, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
}

impl<W: Write + AsFd> Write for LogLine<'_, W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.stream().say(line)?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a, W: Write + AsFd + 'a> MakeWriter<'a> for LogLines<W> {
    type Writer = LogLine<'a, W>;

    fn make_writer(&'a self) -> Self::Writer {
        LogLine(self)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, PipeWriter, Read};

    use super::*;

    fn lines() -> (PipeReader, LogLines<PipeWriter>) {
        let (reader, writer) = io::pipe().unwrap();
        (reader, LogLines::new(writer))
    }

    #[test]
    fn what_nobody_reads_is_lost_and_told_later() {
        let (mut reader, lines) = lines();
        // A pipe holds 64 KiB: whoever waits for a reader never comes to the end of this.
        let line = [&[b'x'; 999][..], b"\n"].concat();
        for _ in 0..1_000 {
            lines.make_writer().write_all(&line).unwrap();
        }
        let lost = lines.stream().lost;
        assert!((900..1_000).contains(&lost), "{lost}");
        let mut read = vec![0; 64 * 1024];
        let kept = reader.read(&mut read).unwrap();
        assert_eq!(kept, (1_000 - usize::try_from(lost).unwrap()) * line.len());
        lines.make_writer().write_all(b"again\n").unwrap();
        let told = format!("(nobody read the log: {lost} lines are lost)\nagain\n");
        let length = reader.read(&mut read).unwrap();
        assert_eq!(String::from_utf8_lossy(&read[..length]), told);
    }

    #[test]
    fn a_reader_that_is_gone_is_an_error_and_no_wait() {
        let (reader, lines) = lines();
        drop(reader);
        assert!(lines.make_writer().write_all(b"x\n").is_err());
    }
}
