//! Asks the model of each agent. Nobody stands in for one that can't answer.

use std::sync::Arc;

use async_trait::async_trait;
use llm::Message;
use protocol::SessionKey;
use storm::{Agent, Role, Spoken};

use crate::config::Target;
use crate::model::{Ask, Chain, Completion, Hearer, Maker, Model, Progress};
use crate::persona::{Persona, reached};
use answer::Words;
use answer::sanitize::tame;
use storm_runner::{Heard, Hears, SpeakError, Speaks, Spoke};

/// How much agents gamble whose file does not say it, as AIStorm has it.
const TEMPERATURE: f64 = 0.7;

/// What is wrong with an agent that no model thinks for.
const MUTE: &str = "its type is offline, and without a model nobody talks; write one of ollama, openai, anthropic and gemini";

/// The models of agents.
pub(crate) struct Minds {
    maker: Maker,
    session: SessionKey,
}

impl Minds {
    /// Models by these settings, whose answers the people of `session` wait for.
    pub(crate) fn new(maker: Maker, session: SessionKey) -> Self {
        Self { maker, session }
    }
}

#[async_trait]
impl Speaks for Minds {
    async fn speak(
        &self,
        agent: &Agent,
        request: &[Spoken],
        hear: &mut Hears<'_>,
    ) -> Result<Spoke, SpeakError> {
        let persona = Persona::of(agent.name.as_str(), &agent.file);
        let persona = persona.map_err(|error| SpeakError::Failed(error.to_string()))?;
        if persona.target == Target::OFFLINE {
            return Err(SpeakError::Failed(MUTE.to_owned()));
        }
        let target = reached(&persona.target, &self.maker).map_err(SpeakError::Failed)?;
        let temperature = persona.temperature.unwrap_or(TEMPERATURE);
        let (system, before, last) = parts(request);
        let hearer = Hearer::of(&self.session);
        let ask =
            Ask::chat(&system, &before, &last).with_temperature(temperature).heard_by(&hearer);
        let model = Chain::new(vec![Arc::new(self.maker.link(&target))]);
        let what = format!("{} is thinking", agent.name);
        let mut ear = Ear { hear, words: Words::default(), hearer: &hearer, what };
        let completed = model.complete(&ask, &mut |step: Progress<'_>| ear.hears(&step)).await;
        ear.ends();
        match completed {
            Ok(completion) => Ok(spoke(&completion, request)),
            Err(error) if error.is_of_size() => Err(SpeakError::TooLong(error.to_string())),
            Err(error) => Err(SpeakError::Failed(error.to_string())),
        }
    }
}

/// Passes on what people should see of an answer while it comes.
struct Ear<'e, 'h> {
    hear: &'e mut Hears<'h>,
    words: Words<'static>,
    hearer: &'e Hearer,
    /// What is waited for.
    what: String,
}

impl Ear<'_, '_> {
    fn hears(&mut self, step: &Progress<'_>) {
        match step {
            Progress::Asked { .. } => {
                self.words = Words::default();
                (self.hear)(Heard::Anew);
            }
            Progress::Piece(piece) => {
                let piece = self.words.push(piece);
                self.show(&piece);
            }
            Progress::Prompt(_) | Progress::WordsAlone => {}
            Progress::Notice(notice) => (self.hear)(Heard::Notice(notice.to_string())),
            Progress::Waiting { .. } => {
                (self.hear)(Heard::Waiting(step.wait(&self.what).unwrap_or_default()));
            }
        }
    }

    fn ends(&mut self) {
        let piece = self.words.finish();
        self.show(&piece);
    }

    fn show(&mut self, piece: &str) {
        if self.words.begins_anew() {
            (self.hear)(Heard::Anew);
        }
        if !piece.is_empty() {
            self.hearer.sees();
            (self.hear)(Heard::Piece(piece));
        }
    }
}

/// The instructions, what was said, and the last message of a request. What others said can hold nothing that a model's
/// template takes for a change of role.
fn parts(request: &[Spoken]) -> (String, Vec<Message>, String) {
    let mut system = String::new();
    let mut said = Vec::new();
    for Spoken { role, text } in request {
        match role {
            Role::System => system.push_str(text),
            Role::User => said.push(Message { role: llm::Role::User, text: tame(text) }),
            Role::Assistant => said.push(Message { role: llm::Role::Assistant, text: tame(text) }),
        }
    }
    let last = said.pop().map(|message| message.text).unwrap_or_default();
    (system, said, last)
}

/// What came, with the tokens that it took; where the server does not say, about four bytes are one.
fn spoke(completion: &Completion, request: &[Spoken]) -> Spoke {
    let bytes: usize = request.iter().map(|spoken| spoken.text.len()).sum();
    let about = |bytes: usize| bytes as u64 / 4;
    let usage = &completion.usage;
    let tokens = usage.read.unwrap_or_else(|| about(bytes))
        + usage.written.unwrap_or_else(|| about(completion.text.len()));
    Spoke { text: Words::of(&completion.text, [&[], &[]]), tokens }
}
