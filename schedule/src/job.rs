//! One job.

use std::fmt;

use protocol::{Millis, Object, Principal, Taint};
use serde::{Deserialize, Serialize};

use super::{Pattern, Watch, Zone};

/// What a job is known by, such as `job-3`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct JobId(String);

impl JobId {
    /// The id with this number.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        Self(format!("job-{number}"))
    }

    /// Its number, if it has one.
    pub(super) fn number(&self) -> Option<u64> {
        self.0.strip_prefix("job-")?.parse().ok()
    }

    /// As a text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for JobId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let is_right = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        match text.len() {
            1..=40 if text.bytes().all(is_right) => Ok(Self(text)),
            _ => Err("an id is job- and a number".to_owned()),
        }
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> String {
        id.0
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something to be said or done later, as it stands in `scheduler.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// What it is known by.
    pub id: JobId,
    /// What is said when it is due, or what the model is told to do then.
    pub text: String,
    /// When it is due next, in milliseconds since 1970.
    pub next: Millis,
    /// The pattern of one that comes again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Whether the model is told; else people are.
    #[serde(default, rename = "agent", skip_serializing_if = "is_false")]
    pub is_agentic: bool,
    /// In whose turn it was made.
    pub by: Principal,
    /// Whether the model made it; else that person typed the command.
    #[serde(default, rename = "by_model", skip_serializing_if = "is_false")]
    pub is_models: bool,
    /// When it was made.
    pub made: Millis,
    /// The trust bits of the turn that made it.
    #[serde(default, skip_serializing_if = "Taint::is_clean")]
    pub bits: Taint,
    /// The addresses in it that the person had typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub typed: Vec<String>,
    /// Since when it is being told or done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Millis>,
    /// When one that comes again was told or done last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Millis>,
    /// When one that comes again was told last and reached nobody; nothing once it has reached somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unheard: Option<Millis>,
    /// What it looks at first: it says something only when that has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<Watch>,
    /// Keys that somebody added.
    #[serde(flatten)]
    pub more: Object,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A job that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct Due {
    /// The job's id.
    pub id: JobId,
    /// What is said to people, or to the model.
    pub text: String,
    /// Whether the model is told; else people are.
    pub is_agentic: bool,
    /// The trust bits of the turn that made it.
    pub bits: Taint,
    /// The addresses in it that the person had typed.
    pub typed: Vec<String>,
    /// When it was due, or first of the times that were missed.
    pub at: Millis,
    /// It only reports that the agent has ended while the job was told or done.
    pub is_report: bool,
    /// Whether people have been told by now.
    pub is_told: bool,
    /// What is looked at first.
    pub watch: Option<Box<Watch>>,
    /// When the job was made.
    pub made: Millis,
}

impl Due {
    /// Something that is said of the clock itself at `now`. It is no job.
    pub(super) fn notice(text: String, now: Millis) -> Self {
        Self {
            id: JobId::numbered(0),
            text,
            is_agentic: false,
            bits: Taint::CLEAN,
            typed: Vec::new(),
            at: now,
            is_report: true,
            is_told: false,
            watch: None,
            made: now,
        }
    }
}

/// How late a job may be without a word about it.
const PUNCTUAL_MS: u64 = 60_000;

impl Job {
    /// What was agreed on, in a person's words: what, when, in which zone, and how it is taken back.
    #[must_use]
    pub fn agreed(&self, now: Millis, zone: &Zone) -> String {
        let what = match self.watch {
            Some(_) => "look",
            None if self.is_agentic => "do this",
            None => "remind you",
        };
        let again = self.cron.as_ref().map(|cron| format!("each time {cron} comes, next "));
        let so = if self.watch.is_some() { ", and tell you what has changed" } else { "" };
        format!(
            "I'll {what} {}{} ({}){so}: {}. /cancel {} takes it back.",
            again.unwrap_or_default(),
            zone.words(self.next, now),
            zone.name(),
            self.text.trim_end_matches('.'),
            self.id
        )
    }

    /// One line for a list: `[job-1] one-shot | at 17:04 today | call Max`.
    #[must_use]
    pub fn line(&self, now: Millis, zone: &Zone) -> String {
        let kind = match &self.cron {
            Some(cron) => cron,
            None => "one-shot",
        };
        let when = match self.begun {
            Some(_) => "now".to_owned(),
            None => zone.words(self.next, now),
        };
        let agent = if self.is_agentic { " [agent]" } else { "" };
        let watches = if self.watch.is_some() { "watches " } else { "" };
        let text = answer::sanitize::one_line(&self.text);
        let unheard = self.unheard.map(|at| format!(" | reached nobody {}", zone.words(at, now)));
        let unheard = unheard.unwrap_or_default();
        format!("[{}] {kind} | {when} | {watches}{text}{agent}{unheard}", self.id)
    }

    /// Whether a model is woken when it is due.
    pub(super) fn wakes_a_model(&self) -> bool {
        self.is_agentic && self.watch.is_none()
    }

    /// What a watch has found and may not have told, once more.
    pub(super) fn found(&self) -> Option<Due> {
        let watch = self.watch.as_ref()?;
        let told = self.telling(watch.news.clone()?);
        Some(Due { watch: None, bits: self.bits.with(watch.brings), ..told })
    }

    /// What is said or done at `now`, when it is due, with a word on what was missed.
    pub(super) fn due(&self, pattern: Option<&Pattern>, now: Millis, zone: &Zone) -> Due {
        let (count, latest) =
            pattern.map_or((1, self.next), |pattern| pattern.missed(self.next, now, zone));
        let when = zone.words(latest, now);
        let late = match count {
            1 if now.0.saturating_sub(latest.0) <= PUNCTUAL_MS => String::new(),
            1 => format!(" (it was due {when})"),
            count => format!(" (it was due {count} times, last {when})"),
        };
        let begins = if self.is_agentic { "" } else { "Reminder: " };
        self.telling(format!("{begins}{}{late}", self.text))
    }

    /// What is said of it at `now` when the agent has ended while it was told or done.
    pub(super) fn unfinished(&self, now: Millis, zone: &Zone) -> Due {
        let when = zone.words(self.begun.unwrap_or(self.next), now);
        let what = if self.is_agentic {
            "had begun and is not begun again"
        } else {
            "may not have reached you"
        };
        let text = format!("{} {what}, because SafeClaw ended {when}: {}", self.id, self.text);
        Due { is_agentic: false, is_report: true, watch: None, ..self.telling(text) }
    }

    fn telling(&self, text: String) -> Due {
        Due {
            id: self.id.clone(),
            text,
            is_agentic: self.is_agentic,
            bits: self.bits,
            typed: self.typed.clone(),
            at: self.next,
            is_report: false,
            is_told: false,
            watch: self.watch.clone().map(Box::new),
            made: self.made,
        }
    }
}
