//! How a small model answers a message: it decides first, and then speaks or acts.
//!
//! Talk and actions don't share a prompt: with examples of actions before it, a model of half a billion parameters copies them
//! where it should talk. So the first request, on the prompt that stays, lets it choose one action with its parameters, or none.
//! If it is none, or can't be read, the second is a short one without actions and examples, whose words are streamed as they
//! come. Where nothing connects the message with an action, there is only the second.

use answer::sanitize::fit;
use answer::{Answer, Shown};
use conversation::observation::Observation;
use llm::{Message, Role};
use prompt::{self, Connected, Said, narrowed, telling};
use protocol::{ActionCard, Effect, Outcome};

use super::Endpoint;
use crate::{Ask, Completion, Listener, ModelError, Progress, TurnParts, Way};

/// How many of the latest exchanges go along with a request for words.
const EXCHANGES: usize = 6;

/// How much of each message of them, in bytes.
const SHOWN: usize = 800;

impl Endpoint {
    /// Whether this is about a message of a person, and the model one that decides first.
    pub(super) fn talks_apart(&self, ask: &Ask<'_>) -> bool {
        let way = self.way.unwrap_or_else(|| self.memo.way());
        ask.turn.is_some()
            && ask.picture.is_none()
            && way == Way::Json
            && self.assist.talk
            && self.memo.is_small()
    }

    /// Decides, and then acts or speaks.
    ///
    /// # Errors
    /// As [`Model::complete`](crate::Model::complete).
    pub(super) async fn decided(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let Some(turn) = ask.turn else { return self.asked(ask, Ok(()), progress).await };
        if may_act(&turn) {
            let mut quiet = |heard: Progress<'_>| match heard {
                Progress::Piece(_) => {}
                heard => progress(heard),
            };
            let completion = self.asked(ask, Ok(()), &mut quiet).await?;
            let read = Answer::read(&completion, turn.cards, &Shown::default());
            if read.is_ok_and(|answer| !answer.actions.is_empty()) {
                return Ok(completion);
            }
        }
        if is_done(&turn) {
            return Ok(Completion { words_alone: true, ..Completion::default() });
        }
        let earlier = earlier(&turn);
        progress(Progress::WordsAlone);
        self.asked(&ask.in_words(&earlier), Ok(()), progress).await
    }
}

/// Whether the message may ask for an action.
fn may_act(turn: &TurnParts<'_>) -> bool {
    if turn.cards.iter().all(|cards| cards.is_empty()) {
        return false;
    }
    let told = telling(turn.message);
    if turn.so_far.is_empty() {
        return !Connected::of(&told, turn.cards).is_talk();
    }
    let TurnParts { cards, so_far, typed, .. } = *turn;
    let said = Said::plainly(&told);
    !narrowed(&prompt::Asked { said, cards, so_far, typed, memory_unasked: false }).cards.is_empty()
}

/// Whether all that was asked for is done, and nothing was read: the lines of the deeds say it.
fn is_done(turn: &TurnParts<'_>) -> bool {
    let card = |seen: &Observation| -> Option<&ActionCard> {
        turn.cards.into_iter().flatten().find(|card| card.name == seen.action)
    };
    let is_deed = |seen: &Observation| {
        matches!(seen.outcome, Outcome::Done(_))
            && card(seen).is_some_and(|card| card.effect != Effect::None)
    };
    !turn.so_far.is_empty() && turn.so_far.iter().all(is_deed)
}

/// What was said before, in messages. The same answer stands there once, behind all that it was given to: what a small model has
/// said several times, it says again.
fn earlier(turn: &TurnParts<'_>) -> Vec<Message> {
    let entries = turn.history.entries();
    let shown = &entries[entries.len().saturating_sub(EXCHANGES)..];
    let mut messages = Vec::new();
    let mut said = String::new();
    for (at, entry) in shown.iter().enumerate() {
        let answer = entry.response.trim();
        if answer.is_empty() {
            continue;
        }
        said.push_str(&fit(entry.user.trim(), SHOWN));
        if shown[at + 1..].iter().any(|later| later.response.trim() == answer) {
            said.push('\n');
            continue;
        }
        messages.push(Message { role: Role::User, text: std::mem::take(&mut said) });
        messages.push(Message { role: Role::Assistant, text: fit(answer, SHOWN) });
    }
    messages
}

#[cfg(test)]
mod tests {
    use conversation::workspace::{History, Memory};

    use super::*;

    #[test]
    fn an_answer_that_was_given_several_times_stands_once() {
        let mut history = History::default();
        for (user, response) in
            [("a", "Yes."), ("b", "I ask."), ("c", ""), ("d", "I ask."), ("e", "No.")]
        {
            history.add(user, response);
        }
        let turn = TurnParts {
            message: "f",
            cards: [&[]; 2],
            so_far: &[],
            memory: &Memory::default(),
            history: &history,
            typed: &[],
        };
        let texts: Vec<String> = earlier(&turn).into_iter().map(|message| message.text).collect();
        assert_eq!(texts, ["a", "Yes.", "b\nd", "I ask.", "e", "No."]);
    }
}
