//! A person types the PIN: the questions that asked for it go on, and the chat need not enter it again for a day.

use std::sync::Arc;

use protocol::{Code, Command, Done, Object, Pin, SessionKey, Stopped};
use serde_json::json;

use super::{Router, Serving};
use crate::audit::Deed;
use crate::call::Call;
use crate::events;
use crate::pin::{Tried, locked, unread};
use crate::policy::approval::{Answer, Parked};
use crate::session_key::{is_guests, key_of};

impl Serving {
    /// Takes `pin` as the answer that `command` gives to a question.
    pub(super) async fn take_pin(
        self: &Arc<Self>,
        command: &Command,
        pin: Pin,
    ) -> Result<Object, Stopped> {
        let Router { judge, audit, publisher, .. } = &self.parts;
        let now = publisher.now();
        let by = Answer::giver(command, judge.policy.current().approval(), false)?;
        let (answer, session) = (Answer::read(command)?, key_of(command));
        if is_guests(session) {
            let why = "a PIN counts in the owner's own conversation alone, and others may have read this one";
            return Err(Stopped::new(Code::Owner, why));
        }
        judge.approvals.wants_pin(&answer.id, now).await?;
        if !pin.is_whole() {
            let why = "a PIN has 4 to 6 digits; this one was not counted";
            return Err(Stopped::new(Code::BadParams, why));
        }
        let tried = judge.pin.check(pin, now).await.map_err(|error| unread(&error))?;
        let was = match tried {
            Tried::Right(_) => "right",
            Tried::Wrong { .. } => "wrong",
            Tried::Locked { .. } => "locked",
        };
        let deed = Deed::Pin { question: &answer.id, session, was };
        let recorded = audit.deed(&deed, Some(&by), now).await;
        match tried {
            Tried::Right(right) => {
                // What can't be written down counts for nothing.
                recorded?;
                judge.pin.keep(right, &by, now).await.map_err(|error| unread(&error))?;
            }
            Tried::Wrong { left } => {
                let why =
                    format!("that is not the PIN; {left} more wrong ones lock it for an hour");
                return Err(Stopped::new(Code::BadParams, why));
            }
            Tried::Locked { until, is_new } => {
                if is_new {
                    let unlock = home::router_command("pin unlock");
                    let text = format!(
                        "the PIN was typed wrong three times, last by {by}: it is locked for an hour. If that was not you, \
                         somebody has your device; `{unlock}` where the router runs unlocks it"
                    );
                    tracing::warn!("{text}");
                    publisher.event(&events::notice(SessionKey::owner(), text, now)).await;
                }
                return Err(locked(until, now));
            }
        }
        let parked = judge.approvals.entered_pin(&answer.id, by, session, now).await?;
        Ok(Object::from_iter([("session".to_owned(), json!(key_of(&parked.command)))]))
    }

    /// Judges what waited for the PIN, and runs it if nothing else stands in its way: a question that the policy or the floor
    /// asks is asked now. What the agent does itself it asks about again.
    pub(super) async fn go_on(&self, parked: &Parked) -> Result<Done, Stopped> {
        let Router { catalog, secrets, judge, publisher, .. } = &self.parts;
        let command = &parked.command;
        if parked.skill.is_none() {
            return Ok(Done::default());
        }
        let skill = catalog.find(&command.action);
        let seen = judge.look(command, skill.is_ok_and(|skill| skill.reaches_anything())).await?;
        let now = publisher.now();
        let call = Call::new(command.clone(), 1, catalog, secrets, now)?;
        match judge.judge_behind_pin(call, seen, now).await {
            Ok(approved) => self.carry_out(approved, None).await,
            Err(stopped) => Err(self.with_preview(stopped).await),
        }
    }
}
