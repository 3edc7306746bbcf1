//! A sandbox that runs nothing, so that what is left is the wall's own time.

use async_trait::async_trait;
use protocol::{Effect, Millis, Object, Reads, Stopped};
use router::policy::Approved;
use router::runner::Sandbox;
use serde_json::json;

/// Gives back at once what a skill might have found.
pub(crate) struct InstantSandbox;

#[async_trait]
impl Sandbox for InstantSandbox {
    async fn run(&self, approved: Approved, _: Millis) -> Result<Object, Stopped> {
        let call = approved.call();
        let text = if call.effect() == Effect::None && call.skill.card.reads == Reads::NONE {
            "Nothing to see here.".to_owned()
        } else {
            // What a session was shown has to be noted, and each time it is another address.
            format!("More of this at https://example.com/{}.", call.command.message_id)
        };
        Ok(Object::from_iter([("text".to_owned(), json!(text))]))
    }
}
