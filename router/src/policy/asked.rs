//! What a rule looks at: a call without the skill that would run it.

use protocol::{ActionName, Command, Effect, Object, OwnWords, Principal, Reads, SessionKey};
use serde_json::Value;

use crate::call::Call;
use crate::catalog::Skill;
use crate::digest::Digest;
use crate::session_key::is_guests;

/// What somebody asks for.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The action.
    pub action: &'a ActionName,
    /// Its parameters.
    pub params: &'a Object,
    /// What it does to the world; `None` for a dry run.
    pub effect: Effect,
    /// What its result brings.
    pub reads: Reads,
    /// Nothing leaves the machine, whatever stands in the parameters.
    pub dry_run: bool,
    /// The session that asks.
    pub session: Option<&'a SessionKey>,
    /// The person who asks, as far as the agent says.
    pub principal: Option<&'a Principal>,
    /// What that person has typed for the message that this belongs to.
    pub said: Option<OwnWords>,
    /// What would run it; `None` for what the agent does itself.
    pub skill: Option<&'a Skill>,
    /// Of what the agent does itself: the parameters that the model has written, which are texts.
    pub texts: Vec<&'a str>,
}

impl<'a> Asked<'a> {
    /// What the agent would do itself, and what that does to the world by the agent's own word: who runs it without asking
    /// could as well. `texts` are the parameters that the model has written.
    #[must_use]
    pub fn of_agent(command: &'a Command, effect: Effect, texts: Vec<&'a str>) -> Self {
        let reads = Reads::NONE;
        Self { texts, ..Self::new(command, (effect, reads), None) }
    }

    fn new(
        command: &'a Command,
        (effect, reads): (Effect, Reads),
        skill: Option<&'a Skill>,
    ) -> Self {
        let envelope = &command.envelope;
        let said = envelope.said.as_deref().map(|said| OwnWords::new(said, &envelope.names));
        Self {
            action: &command.action,
            params: &command.params,
            effect,
            reads,
            dry_run: false,
            session: envelope.session.as_ref(),
            principal: envelope.principal.as_ref(),
            said,
            skill,
            texts: Vec::new(),
        }
    }

    /// The digest of the skill.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.skill.map(|skill| skill.digest)
    }

    /// Whether somebody else than the owner asks.
    #[must_use]
    pub fn is_guests(&self) -> bool {
        self.session.is_some_and(|key| is_guests(key.as_str()))
    }

    /// Whether the owner has ordered just this: everything in it stands in what the owner typed for this message.
    #[must_use]
    pub fn is_own(&self) -> bool {
        let is_owners = self.session.is_some_and(|key| !is_guests(key.as_str()));
        let written = |name: &String| self.skill.is_some() || self.texts.contains(&name.as_str());
        let values = self.params.iter().filter(|(name, _)| written(name));
        let values = values.map(|(name, value)| (value, self.is_text(name)));
        is_owners && self.said.as_ref().is_some_and(|said| said.have_all(values))
    }

    /// Whether the parameters of these names stand there.
    pub(super) fn typed(&self, names: &[String]) -> bool {
        let open = self.params.iter().filter(|(name, _)| names.contains(name));
        let open: Vec<(&Value, bool)> =
            open.map(|(name, value)| (value, self.is_text(name))).collect();
        open.is_empty() || self.said.as_ref().is_some_and(|said| said.have_all(open))
    }

    /// Whether the model's own words would go to a host that the skill names.
    #[must_use]
    pub fn carries_words(&self) -> bool {
        self.is_told_elsewhere() && self.params.iter().any(|param| self.tells(param).is_none())
    }

    /// How many bits the parameters can tell a host that the skill names, beside words of the model.
    #[must_use]
    pub fn bits(&self) -> u32 {
        let params = if self.is_told_elsewhere() { self.params } else { &Object::new() };
        params.iter().filter_map(|param| self.tells(param)).fold(0, u32::saturating_add)
    }

    /// Whether the parameters go to a host that the skill names. Of who may go anywhere the session's addresses tell more, and what is seen
    /// elsewhere is judged anyway.
    fn is_told_elsewhere(&self) -> bool {
        let names_hosts = |skill: &Skill| !skill.hosts.is_empty() && !skill.reaches_anything();
        self.effect < Effect::External && self.skill.is_some_and(names_hosts)
    }

    /// How many bits a parameter can tell; `None` for words that are no person's.
    fn tells(&self, (name, value): (&String, &Value)) -> Option<u32> {
        match &self.said {
            Some(said) if self.is_text(name) => said.choice(value),
            None if self.is_text(name) => None,
            // Every character of what is no text counts as half a byte: a digit has less, and a list of choices fewer words.
            _ => u32::try_from(value.to_string().len()).ok().map(|length| length.saturating_mul(4)),
        }
    }

    fn is_text(&self, name: &str) -> bool {
        match self.skill {
            Some(skill) => {
                skill.card.params.get(name).is_some_and(|schema| skill.marks.carries(name, schema))
            }
            None => self.texts.contains(&name),
        }
    }
}

impl<'a> From<&'a Call> for Asked<'a> {
    fn from(call: &'a Call) -> Self {
        let asked = Self::new(&call.command, (call.effect(), call.reads()), Some(&call.skill));
        Self { dry_run: call.dry_run.is_some(), ..asked }
    }
}
