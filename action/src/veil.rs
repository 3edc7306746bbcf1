//! Takes the secrets of this house out of what is to be remembered: a person may have typed one.

use std::sync::Arc;
use std::time::Duration;

use broker::Requester;
use protocol::{ActionName, Code, NameError, Object, Outcome, Stopped};
use secrets::Secrets;
use serde_json::Value;
use session::Caller;

use crate::routed::Routed;

/// How long the router may take. Without one nobody knows its secrets, and the memory does not wait for it any longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the texts are called on the way to the router and back.
const TEXTS: &str = "texts";

/// The agent's own secrets, and the way to whoever knows the others.
pub struct Veil {
    own: Secrets,
    routed: Routed,
    redact: ActionName,
}

impl Veil {
    /// Over the agent's `own` secrets, and those that the router behind `requester` knows.
    ///
    /// # Errors
    /// Never in practice: the name of the router's request follows the grammar.
    pub fn new(own: Secrets, requester: Arc<dyn Requester>) -> Result<Self, NameError> {
        let routed = Routed::new(requester, PATIENCE);
        Ok(Self { own, routed, redact: ActionName::new("REDACT")? })
    }

    /// `new` with every secret in it replaced.
    ///
    /// # Errors
    /// When it is too large to be looked at.
    pub(super) async fn over(&self, new: Object, caller: &Caller) -> Result<Object, Stopped> {
        let new = self.own.redact_object(new);
        let asked = Object::from_iter([(TEXTS.to_owned(), Value::Object(new.clone()))]);
        let mut seen = self.routed.run(self.redact.clone(), asked, caller, None).await;
        match (seen.outcome, seen.fields.remove(TEXTS)) {
            (Outcome::Done(_), Some(Value::Object(redacted))) => Ok(redacted),
            (Outcome::Stopped(stopped), _) if stopped.code == Code::TooLarge => Err(stopped),
            _ => {
                tracing::warn!(
                    "the router does not answer, so its secrets were not looked for in what is remembered"
                );
                Ok(new)
            }
        }
    }
}
