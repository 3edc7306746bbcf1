//! Asks the router whether the agent may do something itself that reaches out.

use std::sync::Arc;
use std::time::Duration;

use broker::Requester;
use conversation::observation::Observation;
use protocol::{ActionName, Code, Effect, NameError, Object, Outcome, Stopped};
use serde_json::{Value, json};
use session::Caller;

use super::routed::Routed;

/// The way to a verdict.
pub(super) struct Permission {
    routed: Routed,
    permit: ActionName,
}

impl Permission {
    /// From the router behind `requester`, which is given `timeout` for it.
    pub(super) fn new(requester: Arc<dyn Requester>, timeout: Duration) -> Result<Self, NameError> {
        Ok(Self { routed: Routed::new(requester, timeout), permit: ActionName::new("PERMIT")? })
    }

    /// Asks for `action` with these parameters, which alone changes nothing.
    ///
    /// # Errors
    /// As [`Self::ask_for`].
    pub(super) async fn ask(
        &self,
        action: &ActionName,
        params: Object,
        caller: &Caller,
    ) -> Result<(), Stopped> {
        self.ask_for((Effect::None, &[]), action, params, caller).await
    }

    /// Asks for `action` with these parameters, which has this effect. The texts are the parameters that the model has
    /// written.
    ///
    /// # Errors
    /// What a person is asked first, or why it is not permitted. A router that knows nothing of permissions permits
    /// nothing.
    pub(super) async fn ask_for(
        &self,
        (effect, texts): (Effect, &[&str]),
        action: &ActionName,
        params: Object,
        caller: &Caller,
    ) -> Result<(), Stopped> {
        let mut asked = Object::from_iter([
            ("action".to_owned(), json!(action)),
            ("params".to_owned(), Value::Object(params)),
        ]);
        if effect != Effect::None {
            asked.insert("effect".to_owned(), json!(effect));
        }
        if !texts.is_empty() {
            asked.insert("texts".to_owned(), json!(texts));
        }
        let seen = self.routed.run(self.permit.clone(), asked, caller, None).await;
        let Observation { outcome, fields, .. } = seen;
        match outcome {
            Outcome::Done(_) if fields.get("permitted") == Some(&Value::Bool(true)) => Ok(()),
            Outcome::Done(_) => Err(unable()),
            Outcome::Stopped(stopped) if stopped.code == Code::UnknownAction => Err(unable()),
            Outcome::Stopped(mut stopped) => {
                // The question, and the name under which its answer will come.
                for name in ["approval", "message_id"] {
                    let field = fields.get(name).map(|field| (name.to_owned(), field.clone()));
                    stopped.details.extend(field);
                }
                Err(stopped)
            }
        }
    }
}

fn unable() -> Stopped {
    let why = "the router can't say whether this is permitted; it has to be of this version";
    Stopped::new(Code::Policy, why)
}
