//! Whether the queue has kept its promises: what was asked, done and said, held against each other.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use protocol::Reply;
use serde_json::Value;

use crate::fleet::Ends;
use crate::found::Found;
use crate::ledger::{Entry, Fate, Notes};

/// The codes of replies beside which a dead letter lies.
const GIVEN_UP: [&str; 6] =
    ["bad_request", "deadline", "interrupted", "poison", "stale", "too_large"];

/// How many examples of what broke a promise are shown.
const EXAMPLES: usize = 4;

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    name: &'static str,
    count: u64,
    must: Option<u64>,
    note: String,
}

/// The table, and whether it holds.
#[derive(Debug, Default)]
pub struct Verdict(Vec<Row>);

impl Verdict {
    /// Whether every promise was kept.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.0.iter().all(Row::holds)
    }

    /// Something that is worth knowing.
    pub(crate) fn fact(&mut self, name: &'static str, count: u64, note: impl Into<String>) {
        self.0.push(Row { name, count, must: None, note: note.into() });
    }

    /// A count that must be this one.
    pub(crate) fn must(&mut self, name: &'static str, count: u64, must: u64) {
        self.0.push(Row { name, count, must: Some(must), note: String::new() });
    }

    /// Something that must not be.
    fn none<T: fmt::Display>(&mut self, name: &'static str, bad: impl IntoIterator<Item = T>) {
        let bad: Vec<String> = bad.into_iter().map(|one| one.to_string()).collect();
        let note = bad.iter().take(EXAMPLES).cloned().collect::<Vec<_>>().join(", ");
        self.0.push(Row { name, count: bad.len() as u64, must: Some(0), note });
    }
}

