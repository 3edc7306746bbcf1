//! What the window may see of the wall and do at it. The router implements it with what its command line stands on.

use async_trait::async_trait;
use protocol::{Millis, Principal, SessionKey};
use serde::{Deserialize, Serialize};

/// The wall, as its owner sees it. Texts come without secrets, and what deceives in them is escaped.
#[async_trait]
pub trait Wall: Send + Sync + 'static {
    /// How everything stands now.
    ///
    /// # Errors
    /// [`Trouble`] when what routers share can't be read.
    async fn sight(&self) -> Result<Sight, Trouble>;

    /// The audit log's newest rows, the newest last, at most `count`.
    ///
    /// # Errors
    /// [`Trouble`] when the log can't be read.
    async fn rows(&self, count: usize) -> Result<Rows, Trouble>;

    /// Checks every row of every log.
    ///
    /// # Errors
    /// [`Trouble`] when a log can't be read.
    async fn verify(&self) -> Result<Vec<Proof>, Trouble>;

    /// What the policy decides about a call, in lines for people.
    ///
    /// # Errors
    /// [`Trouble`] when there is no such call, or the policy can't be read.
    async fn explain(&self, asked: Explain) -> Result<String, Trouble>;

    /// Does something in the owner's name, once it is written down.
    ///
    /// # Errors
    /// [`Trouble`]; then nothing was done.
    async fn perform(&self, deed: Deed) -> Result<Done, Trouble>;

    /// Numbers in Prometheus' text format.
    ///
    /// # Errors
    /// [`Trouble`] when what routers share can't be read.
    async fn metrics(&self) -> Result<String, Trouble>;
}

/// Why something can't be shown or done, in words that say what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Trouble(pub String);

/// How everything stands.
#[derive(Debug, Clone, Serialize)]
pub struct Sight {
    /// The time of the router's machine.
    pub now: Millis,
    /// The program's version.
    pub version: &'static str,
    /// Each place where routers keep what they share.
    pub stops: Vec<Stop>,
    /// The queue.
    pub queue: QueueSight,
    /// What runs.
    pub running: Vec<Running>,
    /// What ended lately, the latest first.
    pub ended: Vec<ShownEnd>,
    /// What waits for a person's yes or no.
    pub questions: Vec<ShownQuestion>,
    /// Commands that were given up, the newest first.
    pub letters: Vec<ShownLetter>,
    /// The skills, by name.
    pub skills: Vec<ShownSkill>,
    /// Who has talked to which host, the latest first.
    pub traffic: Vec<ShownTraffic>,
    /// What people have allowed for a while.
    pub grants: Vec<ShownGrant>,
}

/// The kill switch of one place.
#[derive(Debug, Clone, Serialize)]
pub struct Stop {
    /// The place, in words.
    pub place: String,
    /// Why everything is stopped there, if it is.
    pub why: Option<String>,
}

/// The queue, in numbers.
#[derive(Debug, Clone, Default, Serialize)]
pub struct QueueSight {
    /// Where it is, in words.
    pub place: String,
    /// How many commands wait; nothing on a pipe, where none does.
    pub waiting: Option<u64>,
    /// How long the one has waited that has waited longest, in milliseconds.
    pub oldest_ms: Option<u64>,
    /// How many routers live.
    pub routers: u64,
    /// How many commands this router has ended since it began.
    pub ended: u64,
    /// How many of them it did not do.
    pub not_done: u64,
    /// How many dead letters there are.
    pub dead: u64,
    /// Why the queue can't be looked at, if it can't.
    pub trouble: Option<String>,
}

/// A command that runs.
#[derive(Debug, Clone, Serialize)]
pub struct Running {
    /// Its id.
    pub id: String,
    /// What it does.
    pub action: String,
    /// The conversation that it belongs to.
    pub session: String,
    /// Since when; nothing where another router has it.
    pub since: Option<Millis>,
    /// The end of the name of another router that has it.
    pub router: Option<String>,
}

/// A command that has ended.
#[derive(Debug, Clone, Serialize)]
pub struct ShownEnd {
    /// Its id.
    pub id: String,
    /// What it asked for.
    pub action: String,
    /// The conversation that it belongs to.
    pub session: String,
    /// When it ended.
    pub at: Millis,
    /// How: the status of the wire.
    pub status: String,
    /// Why it was not done, if it was not.
    pub message: Option<String>,
}

/// A question that waits.
#[derive(Debug, Clone, Serialize)]
pub struct ShownQuestion {
    /// Its id.
    pub id: String,
    /// The id of the command that waits for it.
    pub message_id: String,
    /// What would be done, in one line.
    pub brief: String,
    /// Exactly what would run, why a person is asked, and the code if one has to be typed.
    pub exact: String,
    /// The beginning of the digest that an answer is bound to.
    pub digest: String,
    /// Who asks.
    pub session: String,
    /// No answer is a no from then on.
    pub until: Millis,
    /// A yes needs the code.
    pub wants_code: bool,
    /// It waits for the PIN, which is typed in the chat.
    pub wants_pin: bool,
    /// What "always for an hour" would allow, and what it would have allowed lately.
    pub grant: Option<String>,
}

