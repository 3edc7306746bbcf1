//! What a customer's message is: the model sorts it before it answers.

use answer::sanitize::tame;
use business::{CONCERNS, Concern, SORTED, SORTING};
use model::{Choice, Progress};

use super::Turn;

/// How much of a message the model sorts it by, in characters.
const LONGEST: usize = 1_000;

impl Turn<'_> {
    /// What `message` is; nothing where no model can say. Whoever answers may still call a person then.
    pub(super) async fn sorted(&mut self, message: &str) -> Option<Concern> {
        let choice = Choice::new(SORTING, &CONCERNS, &SORTED);
        let said: String = tame(message).chars().take(LONGEST).collect();
        let is_private = self.session.entered.taint().private;
        let ask = choice.ask(&said).private(is_private).by_a_model(true);
        let speaker = self.session.speaker.clone();
        let model = self.mind.cast.model(speaker.as_deref(), &self.mind.model).ok()?;
        match model.complete(&ask, &mut |_: Progress<'_>| {}).await {
            Ok(completion) => {
                self.mind.spent(&self.session.key, self.session.origin, &completion.usage);
                choice.read(&completion.text).and_then(Concern::named)
            }
            Err(error) => {
                tracing::info!(%error, "a customer's message is not sorted");
                None
            }
        }
    }
}
