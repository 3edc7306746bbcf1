//! A command together with the skill that would run it.

use std::sync::Arc;

use protocol::{Code, Command, Effect, Millis, Object, Reads, Stopped};
use secrets::Secrets;

use crate::catalog::{Catalog, Skill};

/// What policy judges: a command whose action exists and whose parameters fit.
#[derive(Debug, Clone)]
pub struct Call {
    /// The command as it came.
    pub command: Command,
    /// How often it has been begun, this time included.
    pub attempt: u32,
    /// What would run it.
    pub skill: Arc<Skill>,
    /// Why this is a dry run; `None` when it is none.
    pub dry_run: Option<String>,
}

impl Call {
    /// Finds the skill for `command` and checks the command against it. An `attempt` after the first is one
    /// after a crash.
    ///
    /// # Errors
    /// `deadline`, `unknown_action`, `disabled` or `bad_params`. After a crash each of them says that the action may
    /// have been done.
    pub fn new(
        command: Command,
        attempt: u32,
        catalog: &Catalog,
        secrets: &Secrets,
        now: Millis,
    ) -> Result<Self, Stopped> {
        let call = Self::checked(command, attempt, catalog, secrets, now);
        call.map_err(|stopped| if attempt > 1 { stopped.maybe_executed() } else { stopped })
    }

    fn checked(
        command: Command,
        attempt: u32,
        catalog: &Catalog,
        secrets: &Secrets,
        now: Millis,
    ) -> Result<Self, Stopped> {
        if let Some(deadline) = command.envelope.deadline.filter(|deadline| *deadline <= now) {
            let late = now.since(deadline).as_millis();
            return Err(Stopped::new(
                Code::Deadline,
                format!("it came {late} ms after its deadline and was not run"),
            ));
        }
        let skill = catalog.find(&command.action)?;
        skill.check(&command.params)?;
        if let (Some(name), None) = (&skill.marks.principal, &command.envelope.principal) {
            let why = format!("{name} says who asks, and this command names nobody");
            return Err(Stopped::new(Code::BadRequest, why));
        }
        let dry_run = dry_run(&skill, &command, secrets);
        Ok(Self { command, attempt, skill, dry_run })
    }

    /// Whether running this twice does no more than running it once.
    #[must_use]
    pub fn may_run_again(&self) -> bool {
        self.dry_run.is_some() || self.skill.idempotent
    }

    /// What the skill is given: the parameters, with whoever asks where the manifest wants to know.
    #[must_use]
    pub fn input(&self) -> Object {
        let mut input = self.command.params.clone();
        let principal = self.command.envelope.principal.as_ref();
        if let (Some(name), Some(principal)) = (&self.skill.marks.principal, principal) {
            input.insert(name.clone(), principal.as_str().into());
        }
        input
    }

    /// What running this does to the world: a dry run does nothing.
    #[must_use]
    pub fn effect(&self) -> Effect {
        if self.dry_run.is_some() { Effect::None } else { self.skill.effect() }
    }

    /// What its result brings into the session: a dry run brings what the router says itself.
    #[must_use]
    pub fn reads(&self) -> Reads {
        if self.dry_run.is_some() { Reads::NONE } else { self.skill.card.reads }
    }
}

/// A router ended while it ran something that can't be done twice.
pub(crate) fn interrupted() -> Stopped {
    let message = "a router ended while it ran; it may have been done, so it is not tried again";
    Stopped::new(Code::Interrupted, message).maybe_executed()
}

fn dry_run(skill: &Skill, command: &Command, secrets: &Secrets) -> Option<String> {
    if skill.dry_run {
        let name = skill.name();
        return Some(format!("router/config.json asks for it (skills.{name}.dry_run)"));
    }
    let missing: Vec<&str> = skill
        .secrets_for(&command.params)
        .filter(|(name, secret)| !secret.optional && !secrets.has(name))
        .map(|(name, _)| name.as_str())
        .collect();
    (!missing.is_empty()).then(|| format!("{} is not set in router/.env", missing.join(", ")))
}
