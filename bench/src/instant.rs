//! A model and a router that answer at once, so that what is left is the mind's own time.

use async_trait::async_trait;
use broker::Responder;
use model::{Ask, Completion, Fit, Listener, Model, ModelError, Progress, Way};
use protocol::Done;
use serde_json::json;

/// A message that is answered with words.
pub(crate) const PLAIN: &str = "How are you today?";

/// A message that is answered with an action of the router, and then with words.
pub(crate) const ACTING: &str = "Do the thing at home.";

/// How the names of the skills begin.
pub(crate) const SKILL: &str = "DO_THING";

const WORDS: &str = "Quite well, thank you. Is there anything that I can do for you?";
const ACTION: &str = "I'll do it.\n<tool_code>[{\"name\": \"DO_THING_7\", \
     \"params\": {\"target\": \"home\", \"text\": \"now\"}}]</tool_code>";

/// Acts once on [`ACTING`], and answers everything else with the same words.
pub(crate) struct InstantModel;

#[async_trait]
impl Model for InstantModel {
    fn name(&self) -> String {
        "instant".to_owned()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let acts = ask.turn.is_some_and(|turn| turn.message == ACTING && turn.so_far.is_empty());
        let text = if acts { ACTION } else { WORDS };
        let _ = ask.prompt(Fit::of(Way::ToolCode, usize::MAX));
        progress(Progress::Piece(text));
        Ok(Completion::new(text))
    }
}

/// Answers every command with a small result.
pub(crate) async fn serve(mut responder: impl Responder) {
    while let Some(request) = responder.receive().await {
        let result = [("done".to_owned(), json!("the thing at home"))].into_iter().collect();
        request.reply(Done { result, ..Done::default() });
    }
}
