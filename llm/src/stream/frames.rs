//! Cuts a stream into frames: the lines of NDJSON, or the events of a `text/event-stream`
//! (html.spec.whatwg.org/multipage/server-sent-events.html).
//!
//! Of the events the data alone is read, for every provider repeats the event's name in it. A crate for
//! events would keep a line without an end for ever; here the same bounded lines serve both.

use super::lines::Lines;
use crate::framing::Framing;

/// The frames of one stream.
#[derive(Debug)]
pub(super) struct Frames {
    framing: Framing,
    lines: Lines,
    /// The data of the event that has no end yet.
    data: Vec<u8>,
    has_begun: bool,
}

impl Frames {
    pub(super) fn new(framing: Framing) -> Self {
        Self { framing, lines: Lines::default(), data: Vec::new(), has_begun: false }
    }

    /// Takes a chunk and gives the frames that it completes, none of them empty.
    pub(super) fn push(&mut self, chunk: &[u8]) -> Vec<Vec<u8>> {
        let lines = self.lines.push(chunk);
        lines.iter().flat_map(|line| self.line(line)).collect()
    }

    /// What stands behind the last frame when the stream has ended.
    pub(super) fn finish(&mut self) -> Vec<Vec<u8>> {
        let last = self.lines.finish();
        let mut frames = self.line(&last);
        frames.extend(self.take_event());
        frames
    }

    /// How much of the frame without an end there is by now, in bytes.
    pub(super) fn waiting(&self) -> usize {
        self.lines.waiting() + self.data.len()
    }

    fn line(&mut self, line: &[u8]) -> Vec<Vec<u8>> {
        let mark =
            if std::mem::replace(&mut self.has_begun, true) { None } else { Some(BYTE_ORDER) };
        let line = mark.and_then(|mark| line.strip_prefix(mark)).unwrap_or(line);
        match self.framing {
            Framing::Lines if line.trim_ascii().is_empty() => Vec::new(),
            Framing::Lines => vec![line.to_vec()],
            Framing::Events if line.is_empty() => self.take_event().into_iter().collect(),
            Framing::Events => self.field(line).into_iter().collect(),
        }
    }

    /// One line of an event. What can't be one is a frame of its own, which nobody can read.
    fn field(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            // llama.cpp once sent its errors as a field of their own.
            b"data" | b"error" => {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                None
            }
            name if name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') => None,
            _ => Some(line.to_vec()),
        }
    }

    fn take_event(&mut self) -> Option<Vec<u8>> {
        Some(std::mem::take(&mut self.data)).filter(|data| !data.trim_ascii().is_empty())
    }
}

/// The mark of the byte order that may stand first.
const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frames(framing: Framing, stream: &[u8], size: usize) -> Vec<String> {
        let mut frames = Frames::new(framing);
        let mut seen: Vec<_> = stream.chunks(size).flat_map(|chunk| frames.push(chunk)).collect();
        seen.extend(frames.finish());
        seen.into_iter().map(|frame| String::from_utf8(frame).unwrap()).collect()
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let stream = "\u{feff}: ping\n\nevent: x\r\ndata: {\"a\":\r\ndata:1}\r\n\r\nid: 7\nretry: 9\ndata\ndata: \n\n\
                      data: zwei\r\rerror: {}\n\n<html>\nInternal error: no\ndata: last";
        for size in 1..stream.len() {
            assert_eq!(
                frames(Framing::Events, stream.as_bytes(), size),
                ["{\"a\":\n1}", "zwei", "{}", "<html>", "Internal error: no", "last"],
                "{size}"
            );
        }
    }

    #[test]
    fn lines_are_frames() {
        assert_eq!(frames(Framing::Lines, b"{}\n \r\n\n[1]", 1), ["{}", "[1]"]);
    }

    proptest! {
        #[test]
        fn events_are_the_same_wherever_chunks_end(
            texts in prop::collection::vec("[a-zü: ]{1,9}", 1..5), size in 1_usize..9,
        ) {
            let stream: String = texts.iter().map(|text| format!("data: {text}\n\n")).collect();
            let whole = frames(Framing::Events, stream.as_bytes(), stream.len());
            prop_assert_eq!(frames(Framing::Events, stream.as_bytes(), size), whole);
        }
    }
}
