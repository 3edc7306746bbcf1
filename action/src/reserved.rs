//! What people ask the router for themselves, and no model ever: answers to its questions, which of them are
//! open, and that everything stops.

use std::sync::Arc;
use std::time::Duration;

use broker::Requester;
use conversation::observation::Observation;
use conversation::question::{Decision, Question};
use protocol::{ActionName, Code, NameError, Object, SessionKey, Stopped};
use serde_json::Value;
use session::Caller;

use super::acts::ActsBook;
use super::permission::Permission;
use super::routed::{Routed, answered, list};

/// How long a large folder may take to be put back.
const WORK: Duration = Duration::from_secs(300);

/// The owner's line to the router.
pub struct OwnersLine {
    routed: Routed,
    approve: ActionName,
    approvals: ActionName,
    stop: ActionName,
    grants: ActionName,
    net: ActionName,
    unlock: ActionName,
    work: ActionName,
    mode: ActionName,
    permission: Permission,
    /// What was done.
    pub acts: ActsBook,
}

impl OwnersLine {
    pub(super) fn new(requester: Arc<dyn Requester>, timeout: Duration) -> Result<Self, NameError> {
        Ok(Self {
            acts: ActsBook::new(Arc::clone(&requester), timeout)?,
            permission: Permission::new(Arc::clone(&requester), timeout)?,
            mode: ActionName::new("_MODE")?,
            routed: Routed::new(requester, timeout),
            approve: ActionName::new("APPROVE")?,
            approvals: ActionName::new("APPROVALS")?,
            stop: ActionName::new("STOP")?,
            grants: ActionName::new("GRANTS")?,
            net: ActionName::new("NET")?,
            unlock: ActionName::new("UNLOCK_SESSION")?,
            work: ActionName::new("WORK")?,
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

    /// Whether everything is stopped; an old router does not say so here.
    ///
    /// # Errors
    /// Why the router did not say.
    pub async fn is_stopped(&self, caller: &Caller) -> Result<bool, Stopped> {
        let fields = self.ask(&self.approvals, Object::new(), caller).await?;
        Ok(fields.get("stopped").and_then(Value::as_bool).unwrap_or_default())
    }

    /// Throws the kill switch: nothing runs any more.
    ///
    /// # Errors
    /// Why it is not thrown, as far as known.
    pub async fn stop(&self, caller: &Caller) -> Result<(), Stopped> {
        self.ask(&self.stop, Object::new(), caller).await.map(drop)
    }

    /// What is allowed for a while, after one grant was taken back if `revoke` names it.
    ///
    /// # Errors
    /// Why the router did not say, or did not take it back.
    pub async fn grants(
        &self,
        caller: &Caller,
        revoke: Option<&str>,
    ) -> Result<Vec<Value>, Stopped> {
        let params = revoke.map(|id| ("revoke".to_owned(), Value::from(id)));
        let fields = self.ask(&self.grants, params.into_iter().collect(), caller).await?;
        Ok(list(&fields, "grants"))
    }

    /// Which skill has talked to which host, by the router's own count, the latest first.
    ///
    /// # Errors
    /// Why the router did not say.
    pub async fn net(&self, caller: &Caller) -> Result<Vec<Value>, Stopped> {
        let fields = self.ask(&self.net, Object::new(), caller).await?;
        Ok(list(&fields, "net"))
    }

    /// Lets a session go on that was told no too often, and takes back what was refused in it: the caller's own, or the one
    /// that is named.
    ///
    /// # Errors
    /// Why it does not go on.
    pub async fn unlock(&self, caller: &Caller, session: Option<&str>) -> Result<(), Stopped> {
        let params = session.map(|key| ("session".to_owned(), Value::from(key)));
        self.ask(&self.unlock, params.into_iter().collect(), caller).await.map(drop)
    }

    /// Opens a folder for the workbench of this conversation, closes it, puts it back as it was before the latest task, or asks
    /// which is open, as `params` say. The answer has what is `told` to people.
    ///
    /// # Errors
    /// Why it is not done, and what to do.
    pub async fn work(&self, caller: &Caller, params: Object) -> Result<Object, Stopped> {
        answered(self.routed.run(self.work.clone(), params, caller, Some(WORK)).await)
    }

    /// Asks whether the owner may treat chats so: all, or the one that is named.
    ///
    /// # Errors
    /// What a person is asked first, or why it may not be.
    pub async fn permit_mode(
        &self,
        caller: &Caller,
        mode: &str,
        chat: Option<&str>,
    ) -> Result<(), Observation> {
        let chat = chat.map(|chat| ("chat".to_owned(), Value::from(chat)));
        let params = [("mode".to_owned(), mode.into())].into_iter().chain(chat).collect();
        let permitted = self.permission.ask(&self.mode, params, caller).await;
        permitted.map_err(|stopped| Observation::of_local(self.mode.clone(), Err(stopped)))
    }

    async fn ask(
        &self,
        name: &ActionName,
        params: Object,
        caller: &Caller,
    ) -> Result<Object, Stopped> {
        answered(self.routed.run(name.clone(), params, caller, None).await)
    }
}
