//! What is asked of the router itself: commands with reserved names that run no skill.

use std::sync::Arc;

use protocol::{ActionName, Code, Command, Done, Effect, Object, Outcome, Pin, Stopped};
use serde_json::{Value, json};

use super::{Router, Serving};
use crate::audit::Deed;
use crate::grants::on_terms;
use crate::judge::undecided;
use crate::policy::approval::{Answer, State, Subject, binding};
use crate::policy::{Asked, Then};
use crate::session::Terms;
use crate::session_key::key_of;

/// A reserved name. No skill can have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Own {
    /// A person's answer to a question.
    Approve,
    /// Which questions of this session wait.
    Approvals,
    /// Throws the kill switch. Only the router's own side puts it back.
    Stop,
    /// Whether the agent may do something itself.
    Permit,
    /// What this session has done.
    Acts,
    /// What is allowed for a while, and taking it back.
    Grants,
    /// Which skill has talked to which host.
    Net,
    /// A person lets a session go on that was told no too often, and takes back what was refused in it.
    Unlock,
    /// Which folder this session's workbench has: a person opens one, closes it, has it put back, or asks.
    Work,
    /// Its parameters without the secrets that the router knows.
    Redact,
}

impl Own {
    /// The names that are reserved.
    pub(crate) const NAMES: [(&str, Self); 10] = [
        ("APPROVE", Self::Approve),
        ("APPROVALS", Self::Approvals),
        ("STOP", Self::Stop),
        ("PERMIT", Self::Permit),
        ("ACTS", Self::Acts),
        ("GRANTS", Self::Grants),
        ("NET", Self::Net),
        ("UNLOCK_SESSION", Self::Unlock),
        ("WORK", Self::Work),
        ("REDACT", Self::Redact),
    ];

    /// Which one `command` asks for.
    pub(super) fn of(command: &Command) -> Option<Self> {
        let named = Self::NAMES.iter().find(|(name, _)| *name == command.action.as_str());
        named.map(|(_, own)| *own)
    }
}

impl Serving {
    pub(super) async fn do_own(self: &Arc<Self>, own: Own, command: &Command) -> Outcome {
        let done = match own {
            Own::Approve => self.take_answer(command).await,
            Own::Approvals => self.tell_approvals(command).await,
            Own::Stop => self.throw_switch(command).await,
            Own::Permit => self.permit(command).await,
            Own::Acts => self.tell_acts(command).await,
            Own::Grants => self.tell_grants(command).await,
            Own::Net => self.tell_traffic(command).await,
            Own::Unlock => self.unlock(command).await,
            Own::Work => self.work(command).await,
            Own::Redact => Ok(self.parts.secrets.redact_object(command.params.clone())),
        };
        let outcome =
            done.map_or_else(Outcome::Stopped, |result| Done { result, ..Done::default() }.into());
        let only_looks =
            matches!(own, Own::Approvals | Own::Acts | Own::Grants | Own::Net | Own::Redact);
        if !only_looks {
            self.parts.audit.outcome(command, &outcome, self.parts.publisher.now());
        }
        outcome
    }

