//! `_ACTS`: tells what was done in this conversation, from the router's own book, so that nobody has to take a model's word for it.
//!
//! The model asks for it as a local action of a set that nobody turns: it is offered once something was done in an earlier turn
//! of the conversation, so that a first prompt holds no word of it. A person reads the same lines by `/did`. What the agent does
//! by itself, such as remembering, asks the router for nothing and is not in its book.

use std::sync::Arc;
use std::time::Duration;

use answer::sanitize::one_line;
use async_trait::async_trait;
use broker::Requester;
use protocol::{ActionCard, ActionName, Done, Millis, NameError, Object, Stopped};
use serde_json::{Value, json};
use session::Caller;
use when::ago;

use super::LocalAction;
use super::routed::{Routed, answered, list};

/// How much of an act's parameters is shown, in characters.
const PARAMS: usize = 160;

/// How many acts a model is told.
const TOLD: usize = 10;

/// The way to the router's book.
pub struct ActsBook {
    routed: Routed,
    name: ActionName,
}

/// Whose acts are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActsOf {
    /// All of the session's.
    Session,
    /// Those since its person's latest fresh beginning: the session's trust bits tell of nothing else.
    Conversation,
}

impl ActsBook {
    /// The book of the router behind `requester`, which is given `timeout` for it.
    pub(super) fn new(requester: Arc<dyn Requester>, timeout: Duration) -> Result<Self, NameError> {
        Ok(Self { routed: Routed::new(requester, timeout), name: ActionName::new("ACTS")? })
    }

    /// A line for each of the latest acts, the newest last. Secrets were taken out before they were written down.
    ///
    /// # Errors
    /// Why the router did not say.
    pub async fn lines(&self, caller: &Caller, wanted: ActsOf) -> Result<Vec<String>, Stopped> {
        let params = match wanted {
            ActsOf::Session => Object::new(),
            ActsOf::Conversation => Object::from_iter([
                ("conversation".to_owned(), json!(true)),
                ("count".to_owned(), json!(TOLD)),
            ]),
        };
        let said = self.routed.run(self.name.clone(), params, caller, None).await;
        let now = Millis::of_this_machine();
        Ok(list(&answered(said)?, "acts").iter().map(|act| line(act, now)).collect())
    }
}

/// The action.
pub struct Acts {
    card: ActionCard,
    book: ActsBook,
}

impl Acts {
    /// The action on the book of the router behind `requester`; `None` only if its built-in card is broken.
    #[must_use]
    pub fn new(requester: Arc<dyn Requester>, timeout: Duration) -> Option<Self> {
        Some(Self { card: super::card("_ACTS")?, book: ActsBook::new(requester, timeout).ok()? })
    }
}

#[async_trait]
impl LocalAction for Acts {
    fn card(&self) -> &ActionCard {
        &self.card
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct None {}
        let None {} = super::params(params)?;
        let lines = self.book.lines(caller, ActsOf::Conversation).await?;
        let text = match lines.as_slice() {
            [] => "Nothing was asked of the router in this conversation yet. /memory shows what is remembered, and /jobs what is to come."
                .to_owned(),
            lines => lines.join("\n"),
        };
        let result = Object::from_iter([("acts".to_owned(), json!(lines))]);
        Ok(Done { result, text: Some(text), ..Done::default() })
    }

    fn sentence(&self, done: &Done) -> Option<String> {
        // Several lines follow by themselves.
        let only = done.text.as_ref().filter(|text| !text.contains('\n'));
        Some(only.cloned().unwrap_or_else(|| "This was done here:".to_owned()))
    }
}

fn line(act: &Value, now: Millis) -> String {
    let text = |key: &str| act.get(key).and_then(Value::as_str).unwrap_or_default();
    let at = Millis(act.get("at").and_then(Value::as_u64).unwrap_or_default());
    let when = ago(now.since(at));
    let params = act.get("params").map(Value::to_string).unwrap_or_default();
    let params: String = one_line(&params).chars().take(PARAMS).collect();
    let line = format!("{when}: {} {} {params}", text("action"), text("status"));
    match text("message") {
        "" => line.trim_end().to_owned(),
        why => format!("{} ({})", line.trim_end(), one_line(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_is_one_line() {
        let done = json!({
            "at": 1, "action": "CREATE_POST", "status": "denied", "params": {"text": "a\u{1b}b"},
            "message": "a person said no",
        });
        let told = line(&done, Millis(61_001));
        let end = "CREATE_POST denied {\"text\":\"a\\u001bb\"} (a person said no)";
        assert!(told.ends_with(end), "{told}");
    }
}
