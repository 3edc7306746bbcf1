//! Reads the answer of `/api/chat`: one JSON object a line.

use serde::Deserialize;

use super::lines::Lines;
use crate::model::ModelError;

/// How large an answer may be, in bytes, reasoning included.
pub(super) const ANSWER_LIMIT: usize = 1024 * 1024;

/// How much may come for it, in bytes: a line of JSON for each token is about 40 times the token, and a
/// server that sends lines with nothing in them must come to an end, too.
const STREAM_LIMIT: usize = 64 * ANSWER_LIMIT;

/// How much of a wrong line is shown, in characters.
const SHOWN: usize = 120;

/// One line of the stream, as far as it is used.
#[derive(Debug, Deserialize)]
struct Line {
    message: Option<Message>,
    #[serde(default)]
    done: bool,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    content: String,
    /// Reasoning that the server has taken out of the content itself.
    #[serde(default)]
    thinking: Option<String>,
}

/// An answer while it comes.
#[derive(Debug, Default)]
pub(super) struct Reader {
    lines: Lines,
    text: String,
    thinking: usize,
    received: usize,
    done: bool,
}

impl Reader {
    /// Takes a chunk, gives its words to `words`, and says whether the answer is complete.
    pub(super) fn push(
        &mut self,
        chunk: &[u8],
        address: &str,
        words: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bool, ModelError> {
        for line in self.lines.push(chunk) {
            self.line(&line, address, words)?;
        }
        self.received += chunk.len();
        if self.lines.waiting() > ANSWER_LIMIT || self.received > STREAM_LIMIT {
            return Err(endless(address));
        }
        Ok(self.done)
    }

    /// The stream has ended, perhaps without a line break behind its last line.
    pub(super) fn end(
        &mut self,
        address: &str,
        words: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), ModelError> {
        let last = std::mem::take(&mut self.lines).finish();
        // Half a line is what a cut looks like; a whole one that is wrong is told by its beginning.
        match self.line(&last, address, words) {
            Err(ModelError::BadFrame { shown, .. }) if shown.starts_with('{') => {
                Err(ModelError::Cut { address: address.to_owned() })
            }
            Err(error) => Err(error),
            Ok(()) if self.done => Ok(()),
            Ok(()) => Err(ModelError::Cut { address: address.to_owned() }),
        }
    }

    /// The whole text.
    pub(super) fn text(self) -> String {
        self.text
    }

    fn line(
        &mut self,
        line: &[u8],
        address: &str,
        words: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), ModelError> {
        if self.done || line.trim_ascii().is_empty() {
            return Ok(());
        }
        let line: Line = serde_json::from_slice(line).map_err(|_| bad_line(line, address))?;
        if let Some(error) = line.error {
            return Err(ModelError::Server {
                address: address.to_owned(),
                words: shown(error.as_bytes()),
            });
        }
        self.done = line.done;
        let Some(Message { content, thinking }) = line.message else { return Ok(()) };
        self.thinking += thinking.map_or(0, |text| text.len());
        if self.text.len() + content.len() + self.thinking > ANSWER_LIMIT {
            return Err(endless(address));
        }
        if !content.is_empty() {
            words(&content);
            self.text.push_str(&content);
        }
        Ok(())
    }
}

fn endless(address: &str) -> ModelError {
    ModelError::Endless { address: address.to_owned(), after: format!("{ANSWER_LIMIT} bytes") }
}

fn bad_line(line: &[u8], address: &str) -> ModelError {
    ModelError::BadFrame {
        address: address.to_owned(),
        expected: "Ollama".to_owned(),
        shown: shown(line),
    }
}

/// The beginning of what a server said, on one line.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_says_nothing_for_ever_comes_to_an_end() {
        for nothing in [&b"\n"[..], b"{\"message\":{\"content\":\"\"},\"done\":false}\n"] {
            let chunk = nothing.repeat(64 * 1024);
            let mut reader = Reader::default();
            let ended =
                (0..STREAM_LIMIT).find_map(|_| reader.push(&chunk, "here", &mut |_| {}).err());
            assert_eq!(ended, Some(endless("here")));
        }
    }
}
