//! `/run ACTION {json}`: runs an action without the model.

use std::sync::Arc;

use answer::Action;
use async_trait::async_trait;
use protocol::{ActionName, Object};
use serde_json::Value;
use session::Caller;

use super::perform::{At, Perform, Read};
use crate::turn;

#[derive(Debug)]
struct Run(Action);

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(Run(action(rest)?)))
}

/// An action's name, and its parameters as a JSON object; without parameters the object is empty.
fn action(rest: &str) -> Result<Action, String> {
    let (name, params) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.is_empty() {
        return Err("say what to run: /run ACTION {json}; /actions lists them".to_owned());
    }
    let name = ActionName::new(name).map_err(|error| error.to_string())?;
    let params = match params.trim() {
        "" => Object::new(),
        json => protocol::json::parse_object(json.as_bytes())
            .map_err(|error| format!("the parameters are no JSON object: {error}"))?,
    };
    Ok(Action { name, params })
}

#[async_trait]
impl Perform for Run {
    async fn perform(&self, at: At<'_>) {
        let caller = Caller::of(at.session).heard_by(at.outbox);
        let cards = at.mind.cards_for(at.session);
        let observation = turn::run(at.mind, at.outbox, &caller, self.0.clone(), &cards).await;
        let shown = at.mind.actions.set_aside(observation.clone(), &at.session.files);
        at.session.observe(&shown, &at.mind.cards());
        if observation.question().is_some() && !observation.action.is_local() {
            at.session.hold_command(&observation, at.typed.to_owned());
        }
        if at.mind.by_name || at.session.principal.as_str().starts_with("http:") {
            at.text(format!("{:#}", Value::Object(observation.fields.clone())));
        } else if let Some(text) = observation.beyond_its_line() {
            at.text(text);
        }
        at.session.observed(vec![shown.fields]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn run_takes_a_name_and_an_object() {
        let right = |params: Value| {
            let name = ActionName::new("A").unwrap();
            Ok(Action { name, params: params.as_object().unwrap().clone() })
        };
        assert_eq!(action("A"), right(json!({})));
        assert_eq!(action(r#"A {"x": [1, 2]}"#), right(json!({"x": [1, 2]})));
    }
}
