//! Asking the library: the way of `/search`, `/docs`, `/index` and `/ask` to the router.

use protocol::{ActionName, Object, Outcome};
use serde_json::Value;

use super::perform::At;
use crate::message::Outgoing;
use crate::session::Caller;
use answer::Action;

/// Runs an action of the library in the name of whoever speaks; its result, or why there is none.
pub(super) async fn ask(at: &mut At<'_>, action: &str, params: Value) -> Result<Object, String> {
    let name = ActionName::new(action).map_err(|error| error.to_string())?;
    let cards = at.mind.cards();
    if !cards[1].0.iter().any(|card| card.name == name) {
        let skills = home::router_command("skills");
        return Err(format!("the router has no library; `{skills}` lists what it has"));
    }
    let params = params.as_object().cloned().unwrap_or_default();
    let caller = Caller::of(at.session).heard_by(at.outbox);
    let observation = at.mind.actions.run(Action { name, params }, &caller, &cards).await;
    at.session.observe(&observation, &cards);
    if let Some(question) = observation.question() {
        at.outbox.say(Outgoing::Question(question));
    }
    match observation.outcome {
        Outcome::Done(done) => Ok(done.result),
        Outcome::Stopped(stopped) => Err(stopped.message),
    }
}

/// The text under `key` of what the library says.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}
