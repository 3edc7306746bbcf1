//! Asking the library: the way of `/search`, `/docs`, `/index` and `/ask` to the router.

use std::time::Duration;

use answer::Action;
use conversation::message::Outgoing;
use protocol::{ActionName, Object, Outcome};
use serde_json::{Value, json};
use session::Caller;
use tokio::time::timeout;

use super::perform::At;

/// The passages that fit `query`, of what whoever speaks may see.
pub(super) async fn search(at: &mut At<'_>, query: &str) -> Result<Object, String> {
    let action = if at.session.is_owners() { "SEARCH_DOCS" } else { "SEARCH_PUBLIC_DOCS" };
    ask(at, action, json!({"query": query, "limit": 5})).await
}

/// The papers that whoever speaks may see.
pub(super) async fn list(at: &mut At<'_>) -> Result<Object, String> {
    let action = if at.session.is_owners() { "LIST_DOCS" } else { "LIST_PUBLIC_DOCS" };
    ask(at, action, json!({})).await
}

/// Runs an action for the command in the name of whoever speaks; its result, or why there is none. What a person is asked about
/// first is told in the command's words later.
pub(super) async fn ask(at: &mut At<'_>, action: &str, params: Value) -> Result<Object, String> {
    let name = ActionName::new(action).map_err(|error| error.to_string())?;
    let cards = at.mind.cards();
    if !cards[1].0.iter().any(|card| card.name == name) {
        if !at.session.is_owners() {
            return Err("there are no papers to search here".to_owned());
        }
        let skills = home::router_command("skills");
        return Err(format!("the router offers no {action}; `{skills}` lists what it has"));
    }
    let params = params.as_object().cloned().unwrap_or_default();
    let caller = Caller::of(at.session).heard_by(at.outbox);
    let observation = at.mind.actions.run(Action { name, params }, &caller, &cards).await;
    at.session.observe(&observation, &cards);
    if let Some(question) = observation.question() {
        at.session.hold_command(&observation, at.typed.to_owned());
        at.outbox.say(Outgoing::Question(question));
    }
    match observation.outcome {
        Outcome::Done(done) => Ok(done.result),
        Outcome::Stopped(stopped) => Err(stopped.message),
    }
}

/// How long the router has to say how far the vectors are.
const SOON: Duration = Duration::from_secs(1);

/// How the library is searched, for its owner, and what is left to do goes on behind that; nothing where it is empty or does
/// not say so soon.
pub(super) async fn meaning(at: &At<'_>) -> Option<String> {
    let name = ActionName::new("EMBED_DOCS").ok()?;
    let cards = at.mind.cards();
    if !cards[1].0.iter().any(|card| card.name == name) {
        return None;
    }
    // Whoever has no papers starts no process for them. Where the router is on another machine, its command line tells.
    if !at.mind.workspace.folder().with_file_name("router").join("data/library").exists() {
        return None;
    }
    let (action, caller) = (Action { name, params: Object::new() }, Caller::of(at.session));
    let asked = timeout(SOON, at.mind.actions.run(action, &caller, &cards)).await.ok()?;
    let Outcome::Done(done) = asked.outcome else { return None };
    searched(&done.result)
}

/// What a result of `EMBED_DOCS` says, in one line.
fn searched(told: &Object) -> Option<String> {
    let number = |key: &str| told.get(key).and_then(Value::as_u64).unwrap_or(0);
    let word = |key: &str| told.get(key).and_then(Value::as_str);
    let (passages, embedded, refused) = (number("passages"), number("embedded"), number("refused"));
    if passages == 0 {
        return None;
    }
    let by = match (word("model"), word("fault")) {
        (None, _) => "searched by words alone".to_owned(),
        (Some(model), Some(why)) => {
            format!("searched by words alone: {model} does not answer ({why}); it is asked again")
        }
        (Some(model), None) if embedded + refused < passages => format!(
            "searched by words, and by meaning as far as {model} has read it: {embedded} of {passages} passages"
        ),
        (Some(model), None) => format!("searched by words and by meaning ({model})"),
    };
    Some(format!("library: {}, {by}", home::counted(passages, "passage")))
}

/// The text under `key` of what the library says.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_the_library_is_searched_is_said() {
        let said = |told: Value| searched(told.as_object().unwrap()).unwrap_or_default();
        assert_eq!(said(json!({"passages": 0})), "");
        let words = said(json!({"passages": 1}));
        assert_eq!(words, "library: 1 passage, searched by words alone");
        let half = said(json!({"passages": 9, "embedded": 4, "refused": 1, "model": "m"}));
        assert!(half.ends_with("as far as m has read it: 4 of 9 passages"), "{half}");
        let whole = said(json!({"passages": 9, "embedded": 8, "refused": 1, "model": "m"}));
        assert!(whole.ends_with("by words and by meaning (m)"), "{whole}");
        let down = said(json!({"passages": 9, "embedded": 9, "model": "m", "fault": "no answer"}));
        assert!(down.contains("by words alone: m does not answer (no answer)"), "{down}");
    }
}
