//! What a model is asked.

use conversation::observation::Observation;
use conversation::workspace::{History, Memory};
use llm::Message;
use prompt::{Fit, Prompt, Rendered, Sections};
use protocol::ActionCard;

use super::{Hearer, Picture};

/// Something to complete.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    prompt: Source<'a>,
    /// What the prompt is made of, if it is about a user's message.
    pub turn: Option<TurnParts<'a>>,
    /// What was said before, in messages of their own.
    pub earlier: &'a [Message],
    /// What a model that can see is shown with the prompt.
    pub picture: Option<&'a Picture>,
    /// How much the model gambles, if it lets itself be told; 0 is not at all. Small models keep to the form of an answer best
    /// when they don't.
    pub temperature: f64,
    /// The words of which one is wanted, and nothing else.
    pub choices: Option<&'static [&'static str]>,
    /// Whether words alone are wanted, and the prompt says nothing of actions.
    pub talks: bool,
    /// Whether nothing but a model may answer: who can't read would say what is not for these people.
    pub needs_model: bool,
    /// Whether it may hold what is private. It may, where nobody says otherwise.
    pub is_private: bool,
    /// Who waits for the answer, and hears what becomes of it. Where nobody does, nothing is shown before it is whole.
    pub hearer: Option<&'a Hearer>,
}

/// Where the prompt comes from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Text(&'a str),
    /// What says who answers, and what is said now.
    Chat(&'a str, &'a str),
    /// Sections, which are rendered for each model that is asked.
    Sections(&'a Prompt, &'a Sections<'a>),
    #[cfg(test)]
    Written(&'a (dyn Fn(Fit<'_>) -> Rendered + Sync)),
}

/// What a prompt is made of, for a model that can't read, and for servers that take actions apart from it.
#[derive(Debug, Clone, Copy)]
pub struct TurnParts<'a> {
    /// What the user said.
    pub message: &'a str,
    /// The actions that may be asked for: the local ones, then the router's.
    pub cards: [&'a [ActionCard]; 2],
    /// What this turn's actions have brought by now.
    pub so_far: &'a [Observation],
    /// What the agent knows.
    pub memory: &'a Memory,
    /// What was said before.
    pub history: &'a History,
    /// The addresses that the person typed in this conversation.
    pub typed: &'a [String],
}

impl<'a> Ask<'a> {
    /// A prompt that is not about a user's message and allows no action.
    #[must_use]
    pub fn plain(prompt: &'a str) -> Self {
        Self::of(Source::Text(prompt))
    }

    /// A user's message: `sections`, which `prompt` renders for the model that is asked; perhaps for several in turn.
    #[must_use]
    pub fn turn(prompt: &'a Prompt, sections: &'a Sections<'a>, turn: TurnParts<'a>) -> Self {
        Self { turn: Some(turn), ..Self::of(Source::Sections(prompt, sections)) }
    }

    /// A user's message with a prompt that a test writes.
    #[cfg(test)]
    pub fn written(write: &'a (dyn Fn(Fit<'_>) -> Rendered + Sync), turn: TurnParts<'a>) -> Self {
        Self { turn: Some(turn), ..Self::of(Source::Written(write)) }
    }

    /// A conversation without any action: `system` says who answers, `earlier` is what was said before, oldest first, and `user`
    /// what is said now. No word of it is changed or left out.
    #[must_use]
    pub fn chat(system: &'a str, earlier: &'a [Message], user: &'a str) -> Self {
        Self { earlier, ..Self::of(Source::Chat(system, user)) }
    }

    fn of(prompt: Source<'a>) -> Self {
        Self {
            prompt,
            turn: None,
            earlier: &[],
            picture: None,
            temperature: 0.0,
            choices: None,
            talks: false,
            needs_model: false,
            is_private: true,
            hearer: None,
        }
    }

    /// The same, which nothing but a model may answer.
    #[must_use]
    pub fn by_a_model(self, needs_model: bool) -> Self {
        Self { needs_model, ..self }
    }

    /// The same, to be answered with one of `words`.
    #[must_use]
    pub(super) fn among(self, words: &'static [&'static str]) -> Self {
        Self { choices: Some(words), ..self }
    }

    /// The same with a picture, or without one.
    #[must_use]
    pub fn with_picture(self, picture: Option<&'a Picture>) -> Self {
        Self { picture, ..self }
    }

    /// The same, answered in words alone, behind these messages.
    #[must_use]
    pub(super) fn in_words(self, earlier: &'a [Message]) -> Self {
        Self { talks: true, earlier, ..self }
    }

    /// The same, where the model gambles so much.
    #[must_use]
    pub fn with_temperature(self, temperature: f64) -> Self {
        Self { temperature, ..self }
    }

    /// The same, with or without what is private.
    #[must_use]
    pub fn private(self, is_private: bool) -> Self {
        Self { is_private, ..self }
    }

    /// The same, for whose answer these people wait.
    #[must_use]
    pub fn heard_by(self, hearer: &'a Hearer) -> Self {
        Self { hearer: Some(hearer), ..self }
    }

    /// Whether words of the answer were shown, so that nobody may begin it anew.
    #[must_use]
    pub(super) fn was_shown(&self) -> bool {
        self.hearer.is_some_and(Hearer::has_seen)
    }

    /// The prompt for a model of that kind. A plain one is what it is, whatever it has to fit.
    #[must_use]
    pub fn prompt(&self, fit: Fit<'_>) -> Rendered {
        match self.prompt {
            Source::Text(text) => Rendered { text: text.to_owned(), ..Rendered::default() },
            Source::Chat("", user) => Rendered { text: user.to_owned(), ..Rendered::default() },
            Source::Chat(system, user) => {
                let stable = system.len() + 1;
                Rendered { text: format!("{system}\n{user}"), stable, ..Rendered::default() }
            }
            Source::Sections(prompt, sections) => prompt.render(sections, fit),
            #[cfg(test)]
            Source::Written(write) => write(fit),
        }
    }
}
