//! Asks a small model what a message in another language says, before it is asked for an answer.

use std::sync::{Mutex, PoisonError};

use prompt::{self, wants_gloss};

use super::Endpoint;
use super::plan::Plan;
use crate::{Ask, Listener, Progress, Way};

/// The gloss of the message that was asked for last: a turn asks several times about one.
#[derive(Debug, Default)]
pub(super) struct Glossed(Mutex<Option<(String, Option<String>)>>);

impl Glossed {
    fn of(&self, message: &str) -> Option<Option<String>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(of, _)| of == message).map(|(_, gloss)| gloss.clone())
    }

    fn keep(&self, message: &str, gloss: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((message.to_owned(), gloss));
    }
}

impl Endpoint {
    /// The gloss of the message, if this model needs one. Without an answer there is none: whoever could not answer is asked
    /// for more next, and the failure is told then.
    pub(super) async fn gloss(
        &self,
        ask: &Ask<'_>,
        way: Way,
        progress: &mut Listener<'_>,
    ) -> Option<String> {
        let turn =
            ask.turn.filter(|_| way == Way::Json && self.assist.gloss && self.memo.is_small())?;
        if !wants_gloss(turn.message, turn.cards) {
            return None;
        }
        if let Some(known) = self.glossed.of(turn.message) {
            return known;
        }
        let plan = Plan::gloss(ask, &self.knows());
        let mut quiet = |heard: Progress<'_>| match heard {
            Progress::Piece(_) => {}
            heard => progress(heard),
        };
        match self.attempt(&plan, &mut quiet).await {
            Ok((gathered, _)) => {
                let gloss = prompt::read_gloss(&gathered.text);
                self.glossed.keep(turn.message, gloss.clone());
                gloss
            }
            Err(failure) => {
                tracing::info!(error = %failure.error, "the message is not glossed");
                None
            }
        }
    }
}
