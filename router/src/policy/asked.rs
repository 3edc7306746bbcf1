//! What a rule looks at: a call without the skill that would run it.

use protocol::{ActionName, Command, Effect, Object, Principal, SessionKey};

use crate::call::Call;

/// What somebody asks for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The action.
    pub action: &'a ActionName,
    /// Its parameters.
    pub params: &'a Object,
    /// What it does to the world; `None` for a dry run.
    pub effect: Effect,
    /// Nothing leaves the machine, whatever stands in the parameters.
    pub dry_run: bool,
    /// The session that asks.
    pub session: Option<&'a SessionKey>,
    /// The person who asks, as far as the agent says.
    pub principal: Option<&'a Principal>,
}

impl<'a> Asked<'a> {
    /// What the agent would do itself, and what that does to the world by the agent's own word: who runs it without asking
    /// could as well.
    #[must_use]
    pub fn of_agent(command: &'a Command, effect: Effect) -> Self {
        Self {
            action: &command.action,
            params: &command.params,
            effect,
            dry_run: false,
            session: command.envelope.session.as_ref(),
            principal: command.envelope.principal.as_ref(),
        }
    }
}

impl<'a> From<&'a Call> for Asked<'a> {
    fn from(call: &'a Call) -> Self {
        let envelope = &call.command.envelope;
        Self {
            action: &call.command.action,
            params: &call.command.params,
            effect: call.effect(),
            dry_run: call.dry_run.is_some(),
            session: envelope.session.as_ref(),
            principal: envelope.principal.as_ref(),
        }
    }
}
