//! Puts the parts of an answer together.

use crate::provider::{Part, Said, Tokens};
use crate::{Call, Ended};

/// How large an answer may be, in bytes, reasoning and calls included.
pub(crate) const ANSWER_LIMIT: usize = 1024 * 1024;

/// What a call weighs besides its text, in bytes, so that a server can't make endless ones of nothing.
const CALL: usize = 4_096;

/// An answer while it comes.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Its text by now.
    pub text: String,
    /// Its calls by now, each with its place if it has one.
    calls: Vec<(Option<u64>, Call)>,
    /// What it took, as far as that was said.
    pub tokens: Tokens,
    /// Whether there are thoughts apart from its text.
    thinks: bool,
    /// How large it is by now, in bytes.
    size: usize,
    /// Why it ended, once it has.
    done: Option<Ended>,
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
        self.size += match &part {
            Part::Text(text) => text.len(),
            Part::Thought(bytes) => *bytes,
            Part::Call { name, params, .. } => name.len() + params.len(),
            _ => 0,
        };
        if let Part::Call { at, name, params } = &part {
            self.call(*at, name, params);
        }
        if self.size > ANSWER_LIMIT {
            return Err(Stopped::TooLarge);
        }
        match part {
            Part::Text(text) => {
                words(&text);
                self.text.push_str(&text);
            }
            Part::Thought(_) => self.thinks = true,
            Part::Usage(tokens) => {
                self.tokens.read = tokens.read.or(self.tokens.read);
                self.tokens.cached = tokens.cached.or(self.tokens.cached);
                self.tokens.written = tokens.written.or(self.tokens.written);
            }
            Part::Done { reason } => self.done = Some(Ended::read(&reason)),
            Part::Failed(said) => return Err(Stopped::Failed(said)),
            Part::Call { .. } | Part::End => {}
        }
        Ok(())
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
                self.size += CALL;
            }
        }
    }

    /// Whether nothing has been said by now.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.calls.is_empty()
    }

    /// Whether the model has thought, apart from the text or in it.
    pub fn thinks(&self) -> bool {
        self.thinks
            || self.text.trim_start().starts_with("<think>")
            || self.text.contains("</think>")
    }

    /// It has come to an end, though its server has not said so.
    pub(super) fn end(&mut self, ended: Ended) {
        self.done = Some(ended);
    }

    /// Why it ended, once it has.
    pub fn done(&self) -> Option<&Ended> {
        self.done.as_ref()
    }

    /// Its tool calls.
    pub fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.calls).into_iter().map(|(_, call)| call).collect()
    }
}
