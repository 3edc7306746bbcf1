//! Whether a customer's message is for a person: the model sorts it before it answers.

use answer::sanitize::tame;
use business::{CONCERNS, SORTED, SORTING, STAFF};
use model::{Choice, Progress};

use super::Turn;

/// How much of a message the model sorts it by, in characters.
const LONGEST: usize = 1_000;

impl Turn<'_> {
    /// Whether `message` is for a person. It is not where no model can say; whoever answers may still call one.
    pub(super) async fn is_for_staff(&mut self, message: &str) -> bool {
        let choice = Choice::new(SORTING, &CONCERNS, &SORTED);
        let said: String = tame(message).chars().take(LONGEST).collect();
        let is_private = self.session.entered.taint().private;
        let ask = choice.ask(&said).private(is_private).by_a_model(true);
        let speaker = self.session.speaker.clone();
        let Ok(model) = self.mind.cast.model(speaker.as_deref(), &self.mind.model) else {
            return false;
        };
        match model.complete(&ask, &mut |_: Progress<'_>| {}).await {
            Ok(completion) => {
                self.mind.spent(&self.session.key, self.session.origin, &completion.usage);
                choice.read(&completion.text) == Some(STAFF)
            }
            Err(error) => {
                tracing::info!(%error, "a customer's message is not sorted");
                false
            }
        }
    }
}
