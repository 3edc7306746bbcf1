//! Puts the parts of an answer together.

use crate::model::Call;
use crate::model::provider::{Part, Said, Tokens};

/// How large an answer may be, in bytes, reasoning and calls included.
pub(in crate::model) const ANSWER_LIMIT: usize = 1024 * 1024;

/// An answer while it comes.
#[derive(Debug, Default)]
pub(in crate::model) struct Gathered {
    /// Its text by now.
    pub(in crate::model) text: String,
    /// Its calls by now, each with its place if it has one.
    calls: Vec<(Option<u64>, Call)>,
    /// What it took, as far as that was said.
    pub(in crate::model) tokens: Tokens,
    thoughts: usize,
    /// Why it ended, once it has.
    done: Option<String>,
}

/// Why nothing more is taken.
#[derive(Debug)]
pub(super) enum Stopped {
    /// It is too large.
    TooLarge,
    /// The server failed.
    Failed(Said),
}

impl Gathered {
    /// Takes a part, and gives the words in it to `words`.
    pub(super) fn take(
        &mut self,
        part: Part,
        words: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(), Stopped> {
        match part {
            Part::Text(text) => {
                self.text.push_str(&text);
                self.bounded()?;
                words(&text);
            }
            Part::Thought(bytes) => self.thoughts += bytes,
            Part::Call { at, name, params } => self.call(at, &name, &params),
            Part::Usage(tokens) => {
                self.tokens.read = tokens.read.or(self.tokens.read);
                self.tokens.cached = tokens.cached.or(self.tokens.cached);
                self.tokens.written = tokens.written.or(self.tokens.written);
            }
            Part::Done { reason } => self.done = Some(reason),
            Part::End => {}
            Part::Failed(said) => return Err(Stopped::Failed(said)),
        }
        self.bounded()
    }

    fn call(&mut self, at: Option<u64>, name: &str, params: &str) {
        let known = self.calls.iter_mut().find(|(place, _)| place.is_some() && *place == at);
        match known {
            Some((_, call)) => {
                call.name.push_str(name);
                call.params.push_str(params);
            }
            None => {
                let call = Call { name: name.to_owned(), params: params.to_owned() };
                self.calls.push((at, call));
            }
        }
    }

    fn bounded(&self) -> Result<(), Stopped> {
        // A call weighs something even if nothing stands in it.
        let calls = self.calls.iter().map(|(_, call)| 64 + call.name.len() + call.params.len());
        let size = self.text.len() + self.thoughts + calls.sum::<usize>();
        if size > ANSWER_LIMIT { Err(Stopped::TooLarge) } else { Ok(()) }
    }

    /// Whether nothing has been said by now.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    /// Why it ended, once it has.
    pub(in crate::model) fn done(&self) -> Option<&str> {
        self.done.as_deref()
    }

    /// Its tool calls.
    pub(in crate::model) fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls).into_iter().map(|(_, call)| call).collect()
    }
}
