//! What stands in router/policy.toml, checked.

use std::time::Duration;

use protocol::{ActionName, Effect, OWNER, Principal};

use super::asked::Asked;
use super::floor::InSession;
use super::glob::Glob;
use super::rule::Rule;
use super::ruling::{Said, Spend};
use super::standing::Standing;
use super::then::{Place, Then};

/// The policy of a fresh install.
pub use crate::defaults::POLICY as DEFAULT;

/// Everything that router/policy.toml says.
#[derive(Debug, Clone)]
pub struct Rules {
    /// What decides where no rule does.
    pub effects: Effects,
    /// Who answers questions.
    pub approval: ApprovalTerms,
    /// How much a session may ask.
    pub limits: Limits,
    /// The rules, in their order.
    pub rules: Vec<Rule>,
    /// `[hosts] named`: the hosts whose addresses, without a query, a model may name by itself.
    pub named_hosts: Vec<Glob>,
    /// `[pin] for`: the actions that the owner's PIN guards, beside those that it always does.
    pub pin: Vec<ActionName>,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub version: String,
}

/// What to do by effect. An effect that is not named is refused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Each with its line.
    pub(super) named: Vec<(Effect, Then, Place)>,
}

/// `[approval]`: how a question is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalTerms {
    /// Where an answer counts.
    pub via: Via,
    /// Who may answer; `None` for whoever speaks in the owner's session.
    pub by: Option<Vec<Principal>>,
    /// How long a question waits.
    pub expires: Duration,
    /// Where an answer counts that allows more than the one call.
    pub grants: Via,
}

/// Where a person's answer counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// In the agent's channel.
    Channel,
    /// On the router's own side alone: `start_router approvals`.
    Router,
}

/// `[limits]`: how much a session may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Actions in a minute.
    pub per_minute: u32,
    /// Actions in an hour.
    pub per_hour: u32,
    /// The same call in a row.
    pub same_in_a_row: u32,
    /// Denials in a row that stop the session.
    pub denials_in_a_row: u32,
    /// Denials in all that stop the session.
    pub denials: u32,
    /// Questions that wait.
    pub pending: u32,
    /// Bits that the choice among known addresses may tell within an hour, once private data has entered.
    pub leak_bits: u32,
}

impl Default for ApprovalTerms {
    fn default() -> Self {
        Self {
            via: Via::Channel,
            by: None,
            expires: Duration::from_secs(600),
            grants: Via::Channel,
        }
    }
}

impl ApprovalTerms {
    /// Whether the answer of `principal`, who speaks in `session`, counts.
    #[must_use]
    pub fn may_answer(&self, principal: &Principal, session: &str) -> bool {
        self.by.as_ref().map_or(session == OWNER, |by| by.contains(principal))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_minute: 20,
            per_hour: 200,
            same_in_a_row: 3,
            denials_in_a_row: 3,
            denials: 20,
            pending: 3,
            leak_bits: 256,
        }
    }
}

impl Rules {
    /// What the file says of `asked`: the first rule that matches, or else the effect's. A way out is judged as what it
    /// is declared to be and as external, and the stricter of the two counts.
    pub(super) fn say(&self, asked: &Asked, session: InSession, standing: &Standing) -> Said {
        if let Some(rule) = self.rules.iter().find(|rule| rule.matches(asked, standing)) {
            return Said {
                then: rule.then,
                rule: format!("rule {} (line {})", rule.number, rule.place.line),
                place: Some(rule.place.clone()),
                spends: rule.times.map(|times| Spend::Rule { id: rule.id.clone(), times }),
            };
        }
        let declared = self.effects.say(session.declared);
        let counted = self.effects.say(session.effect());
        if counted.then > declared.then { counted } else { declared }
    }
}

impl Effects {
    /// What becomes of a call with this effect, as long as no rule says otherwise.
    #[must_use]
    pub fn of(&self, effect: Effect) -> Then {
        self.say(effect).then
    }

    fn say(&self, effect: Effect) -> Said {
        let named = self.named.iter().find(|(named, ..)| *named == effect);
        let then = named.map_or(Then::Refuse, |(_, then, _)| *then);
        let place = named.map(|(.., place)| place.clone());
        Said { then, rule: format!("effects.{effect}"), place, spends: None }
    }
}
