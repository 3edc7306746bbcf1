//! A question as it stands in the store, and what becomes of it.

use protocol::{Command, Millis, Object, Principal};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::config::words;
use crate::digest::Digest;
use crate::policy::{Policy, Question, Ruling, Scope, Via, WayOut};
use crate::session_key::key_of;

use super::shown;

/// One call that waits for a person, with everything that the answer is bound to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parked {
    /// The command whose bytes run after a yes, and no others.
    pub(crate) command: Command,
    /// SHA-256 of what is approved: see [`super::binding`].
    pub(crate) digest: Digest,
    /// What would run it; `None` when only a verdict was asked for, and a yes runs nothing.
    pub(crate) skill: Option<Digest>,
    /// What the skill does, in its manifest's words.
    #[serde(default)]
    pub(crate) does: Option<String>,
    /// The rule that asks.
    pub(crate) rule: String,
    /// What a person is shown.
    pub(crate) question: String,
    /// What has to be typed with a yes.
    pub(crate) code: Option<String>,
    /// A yes is the owner's PIN, and then it is judged.
    #[serde(default)]
    pub(crate) pin: bool,
    /// How often a wrong code was given.
    #[serde(default)]
    pub(crate) wrong: u32,
    /// What `always for an hour` would allow.
    pub(crate) grant: Option<Scope>,
    /// When no answer becomes a no.
    pub(crate) until: Millis,
    /// What has become of it.
    pub(crate) state: State,
}

/// What has become of a question. Each step is taken once, by whoever makes it in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// Nobody has answered.
    Waiting,
    /// A person said yes; a router has yet to take it up.
    Yes {
        /// Who.
        by: Principal,
    },
    /// A person said no.
    No {
        /// Who.
        by: Principal,
    },
    /// A router has taken it up. One that has not said by then that it lives has died.
    TakenUp {
        /// Which taking up it was, so that no other passes for it.
        by: Uuid,
        /// When its time is over.
        until: Millis,
    },
}

/// What a yes needs beside being one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YesNeeds {
    /// Nothing.
    None,
    /// The code that stands in the question.
    Code,
    /// The owner's PIN, which is all that it says: what waits is judged then.
    Pin,
}

/// What a person is asked about.
#[derive(Debug)]
pub(crate) struct Subject {
    /// The command.
    pub(crate) command: Command,
    /// What would run it, if anything does.
    pub(crate) skill: Option<Digest>,
    /// What that does, in its manifest's words.
    pub(crate) does: Option<String>,
    /// What asks.
    pub(crate) rule: String,
    /// Why, in words for people.
    pub(crate) reason: String,
    /// What a yes needs.
    pub(crate) proof: YesNeeds,
    /// What may be allowed for a while instead.
    pub(crate) grant: Option<Scope>,
}

impl YesNeeds {
    fn code(is_needed: bool) -> Self {
        if is_needed { Self::Code } else { Self::None }
    }
}

impl Subject {
    /// A call that waits to be run.
    pub(crate) fn of(question: &Question) -> Self {
        let call = question.call();
        Self {
            command: call.command.clone(),
            skill: Some(call.skill.digest),
            does: Some(shown::does(&call.skill.card)),
            rule: question.rule().to_owned(),
            reason: question.reason().to_owned(),
            proof: YesNeeds::code(question.needs_code()),
            grant: question.grantable(),
        }
    }

    /// Something that the agent would do itself.
    pub(crate) fn permit(command: Command, ruling: &Ruling, way_out: Option<WayOut>) -> Self {
        let Ruling { rule, reason, needs_code, .. } = ruling;
        let (rule, reason) = (rule.clone(), reason.clone());
        let is_by_host = ruling.grantable && way_out == Some(WayOut::Address);
        let grant = is_by_host.then(|| Scope::exactly(&command).by_host()).flatten();
        let proof = YesNeeds::code(*needs_code);
        Self { command, skill: None, does: None, rule, reason, proof, grant }
    }

    /// Something that is judged once its chat has entered the PIN.
    pub(crate) fn behind_pin(command: Command, skill: Option<Digest>) -> Self {
        let reason = words().get("wall.needsPin").to_owned();
        let (rule, proof) = ("pin".to_owned(), YesNeeds::Pin);
        Self { command, skill, does: None, rule, reason, proof, grant: None }
    }
}

impl Parked {
    /// What is told of it in channels: a grant is offered where `policy` takes one there.
    pub(super) fn shown_in_channel(&self, id: &str, policy: &Policy, now: Millis) -> Object {
        let mut shown = self.shown(id, now);
        if policy.approval().grants == Via::Router {
            shown.remove("grant");
        }
        shown
    }

    /// What agents and people are told of it. `now` tells how long it still waits.
    pub(crate) fn shown(&self, id: &str, now: Millis) -> Object {
        let mut shown = Object::from_iter([
            ("id".to_owned(), json!(id)),
            ("question".to_owned(), json!(self.question)),
            ("brief".to_owned(), json!(self.brief())),
            ("digest".to_owned(), json!(short(&self.digest))),
            ("seconds".to_owned(), json!(self.until.since(now).as_secs())),
            ("code".to_owned(), json!(self.code.is_some())),
            ("pin".to_owned(), json!(self.pin)),
            ("message_id".to_owned(), json!(self.command.message_id)),
            ("session".to_owned(), json!(key_of(&self.command))),
            ("principal".to_owned(), json!(self.command.envelope.principal)),
        ]);
        if let Some(scope) = &self.grant {
            shown.insert("grant".to_owned(), json!(scope.to_string()));
        }
        shown
    }

    /// What would be done and to whom, in one line: for beside the buttons, where the question itself may be far up.
    fn brief(&self) -> String {
        let told = |(name, value): (&String, &serde_json::Value)| {
            let text = legible::line(&value.to_string());
            match text.chars().count() {
                0..=SHORT => format!("{name} = {text}"),
                long => words().fill("wall.long", &[("name", name), ("count", &long)]),
            }
        };
        let params: Vec<String> = self.command.params.iter().map(told).collect();
        let what = self.does.as_deref().map(|does| does.trim_end_matches('.'));
        let what = what.unwrap_or(self.command.action.as_str());
        let line = match params.is_empty() {
            true => what.to_owned(),
            false => format!("{what}: {}", params.join(", ")),
        };
        line.chars().take(BRIEF).collect()
    }
}

/// The longest parameter that stands in [`Parked::brief`], and the longest brief, in characters.
const SHORT: usize = 80;
const BRIEF: usize = 300;

/// The first characters of a digest, for people to compare.
pub(crate) fn short(digest: &Digest) -> String {
    digest.to_string().chars().take(12).collect()
}
