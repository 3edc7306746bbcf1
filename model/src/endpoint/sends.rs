//! What an endpoint would send, for whoever asks whether that is still the same.

use prompt::wants_gloss;

use super::Endpoint;
use super::plan::Plan;
use crate::{Ask, Model, Way};

impl Endpoint {
    /// What is sent first for `ask`, and what if the message is glossed before: addresses and bodies with prompt and form, as
    /// far as a model's answers do not change them. The server is asked what it is, if that is not known.
    pub async fn sends(&self, ask: &Ask<'_>) -> String {
        self.describe().await;
        let way = self.way.unwrap_or_else(|| self.memo.way());
        let mut plans = vec![self.plan(ask, way, None)];
        if self.talks_apart(ask) {
            plans.push(self.plan(&ask.in_words(&[]), way, None));
        }
        let is_helped = way == Way::Json && self.assist.gloss && self.memo.is_small();
        if ask.turn.is_some_and(|turn| is_helped && wants_gloss(turn.message, turn.cards)) {
            plans.push(Plan::gloss(ask, &self.knows()));
        }
        plans.iter().map(|plan| self.server.sends(&plan.request())).collect()
    }
}
