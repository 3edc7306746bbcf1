//! Reads an answer that comes as a stream, in the same way for every provider: bounded in time and in bytes.

mod circle;
mod frames;
mod gather;
mod lines;
mod watch;

use reqwest::Response;
use serde_json::Value;

use circle::Circle;
use frames::Frames;
pub use gather::Gathered;
use gather::{ANSWER_LIMIT, Stopped};
pub(crate) use watch::{Expired, Watch};

use crate::provider::{Part, Provider, Refusal};
use crate::{Budget, Delta, Ended, Listener, ModelError};

/// How much may come for an answer, in bytes: a line of JSON for each token is about 40 times the token, and a
/// server that sends lines with nothing in them must come to an end, too.
const STREAM_LIMIT: usize = 64 * ANSWER_LIMIT;

/// The frame behind the last one of OpenAI's API.
const DONE: &[u8] = b"[DONE]";

/// A stream that is read.
pub(crate) struct Reader<'r> {
    provider: &'r dyn Provider,
    /// The model's name, for errors.
    model: &'r str,
    /// How many tokens may come, thoughts included.
    limit: u64,
    frames: Frames,
    gathered: Gathered,
    circle: Circle,
    received: usize,
    ended: bool,
}

/// Why there is no answer, and whether the server said so before it had begun with one.
#[derive(Debug)]
pub struct Failure {
    /// For people.
    pub error: ModelError,
    /// What the server meant, if it refused.
    pub refusal: Refusal,
    /// Whether it spoke of pictures.
    pub of_pictures: bool,
}

impl From<ModelError> for Failure {
    fn from(error: ModelError) -> Self {
        Self { error, refusal: Refusal::Other, of_pictures: false }
    }
}

impl<'r> Reader<'r> {
    /// For an answer of `model` that may take so many tokens.
    pub(crate) fn new(provider: &'r dyn Provider, model: &'r str, budget: Budget) -> Self {
        let frames = Frames::new(provider.place().framing);
        let limit = budget.answer.saturating_add(budget.thoughts);
        Self {
            provider,
            model,
            limit,
            frames,
            gathered: Gathered::default(),
            circle: Circle::default(),
            received: 0,
            ended: false,
        }
    }

    /// Reads to the end of the answer.
    ///
    /// # Errors
    /// [`Failure`]: it is no answer, it has no end, it is cut off, or the server says that it failed.
    pub(crate) async fn read(
        mut self,
        mut response: Response,
        watch: &mut Watch,
        progress: &mut Listener<'_>,
    ) -> Result<Gathered, Failure> {
        let place = self.provider.place();
        while !self.ended {
            let chunk = match watch.wait(response.chunk(), progress).await {
                Ok(Ok(chunk)) => chunk,
                // The answer is complete; what it took is not worth an error.
                _ if self.gathered.done().is_some() => break,
                Ok(Err(error)) => return Err(place.broken(&error).into()),
                Err(expired) => return Err(expired_at(self.provider, expired).into()),
            };
            match chunk {
                Some(chunk) => self.push(&chunk, watch, progress)?,
                None => self.end(watch, progress)?,
            }
        }
        match self.gathered.done() {
            None => Err(place.cut().into()),
            Some(ended) if self.gathered.is_empty() => match ended {
                Ended::OfItself | Ended::Repeating => Ok(self.gathered),
                Ended::AtLimit => {
                    let tokens = self.gathered.tokens.written.unwrap_or(self.limit);
                    Err(place.only_thought(self.model, tokens).into())
                }
                Ended::ForTools(word) => {
                    Err(place.failed(&format!("it ended with {word} and said nothing")).into())
                }
                Ended::ByServer(word) => Err(place.declined(word).into()),
            },
            Some(_) => Ok(self.gathered),
        }
    }

    fn push(
        &mut self,
        chunk: &[u8],
        watch: &mut Watch,
        progress: &mut Listener<'_>,
    ) -> Result<(), Failure> {
        for frame in self.frames.push(chunk) {
            self.frame(&frame, watch, progress)?;
        }
        self.received += chunk.len();
        if self.frames.waiting() > ANSWER_LIMIT || self.received > STREAM_LIMIT {
            return Err(self.too_large().into());
        }
        Ok(())
    }

    /// The stream has ended, perhaps without a line break behind its last line.
    fn end(&mut self, watch: &mut Watch, progress: &mut Listener<'_>) -> Result<(), Failure> {
        self.ended = true;
        for frame in self.frames.finish() {
            let is_half =
                frame.starts_with(b"{") && serde_json::from_slice::<Value>(&frame).is_err();
            // Half a frame is what a cut looks like; a whole one that is wrong is told by its beginning.
            if !is_half {
                self.frame(&frame, watch, progress)?;
            }
        }
        Ok(())
    }

    fn frame(
        &mut self,
        frame: &[u8],
        watch: &mut Watch,
        progress: &mut Listener<'_>,
    ) -> Result<(), Failure> {
        if self.ended && self.gathered.done().is_some() {
            return Ok(());
        }
        if frame.trim_ascii() == DONE {
            self.ended = true;
            return Ok(());
        }
        let read = serde_json::from_slice::<Value>(frame).ok().filter(Value::is_object);
        let bad = || self.provider.place().bad_frame(frame);
        for part in self.provider.parts(&read.ok_or_else(bad)?) {
            match &part {
                Part::Text(_) | Part::Thought(_) | Part::Call { .. } => watch.token(),
                Part::Done { .. } => watch.complete(),
                Part::End => self.ended = true,
                Part::Usage(_) | Part::Failed(_) => {}
            }
            let mut repeats = false;
            let circle = &mut self.circle;
            let mut words = |piece: &str| {
                progress(Delta::Text(piece));
                repeats = circle.goes_round(piece);
            };
            let taken = self.gathered.take(part, &mut words);
            taken.map_err(|stopped| self.stopped(stopped))?;
            if repeats {
                // The server stops when nobody listens.
                self.gathered.end(Ended::Repeating);
                self.ended = true;
                break;
            }
        }
        Ok(())
    }

    fn stopped(&self, stopped: Stopped) -> Failure {
        let place = self.provider.place();
        let said = match stopped {
            Stopped::TooLarge => return self.too_large().into(),
            Stopped::Failed(said) => said,
        };
        match self.provider.refusal(&said) {
            // Some servers begin with a 200 before they have looked at the prompt.
            refusal @ Refusal::Overrun(_) if self.gathered.is_empty() => {
                let error = place.refused(self.model, &said, refusal, None);
                Failure { error, refusal, of_pictures: said.speaks_of_pictures() }
            }
            _ => {
                let of_pictures = self.gathered.is_empty() && said.speaks_of_pictures();
                Failure { of_pictures, ..place.failed(&said.words).into() }
            }
        }
    }

    fn too_large(&self) -> ModelError {
        self.provider.place().endless(format!("{ANSWER_LIMIT} bytes"))
    }
}

/// What it is when a completion takes too long.
pub(crate) fn expired_at(provider: &dyn Provider, expired: Expired) -> ModelError {
    match expired {
        Expired::Silent(waited) => provider.place().silent(waited),
        Expired::Endless(after) => provider.place().endless(format!("{} s", after.as_secs())),
    }
}