    async fn take_answer(self: &Arc<Self>, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, audit, publisher, .. } = &self.parts;
        // A no is a no, whatever was typed with it.
        let is_no = command.params.get("answer").and_then(Value::as_str) == Some("no");
        if let Some(pin) = Pin::of(&command.params).filter(|_| !is_no) {
            return self.take_pin(command, pin).await;
        }
        let (policy, now) = (judge.policy.current(), publisher.now());
        let (answer, by) = Answer::by_channel(command, policy.approval())?;
        let session = key_of(command);
        audit.deed(&Deed::answer(&answer, session), Some(&by), now).await?;
        let answered = judge.approvals.answer(&answer, by.clone(), Some(session), now).await;
        let (parked, scope) = answered?;
        if matches!(parked.state, State::No { .. }) {
            // Before the person hears that it counts, so that nothing is asked again in between.
            let refused = judge.sessions.refuse(&parked.command, parked.digest).await;
            refused.map_err(undecided)?;
        }
        let asked_in = ("session".to_owned(), json!(key_of(&parked.command)));
        let mut result = Object::from_iter([asked_in]);
        if let Some((scope, terms)) = scope.zip(answer.always) {
            let mut grant = on_terms(scope, terms, &by, now);
            audit.deed(&Deed::Grant((&grant).into()), Some(&by), now).await?;
            let released =
                judge.approvals.release(&mut grant, &by, now).await.map_err(undecided)?;
            judge.grants.give(&grant).await.map_err(undecided)?;
            result.insert("with_it".to_owned(), json!(released));
            result.insert("granted".to_owned(), json!(grant.scope.to_string()));
            result.insert("until".to_owned(), json!(grant.until));
            result.extend(grant.times.map(|times| ("times".to_owned(), json!(times))));
        }
        Ok(result)
    }

    async fn tell_approvals(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, publisher, .. } = &self.parts;
        let policy = judge.policy.current();
        let open = judge.approvals.open_in(key_of(command), &policy, publisher.now()).await;
        let open = open.map_err(undecided)?.into_iter().map(Value::Object).collect();
        let stopped = ("stopped".to_owned(), json!(judge.switch.check().await.is_err()));
        Ok(Object::from_iter([("approvals".to_owned(), Value::Array(open)), stopped]))
    }

    async fn throw_switch(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, audit, publisher, .. } = &self.parts;
        let principal = command.envelope.principal.as_ref();
        let by = principal.map_or("an agent", |by| by.as_str());
        // First, and whatever can be written down: nothing may keep a stop from stopping.
        let thrown = judge.switch.throw(by).await;
        let recorded = audit.deed(&Deed::Stop, principal, publisher.now()).await;
        thrown.map_err(undecided)?;
        tracing::info!("{by} has stopped everything; `{}` lets it go on", home::resume_command());
        let mut result = Object::new();
        if let Err(stopped) = recorded {
            tracing::error!("the stop is in force and not recorded: {}", stopped.message);
            result.insert("recorded".to_owned(), json!(false));
        }
        Ok(result)
    }

    /// The verdict on `{"action": ..., "params": {...}}`, which the agent would do itself. Its `effect` is `none` unless it
    /// says another.
    async fn permit(&self, command: &Command) -> Result<Object, Stopped> {
        let Router { judge, publisher, .. } = &self.parts;
        let (meant, effect) = (meant(command)?, effect_of(command)?);
        // What is seen elsewhere is judged as that, wherever it goes.
        let seen = judge.look(command, effect < Effect::External).await?;
        let (policy, now) = (judge.policy.current(), publisher.now());
        let digest = binding(&meant, None, policy.version());
        let asked = Asked::of_agent(&meant, effect, texts_of(command));
        judge.ask_for_pin((&meant, None, &asked), &seen, (&policy, digest), now).await?;
        let known =
            judge.sessions.admit_reach(&meant, seen, &digest, Terms::of(&policy, now)).await?;
        let standing = judge.standing(&policy, &asked, known, now).await.map_err(undecided)?;
        let ruling = policy.rule_on(&asked, &standing);
        match ruling.then {
            Then::Allow => {
                let spent = match &ruling.spends {
                    Some(spend) => judge.grants.spend(spend).await.map_err(undecided)?,
                    None => true,
                };
                let used_up =
                    || Stopped::new(Code::Policy, "what allowed it has just been used up");
                if spent { Ok(said(&ruling.rule)) } else { Err(used_up()) }
            }
            Then::Ask => {
                let subject = Subject::permit(meant, &ruling, standing.way_out);
                Err(judge.approvals.park(subject, digest, &policy, now).await?)
            }
            Then::Refuse => Err(policy.refusal(&ruling)),
        }
    }
}

fn said(rule: &str) -> Object {
    Object::from_iter([("permitted".to_owned(), json!(true)), ("rule".to_owned(), json!(rule))])
}

/// What the agent would do to the world.
fn effect_of(command: &Command) -> Result<Effect, Stopped> {
    let Some(effect) = command.params.get("effect") else { return Ok(Effect::None) };
    let bad =
        || Stopped::new(Code::BadParams, "effect: it is none, local, external or irreversible");
    serde_json::from_value(effect.clone()).map_err(|_| bad())
}

/// The parameters that the model has written, by the agent's word.
fn texts_of(command: &Command) -> Vec<&str> {
    let named = command.params.get("texts").and_then(Value::as_array);
    named.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// What the agent would do, as a command of its own.
fn meant(command: &Command) -> Result<Command, Stopped> {
    let bad = |why: &str| Stopped::new(Code::BadParams, why);
    let action = command.params.get("action").and_then(Value::as_str);
    let action = action.and_then(|name| ActionName::new(name).ok());
    let action = action.ok_or_else(|| bad("action: it is the name of an action"))?;
    let Some(Value::Object(params)) = command.params.get("params") else {
        return Err(bad("params: they are an object"));
    };
    Ok(Command { action, params: params.clone(), ..command.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::RESERVED_NAMES;

    #[test]
    fn what_no_skill_may_be_called_is_answered_here() {
        assert_eq!(Own::NAMES.map(|(name, _)| name), RESERVED_NAMES);
    }
}
