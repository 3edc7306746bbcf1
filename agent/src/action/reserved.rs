//! What people ask the router for themselves, and no model ever: answers to its questions, which of them are
//! open, and that everything stops.

use std::sync::Arc;
use std::time::Duration;

use broker::Requester;
use protocol::{ActionName, Code, NameError, Object, Outcome, SessionKey, Stopped};
use serde_json::Value;

use super::routed::Routed;
use crate::observation::Observation;
use crate::question::{Decision, Question};
use crate::session::Caller;

/// The owner's line to the router.
pub struct OwnersLine {
    routed: Routed,
    approve: ActionName,
    approvals: ActionName,
    stop: ActionName,
}

impl OwnersLine {
    pub(super) fn new(requester: Arc<dyn Requester>, timeout: Duration) -> Result<Self, NameError> {
        Ok(Self {
            routed: Routed::new(requester, timeout),
            approve: ActionName::new("APPROVE")?,
            approvals: ActionName::new("APPROVALS")?,
            stop: ActionName::new("STOP")?,
        })
    }

    /// Passes a person's decision on, and gives the session that the question was asked in, as far as the router says.
    /// Its id must be the whole one.
    ///
    /// # Errors
    /// Why it did not count.
    pub async fn decide(
        &self,
        caller: &Caller,
        decision: &Decision,
    ) -> Result<Option<SessionKey>, Stopped> {
        let fields = self.ask(&self.approve, decision.params(), caller).await?;
        let session = fields.get("session").and_then(Value::as_str);
        Ok(session.and_then(|key| SessionKey::new(key).ok()))
    }

    /// The questions that wait for this session's people; `None` from a router that can't tell.
    ///
    /// # Errors
    /// Why the router did not say.
    pub async fn open(&self, caller: &Caller) -> Result<Option<Vec<Question>>, Stopped> {
        match self.ask(&self.approvals, Object::new(), caller).await {
            Ok(fields) => Ok(fields
                .get("approvals")
                .and_then(Value::as_array)
                .map(|list| list.iter().filter_map(Question::read).collect())),
            Err(stopped) if stopped.code == Code::UnknownAction => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }

    /// Throws the kill switch: nothing runs any more.
    ///
    /// # Errors
    /// Why it is not thrown, as far as known.
    pub async fn stop(&self, caller: &Caller) -> Result<(), Stopped> {
        self.ask(&self.stop, Object::new(), caller).await.map(drop)
    }

    async fn ask(
        &self,
        name: &ActionName,
        params: Object,
        caller: &Caller,
    ) -> Result<Object, Stopped> {
        let Observation { outcome, fields, .. } =
            self.routed.run(name.clone(), params, caller, None).await;
        match outcome {
            Outcome::Done(_) => Ok(fields),
            Outcome::Stopped(stopped) => Err(stopped),
        }
    }
}
