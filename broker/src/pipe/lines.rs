//! Lines on a byte stream: bounded when read, whole when written.

use std::io;

use protocol::Frame;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

/// The longest line that is read, in bytes: a catalogue of some hundred skills fits, and a command of the
/// largest size with its frame by far.
pub(super) const MAX_LINE: usize = 4 * 1024 * 1024;

/// How many frames may wait to be written before the sender waits.
const WRITE_AHEAD: usize = 64;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// It was longer than [`MAX_LINE`] and has been passed over.
    TooLong,
}

/// The next line; `None` at the end of the stream. A last line without an end counts.
pub(super) async fn next(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_long = false;
    loop {
        let chunk = reader.fill_buf().await?;
        if chunk.is_empty() {
            let nothing = line.is_empty() && !too_long;
            return Ok((!nothing).then(|| finish(line, too_long)));
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        too_long = too_long || line.len() + part.len() > MAX_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, too_long)));
        }
    }
}

fn finish(line: Vec<u8>, too_long: bool) -> Line {
    if too_long { Line::TooLong } else { Line::Whole(line) }
}

/// Writes frames one a line, in the order in which they are sent. Clones share the stream.
#[derive(Debug, Clone)]
pub(super) struct FrameWriter {
    frames: mpsc::Sender<(Frame, oneshot::Sender<()>)>,
}

/// The other end of the stream is gone.
#[derive(Debug)]
pub(super) struct Closed;

impl FrameWriter {
    /// Starts the task that writes to `writer`.
    pub(super) fn new(mut writer: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        let (frames, mut waiting) = mpsc::channel::<(Frame, oneshot::Sender<()>)>(WRITE_AHEAD);
        tokio::spawn(async move {
            while let Some((frame, written)) = waiting.recv().await {
                // Frames are plain data and always have a JSON form.
                let Ok(mut line) = serde_json::to_vec(&frame) else { continue };
                line.push(b'\n');
                if writer.write_all(&line).await.is_err() || writer.flush().await.is_err() {
                    // The other end is gone. Dropping `waiting` tells every sender.
                    return;
                }
                // A sender that does not care has dropped its end.
                let _ = written.send(());
            }
        });
        Self { frames }
    }

    /// Writes `frame` and waits until it has left this process.
    pub(super) async fn write(&self, frame: Frame) -> Result<(), Closed> {
        let (written, done) = oneshot::channel();
        self.frames.send((frame, written)).await.map_err(|_| Closed)?;
        done.await.map_err(|_| Closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut reader = tokio::io::BufReader::with_capacity(7, bytes);
        let mut lines = Vec::new();
        while let Some(line) = next(&mut reader).await.unwrap() {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over_and_the_next_one_read() {
        let mut bytes = vec![b'x'; MAX_LINE + 1];
        bytes.extend_from_slice(b"\nab\n\n\xff\nlast");
        let whole = |bytes: &[u8]| Line::Whole(bytes.to_vec());
        assert_eq!(
            lines(&bytes).await,
            [Line::TooLong, whole(b"ab"), whole(b""), whole(b"\xff"), whole(b"last")]
        );
    }
}
