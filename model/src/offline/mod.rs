//! Does without a language model what can be done without one.
//!
//! It matches the examples that every action brings along, answers from memory, tells results in their
//! own words, and otherwise says honestly what it can do and how to get a language model. Its text has
//! the form of any model's, so a turn treats it like one.

mod leaves;
mod pattern;
mod recall;

use std::sync::{Arc, Mutex, PoisonError};

use answer::Answer;
use answer::sanitize::{cut, one_line, tame};
use async_trait::async_trait;
use conversation::observation::Observation;
use protocol::ActionCard;

use super::{Ask, Completion, Listener, Model, ModelError, Progress, TurnParts};
use pattern::Pattern;

/// How long a message may be that is matched, in bytes: a post and some room.
const MESSAGE_LIMIT: usize = 64 * 1024;

/// How many actions the honest answer shows.
const SHOWN: usize = 12;

/// The action that has a model read a file.
const SUMMARY: &str = "_LLM_SUMMARY";

/// The model that is no language model.
#[derive(Debug)]
pub struct Offline {
    /// Why it stands in.
    stands: StandsIn,
    /// The patterns of the cards that were seen last; making them takes longer than using them.
    learnt: Mutex<Arc<Learnt>>,
}

/// Why there is no language model, which says what helps.
#[derive(Debug)]
enum StandsIn {
    /// People want none.
    Chosen,
    /// Ollama does not give this one.
    Ollama(String),
    /// Another server does not give this one.
    Elsewhere(String),
}

#[derive(Debug, Default)]
struct Learnt {
    cards: [Vec<ActionCard>; 2],
    patterns: Vec<Pattern>,
}

impl Offline {
    /// An offline model that recommends to have Ollama fetch the language model `wanted`.
    #[must_use]
    pub fn new(wanted: impl Into<String>) -> Self {
        Self { stands: StandsIn::Ollama(wanted.into()), learnt: Mutex::default() }
    }

    /// One that stands in for the language model `wanted` of a server that is no Ollama.
    #[must_use]
    pub fn instead_of(wanted: impl Into<String>) -> Self {
        Self { stands: StandsIn::Elsewhere(wanted.into()), learnt: Mutex::default() }
    }

    /// The one that people have chosen.
    #[must_use]
    pub fn chosen() -> Self {
        Self { stands: StandsIn::Chosen, learnt: Mutex::default() }
    }

    /// What can be said or done without a language model; nothing of a message that is not understood.
    fn understood(&self, turn: &TurnParts<'_>) -> Option<Answer> {
        let say = |words: String| Some(Answer { words, actions: Vec::new() });
        if !turn.so_far.is_empty() {
            return say(told(turn.so_far));
        }
        let learnt = self.learn(turn.cards);
        let message = cut(turn.message, MESSAGE_LIMIT);
        let found = learnt
            .patterns
            .iter()
            .filter_map(|pattern| Some((pattern.literal, pattern.matches(&message)?)))
            .reduce(|best, other| if other.0 > best.0 { other } else { best });
        match found {
            Some((_, action)) => Some(Answer { words: String::new(), actions: vec![action] }),
            // What is remembered may hold anything, also what looks like an action.
            None => say(tame(&recall::answer(&message, turn.memory)?)),
        }
    }

    /// The same, and otherwise what would be understood.
    fn answer(&self, turn: &TurnParts<'_>) -> (Answer, bool) {
        let understood = self.understood(turn);
        let unanswered = understood.is_none();
        let honest = || Answer { words: self.honest(turn), actions: Vec::new() };
        (understood.unwrap_or_else(honest), unanswered)
    }

    fn learn(&self, cards: [&[ActionCard]; 2]) -> Arc<Learnt> {
        let mut learnt = self.learnt.lock().unwrap_or_else(PoisonError::into_inner);
        if learnt.cards.each_ref().map(Vec::as_slice) != cards {
            let patterns = cards.concat();
            let patterns = patterns.iter().flat_map(|card| {
                card.examples.iter().filter_map(|example| Pattern::new(card, example))
            });
            *learnt =
                Arc::new(Learnt { patterns: patterns.collect(), cards: cards.map(<[_]>::to_vec) });
        }
        Arc::clone(&learnt)
    }

    fn honest(&self, turn: &TurnParts<'_>) -> String {
        let says: Vec<String> = turn
            .cards
            .iter()
            .flat_map(|cards| cards.iter())
            .filter(|card| card.name.as_str() != SUMMARY)
            .filter_map(|card| card.examples.first())
            .map(|example| format!("- {}", cut(&one_line(&example.say), 200)))
            .collect();
        let more = match says.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(", and {more} other kinds"),
        };
        let can = match says.as_slice() {
            [] => "So I can't answer that.".to_owned(),
            says => {
                let shown = says[..says.len().min(SHOWN)].join("\n");
                format!("So I only understand sentences like these{more}:\n{shown}")
            }
        };
        let can = format!("{can}\n/help lists the commands, most of which need no model.");
        match &self.stands {
            StandsIn::Elsewhere(wanted) => format!(
                "My language model does not answer at the moment. {can}\nFor everything else I need {wanted}: \
                 /status tells what is wrong with it, and `{}` sets another.",
                home::agent_command("config llm")
            ),
            StandsIn::Ollama(wanted) => format!(
                "I have no language model at the moment. {can}\nFor everything else, start one with \
                 `ollama serve` and fetch it with `ollama pull {wanted}`."
            ),
            StandsIn::Chosen => format!(
                "I am set to work without a language model. {can}\nFor everything else, choose one \
                 with `{}`.",
                home::agent_command("config llm")
            ),
        }
    }
}

/// What came of the actions, tamed: a result is data, whatever it looks like. What the actions' own lines have shown already
/// is not said again.
fn told(so_far: &[Observation]) -> String {
    let unsaid: Vec<String> = so_far.iter().filter_map(Observation::beyond_its_line).collect();
    tame(&unsaid.join("\n"))
}

#[async_trait]
impl Model for Offline {
    fn name(&self) -> String {
        "offline".to_owned()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let turn = ask.turn.as_ref().filter(|_| !ask.needs_model);
        let turn = turn.ok_or(ModelError::NeedsModel)?;
        let (answer, unanswered) = self.answer(turn);
        if answer.words.is_empty() && answer.actions.is_empty() {
            // The lines of the actions have said it all.
            return Ok(Completion { words_alone: true, ..Completion::default() });
        }
        let text = answer.to_string();
        progress(Progress::Piece(&text));
        Ok(Completion { unanswered, ..Completion::new(text) })
    }
}

#[cfg(test)]
mod tests;
