//! What the business has published, found before a customer's message is answered: a model that has to search first makes
//! something up instead.

use std::time::Duration;

use answer::Action;
use prompt::{Passage, Passages};
use protocol::{ActionName, Outcome};
use serde_json::json;
use session::Caller;
use tokio::time::timeout;

use super::Turn;

/// What searches the public papers.
const SEARCHES: &str = "SEARCH_PUBLIC_DOCS";

/// How much of a message is searched for, in characters.
const QUERY: usize = 1_000;

/// How long a customer waits for the search: without a router nothing answers it.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many passages are found at most.
const FOUND: usize = 3;

impl Turn<'_> {
    /// The public passages that fit `message`, for a customer who may be shown them; none where nothing is found, the library is
    /// off, or it can't be searched.
    pub(super) async fn published(&mut self, message: &str) -> Passages {
        let cards = self.mind.cards_for(self.session);
        let is_offered = cards[1].0.iter().any(|card| card.name.as_str() == SEARCHES);
        let Some(name) = ActionName::new(SEARCHES).ok().filter(|_| is_offered) else {
            return Passages::default();
        };
        let query: String = message.chars().take(QUERY).collect();
        let params = json!({"query": query, "limit": FOUND}).as_object().cloned();
        let action = Action { name, params: params.unwrap_or_default() };
        let caller = Caller::of(self.session).heard_by(self.outbox);
        let searched = timeout(PATIENCE, self.mind.actions.run(action, &caller, &cards)).await;
        let Ok(seen) = searched else {
            tracing::warn!("the papers could not be searched for a customer within {PATIENCE:?}");
            return Passages::default();
        };
        self.session.observe(&seen, &cards);
        match &seen.outcome {
            Outcome::Done(done) => {
                let told = self.mind.reception.profile().published(self.session.concern);
                Passages { found: Passage::of_hits(&done.result), told: Some(told) }
            }
            Outcome::Stopped(stopped) => {
                tracing::warn!(why = %stopped.message, "the papers were not searched for a customer");
                Passages::default()
            }
        }
    }
}