/// A command that was given up.
#[derive(Debug, Clone, Serialize)]
pub struct ShownLetter {
    /// What names it.
    pub name: String,
    /// What it wanted done.
    pub action: String,
    /// Why it was given up: the code of the wire.
    pub reason: String,
    /// The same in words.
    pub message: String,
    /// When.
    pub at: Millis,
    /// How often it was begun.
    pub attempts: u32,
    /// Its effect may have come.
    pub may_have_run: bool,
}

/// A skill.
#[derive(Debug, Clone, Serialize)]
pub struct ShownSkill {
    /// Its action.
    pub name: String,
    /// What it does.
    pub about: String,
    /// Its effect.
    pub effect: String,
    /// What its results bring into a conversation.
    pub reads: String,
    /// The hosts that it may reach.
    pub hosts: Vec<String>,
    /// SHA-256 of its files.
    pub digest: String,
    /// Why it does not run, if it does not.
    pub off: Option<String>,
    /// What went wrong last since the router began, and when.
    pub failed: Option<(Millis, String)>,
}

/// What was exchanged with a host.
#[derive(Debug, Clone, Serialize)]
pub struct ShownTraffic {
    /// By which skill.
    pub skill: String,
    /// The host and its port.
    pub host: String,
    /// When the first request was made, and the latest.
    pub since: Millis,
    /// The latest.
    pub last: Millis,
    /// Requests that were let through.
    pub allowed: u64,
    /// Requests that were not.
    pub refused: u64,
    /// Bytes that went there.
    pub sent: u64,
    /// Bytes that came from there.
    pub received: u64,
}

impl ShownTraffic {
    /// One row for each skill and host, whatever places have counted, the latest first.
    #[must_use]
    pub fn merged(mut rows: Vec<Self>) -> Vec<Self> {
        rows.sort_by(|one, other| (&one.skill, &one.host).cmp(&(&other.skill, &other.host)));
        rows.dedup_by(|row, kept| {
            let is_same = (&row.skill, &row.host) == (&kept.skill, &kept.host);
            if is_same {
                (kept.since, kept.last) = (kept.since.min(row.since), kept.last.max(row.last));
                kept.allowed += row.allowed;
                kept.refused += row.refused;
                kept.sent += row.sent;
                kept.received += row.received;
            }
            is_same
        });
        rows.sort_by_key(|row| std::cmp::Reverse(row.last));
        rows
    }
}

/// What a person has allowed for a while.
#[derive(Debug, Clone, Serialize)]
pub struct ShownGrant {
    /// Its id.
    pub id: String,
    /// What it allows.
    pub what: String,
    /// It counts until then.
    pub until: Millis,
    /// How often it has counted.
    pub used: u32,
    /// How often it counts at most.
    pub times: Option<u32>,
    /// Who gave it.
    pub by: String,
    /// Whose calls it allows.
    pub session: String,
}

/// Rows of the audit log.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Rows {
    /// Each in one line, the newest last.
    pub rows: Vec<String>,
}

/// What a look at one log came to.
#[derive(Debug, Clone, Serialize)]
pub struct Proof {
    /// Whether every row is as it was written.
    pub holds: bool,
    /// The log, how many rows, its head; or the first row that does not hold.
    pub told: String,
}

/// A call that the policy is asked about.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// The action.
    pub action: String,
    /// Its parameters, as a JSON object.
    pub params: String,
    /// The session that asks.
    pub session: SessionKey,
    /// The person who asks.
    pub principal: Principal,
    /// What has entered the session: `T`, `P`, `TP` or nothing.
    #[serde(default)]
    pub taint: String,
}

/// Something that the owner does.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "deed", rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// Answers a question.
    Answer {
        /// Its id, whole.
        id: String,
        /// `yes`, `no` or `always`.
        answer: String,
        /// What was typed with it.
        #[serde(default)]
        code: Option<String>,
    },
    /// Takes a grant back.
    Revoke {
        /// Its id, whole.
        id: String,
    },
    /// Sends the command of a dead letter again.
    Retry {
        /// The letter's name.
        name: String,
        /// Also if its effect may come twice.
        #[serde(default)]
        may_be_twice: bool,
    },
    /// Stops everything.
    Stop,
    /// Lets everything go on.
    Resume,
}

/// What became of a deed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// It is done.
    Said(String),
    /// It is not done: a person has to say first that it may be done twice.
    Asks(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_two_places_have_counted_is_one_row() {
        let row = |host: &str, since: u64, last: u64| ShownTraffic {
            skill: "A".to_owned(),
            host: host.to_owned(),
            since: Millis(since),
            last: Millis(last),
            allowed: 1,
            refused: 2,
            sent: 3,
            received: 4,
        };
        let merged = ShownTraffic::merged(vec![row("x", 5, 9), row("y", 1, 7), row("x", 2, 6)]);
        let shown: Vec<_> = merged
            .iter()
            .map(|row| (row.host.as_str(), row.since.0, row.last.0, row.allowed, row.refused))
            .collect();
        assert_eq!(shown, [("x", 2, 9, 2, 4), ("y", 1, 7, 1, 2)]);
        assert_eq!((merged[0].sent, merged[0].received), (6, 8));
    }
}
