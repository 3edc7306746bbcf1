//! What the router tells people of its own book: what was done in their session, and what is allowed for a while.

use protocol::{Command, Object, Stopped};
use serde_json::{Value, json};

use super::{Router, Serving};
use crate::audit::{self, Deed, Whose};
use crate::judge::undecided;
use crate::session_key::{is_guests, key_of};

/// How many acts are told at once, without a word, and at most.
const ACTS: u64 = 20;
const MOST_ACTS: u64 = 200;

impl Serving {
    /// What the session that asks has done, the newest last: `{"count": 20}`; with `"conversation": true` since its person's
    /// latest fresh beginning alone, which is all that the session's bits tell of.
    pub(super) async fn tell_acts(&self, command: &Command) -> Result<Object, Stopped> {
        let count = command.params.get("count").and_then(Value::as_u64).unwrap_or(ACTS);
        let count = usize::try_from(count.min(MOST_ACTS)).unwrap_or_default();
        let (folder, session) = (self.parts.audit.folder().to_owned(), key_of(command).to_owned());
        let is_of_one = command.params.get("conversation") == Some(&Value::Bool(true));
        let begun = is_of_one.then_some(command.envelope.begun);
        let whose = Whose { session, begun };
        let read = tokio::task::spawn_blocking(move || audit::acts(&folder, &whose, count));
        let acts = match read.await {
            Ok(Ok(acts)) => acts,
            Ok(Err(error)) => return Err(unread(error.to_string())),
            Err(error) => return Err(unread(error.to_string())),
        };
        let acts = acts.into_iter().map(Value::Object).collect();
        Ok(Object::from_iter([("acts".to_owned(), Value::Array(acts))]))
    }

    /// Which skill has talked to which host, how much and since when; for the owner.
    pub(super) async fn tell_traffic(&self, command: &Command) -> Result<Object, Stopped> {
        if is_guests(key_of(command)) {
            let why = "only the owner sees who has talked to whom";
            return Err(Stopped::new(protocol::Code::Owner, why));
        }
        let told = self.parts.traffic.told().await.map_err(undecided)?;
        let told = told.into_iter().map(Value::Object).collect();
        Ok(Object::from_iter([("net".to_owned(), Value::Array(told))]))
    }

    /// What is allowed for a while, for the owner; with `{"revoke": ID}` one of them is taken back.
    pub(super) async fn tell_grants(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, audit, publisher, .. } = &self.parts;
        if is_guests(key_of(command)) {
            let why = "only the owner sees and takes back what is allowed";
            return Err(Stopped::new(protocol::Code::Owner, why));
        }
        let (now, principal) = (publisher.now(), command.envelope.principal.as_ref());
        if let Some(begin) = command.params.get("revoke").and_then(Value::as_str) {
            let held = judge.grants.held(now).await.map_err(undecided)?;
            let mut meant = held.iter().filter(|grant| grant.id.starts_with(begin));
            let (Some(grant), None) = (meant.next(), meant.next()) else {
                let why = match held.iter().filter(|grant| grant.id.starts_with(begin)).count() {
                    0 => format!("no grant begins with {begin:?}; /grants lists them"),
                    begun => format!("{begun} grants begin with {begin:?}; type more of it"),
                };
                return Err(Stopped::new(protocol::Code::BadParams, why));
            };
            // What can't be written down is taken back all the same: it only takes away.
            let deed = Deed::Revoke(grant.into());
            let recorded = audit.deed(&deed, principal, now).await;
            judge.grants.take_back(&grant.id).await.map_err(undecided)?;
            recorded?;
        }
        let held = judge.grants.held(now).await.map_err(undecided)?;
        let told = held.iter().map(|grant| {
            json!({
                "id": grant.id, "what": grant.scope.to_string(), "until": grant.until,
                "used": grant.used, "times": grant.times, "given_by": grant.given_by,
                "session": grant.scope.session,
            })
        });
        Ok(Object::from_iter([("grants".to_owned(), told.collect())]))
    }

    /// A question with a word on what its grant would have allowed in the last 30 days.
    pub(super) async fn with_preview(&self, mut stopped: Stopped) -> Stopped {
        let Router { judge, audit, publisher, .. } = &self.parts;
        let Some(approval) = stopped.details.get_mut("approval").and_then(Value::as_object_mut)
        else {
            return stopped;
        };
        let id = approval.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        if !approval.contains_key("grant") {
            return stopped;
        }
        let Ok(Some(scope)) = judge.approvals.scope_of(&id).await else { return stopped };
        let (folder, now) = (audit.folder().to_owned(), publisher.now());
        let shown = scope.to_string();
        let read = tokio::task::spawn_blocking(move || audit::preview(&folder, &scope, now)).await;
        if let Ok(Ok(counts)) = read {
            approval.insert("grant".to_owned(), json!(audit::previewed(&shown, counts)));
        }
        stopped
    }
}

fn unread(why: String) -> Stopped {
    Stopped::new(protocol::Code::Internal, format!("the audit log can't be read ({why})"))
}