impl Row {
    fn holds(&self) -> bool {
        self.must.is_none_or(|must| must == self.count)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in &self.0 {
            let Row { name, count, must, note } = row;
            let must = match must {
                None => String::new(),
                Some(must) if row.holds() => format!("must be {must}"),
                Some(must) => format!("BROKEN: must be {must}"),
            };
            let line = format!("{name:<50}{count:>8}  {must:<18}{note}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Everything that is known at the end of a run.
pub(crate) struct Evidence {
    pub(crate) notes: Notes,
    pub(crate) effects: HashMap<String, u64>,
    pub(crate) found: Found,
    pub(crate) ends: Ends,
}

impl Evidence {
    /// Judges a run.
    pub(crate) fn judge(&self) -> Verdict {
        let mut verdict = Verdict::default();
        self.judge_ends(&mut verdict);
        self.judge_runs(&mut verdict);
        self.judge_words(&mut verdict);
        verdict.none("keys that would stay for ever", &self.found.for_ever);
        verdict.must("exits of a router that nobody asked for", self.ends.unasked, 0);
        verdict.must("drains that did not end with 0 in time", self.ends.undrained, 0);
        verdict
    }

    /// Every command that was accepted has ended, or waits.
    fn judge_ends(&self, verdict: &mut Verdict) {
        let accepted = self.accepted();
        let replied = accepted.iter().filter(|(id, _)| self.reply(id).is_some());
        verdict.fact("commands accepted", accepted.len() as u64, "");
        verdict.fact("  replied", replied.count() as u64, self.codes());
        let lettered = accepted.keys().filter(|id| self.letters(id) > 0).count();
        let nonsense = format!("and {} for what is no command", self.found.nonsense.len());
        verdict.fact("  with a dead letter", lettered as u64, nonsense);
        let queued = accepted.keys().filter(|id| self.found.queued.contains(**id));
        verdict.fact("  still queued", queued.count() as u64, "");
        let lost = accepted.keys().filter(|id| {
            self.reply(id).is_none() && self.letters(id) == 0 && !self.found.queued.contains(**id)
        });
        verdict.none("  lost", lost);
        verdict.must("  left in flight", self.found.in_hands, 0);
        let without_letter = accepted.keys().filter(|id| {
            let code = self.reply(id).and_then(code);
            code.is_some_and(|code| GIVEN_UP.contains(&code)) && self.letters(id) == 0
        });
        verdict.none("given up without a dead letter", without_letter);
        let sent = self.notes.malformed.iter().filter(|(_, fate)| **fate == Fate::Accepted);
        let astray = sent.map(|(mark, _)| mark).filter(|mark| {
            self.found.nonsense.iter().filter(|raw| raw.contains(mark.as_str())).count() != 1
        });
        verdict.none("nonsense without one dead letter", astray);
    }

    /// How often things were done.
    fn judge_runs(&self, verdict: &mut Verdict) {
        let runs = |id: &str| self.effects.get(id).copied().unwrap_or(0);
        let of =
            |once: bool| self.notes.commands.iter().filter(move |(_, entry)| entry.once == once);
        let again: Vec<u64> = of(false).map(|(id, _)| runs(id)).filter(|runs| *runs > 1).collect();
        let most =
            again.iter().max().map(|most| format!("at most {most} times")).unwrap_or_default();
        verdict.fact("done more than once, where that is allowed", again.len() as u64, most);
        let twice = of(true).map(|(id, _)| id).filter(|id| runs(id) > 1);
        verdict.none("done more than once, where it is not", twice);
        let refused = self.notes.commands.iter().filter(|(_, entry)| entry.fate == Fate::Refused);
        let refused = refused.map(|(id, _)| id).filter(|id| runs(id) > 0);
        verdict.none("done although the agent was told it was not sent", refused);
        let denied = self.notes.commands.keys().filter_map(|id| {
            let reply = self.reply(id).filter(|reply| says_not_done(reply))?;
            (runs(id) > 0).then(|| format!("{id} ({})", code(reply).unwrap_or("ok")))
        });
        verdict.none("done although the reply says it was not", denied);
        let empty = self.notes.commands.keys().filter(|id| {
            self.reply(id).is_some_and(|reply| code(reply).is_none()) && runs(id) == 0
        });
        verdict.none("answered ok, and never done", empty);
    }

    /// What was said.
    fn judge_words(&self, verdict: &mut Verdict) {
        let accepted = self.accepted();
        let differ = self.notes.commands.iter().filter(|(id, entry)| {
            let kept = self.found.kept.get(*id).into_iter();
            let waiting = self.found.waiting.get(*id).into_iter().flatten();
            let mut all = entry.heard.iter().chain(kept).chain(waiting);
            all.next().is_some_and(|first| all.any(|other| other != first))
        });
        verdict.none("ids with two different replies", differ.map(|(id, _)| id));
        let waited = accepted.iter().filter(|(_, entry)| entry.patient);
        let in_vain = waited.filter(|(_, entry)| entry.heard.is_empty()).map(|(id, _)| id);
        verdict.none("agents of this version that waited in vain", in_vain);
        let gone = accepted.values().filter(|entry| entry.heard.is_empty()).count();
        verdict.fact("replies that were not fetched", gone as u64, "floods, and the hasty");
        let strays = self.notes.commands.iter().filter(|(id, entry)| {
            entry.heard.iter().any(|reply| {
                reply.get("message_id").is_some_and(|named| named.as_str() != Some(id.as_str()))
            })
        });
        verdict.none("replies to somebody else's command", strays.map(|(id, _)| id));
    }

    fn accepted(&self) -> BTreeMap<&String, &Entry> {
        let all = self.notes.commands.iter();
        all.filter(|(_, entry)| entry.fate == Fate::Accepted).collect()
    }

    /// The reply to a command: what an agent heard, or would if it looked.
    fn reply(&self, id: &str) -> Option<&Value> {
        let heard = self.notes.commands.get(id).and_then(|entry| entry.heard.first());
        heard.or_else(|| self.found.kept.get(id)).or_else(|| self.found.waiting.get(id)?.first())
    }

    fn letters(&self, id: &str) -> u64 {
        self.found.letters.get(id).copied().unwrap_or(0)
    }

    /// How often each way to end came up.
    fn codes(&self) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (id, _) in self.accepted() {
            if let Some(reply) = self.reply(id) {
                *counts.entry(code(reply).unwrap_or("ok")).or_default() += 1;
            }
        }
        counts.iter().map(|(code, count)| format!("{code} {count}")).collect::<Vec<_>>().join(", ")
    }
}

/// The code of a reply that is none of success.
fn code(reply: &Value) -> Option<&str> {
    match reply.get("status")?.as_str()? {
        "ok" => None,
        status => Some(reply.pointer("/error/code").and_then(Value::as_str).unwrap_or(status)),
    }
}

/// Whether a reply says that nothing was done.
fn says_not_done(reply: &Value) -> bool {
    let Some(fields) = reply.as_object() else { return false };
    match Reply::from_fields(fields.clone()).outcome {
        protocol::Outcome::Stopped(stopped) => !stopped.maybe_executed,
        protocol::Outcome::Done(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// One command that was accepted, done and answered.
    fn good() -> Evidence {
        let reply = json!({"status": "ok", "message_id": "m", "run": 1});
        let heard = vec![reply.clone()];
        let entry = Entry { once: true, fate: Fate::Accepted, patient: true, heard };
        let mut notes = Notes::default();
        notes.commands.insert("m".to_owned(), entry);
        notes.malformed.insert("mark;".to_owned(), Fate::Accepted);
        let mut found = Found { nonsense: vec!["[\"mark;\"]".to_owned()], ..Found::default() };
        found.kept.insert("m".to_owned(), reply);
        let effects = HashMap::from([("m".to_owned(), 1)]);
        Evidence { notes, effects, found, ends: Ends::default() }
    }

    fn broken(change: impl FnOnce(&mut Evidence)) -> Vec<&'static str> {
        let mut evidence = good();
        change(&mut evidence);
        let rows = evidence.judge().0;
        rows.iter().filter(|row| !row.holds()).map(|row| row.name.trim()).collect()
    }

    fn answered(evidence: &mut Evidence, reply: &Value) {
        entry(evidence).heard = vec![reply.clone()];
        evidence.found.kept.insert("m".to_owned(), reply.clone());
    }

    fn entry(evidence: &mut Evidence) -> &mut Entry {
        evidence.notes.commands.get_mut("m").unwrap()
    }

    fn runs(evidence: &mut Evidence, count: u64) {
        evidence.effects.insert("m".to_owned(), count);
    }

    #[test]
    fn what_is_well_is_not_complained_about() {
        assert!(broken(|_| {}).is_empty());
        assert!(
            broken(|e| entry(e).heard.clear())
                .contains(&"agents of this version that waited in vain")
        );
        let hasty = |e: &mut Evidence| {
            entry(e).heard.clear();
            entry(e).patient = false;
        };
        assert!(broken(hasty).is_empty());
        let may_run_again = |e: &mut Evidence| {
            entry(e).once = false;
            runs(e, 2);
        };
        assert!(broken(may_run_again).is_empty());
    }

    #[test]
    fn a_command_that_is_nowhere_is_lost_unless_nobody_knows_that_it_came() {
        let nowhere = |e: &mut Evidence| {
            entry(e).heard.clear();
            entry(e).patient = false;
            e.found.kept.clear();
            e.effects.clear();
        };
        assert_eq!(broken(nowhere), ["lost"]);
        let unknown = |e: &mut Evidence| {
            nowhere(e);
            entry(e).fate = Fate::Unknown;
        };
        assert!(broken(unknown).is_empty());
        let waits = |e: &mut Evidence| {
            nowhere(e);
            e.found.queued.insert("m".to_owned());
        };
        assert!(broken(waits).is_empty());
    }

    #[test]
    fn each_broken_promise_is_named() {
        assert_eq!(broken(|e| runs(e, 2)), ["done more than once, where it is not"]);
        assert_eq!(broken(|e| runs(e, 0)), ["answered ok, and never done"]);
        assert_eq!(broken(|e| e.found.in_hands = 1), ["left in flight"]);
        assert_eq!(broken(|e| e.found.nonsense.clear()), ["nonsense without one dead letter"]);
        let stays = |e: &mut Evidence| e.found.for_ever.push("key".to_owned());
        assert_eq!(broken(stays), ["keys that would stay for ever"]);
        let refused = |e: &mut Evidence| entry(e).fate = Fate::Refused;
        assert_eq!(broken(refused), ["done although the agent was told it was not sent"]);
        let asked = |e: &mut Evidence| e.ends.unasked = 1;
        assert_eq!(broken(asked), ["exits of a router that nobody asked for"]);
        let undrained = |e: &mut Evidence| e.ends.undrained = 1;
        assert_eq!(broken(undrained), ["drains that did not end with 0 in time"]);
    }

    #[test]
    fn two_replies_and_replies_that_are_not_true_are_named() {
        let second = json!({"status": "ok", "message_id": "m", "run": 2});
        let two = |e: &mut Evidence| entry(e).heard.push(second);
        assert_eq!(broken(two), ["ids with two different replies"]);
        let astray = json!({"status": "ok", "message_id": "n"});
        assert_eq!(broken(|e| answered(e, &astray)), ["replies to somebody else's command"]);
        let late = json!({"status": "expired", "v": 2, "error": {"code": "deadline"}});
        let untrue = |e: &mut Evidence| {
            answered(e, &late);
            e.found.letters.insert("m".to_owned(), 1);
        };
        assert_eq!(broken(untrue), ["done although the reply says it was not"]);
        let unlettered = |e: &mut Evidence| {
            answered(e, &late);
            runs(e, 0);
        };
        assert_eq!(broken(unlettered), ["given up without a dead letter"]);
    }
}
