//! What has come from the agent, up to its end: each id runs once, and nothing runs that nobody waits for.
//!
//! ```text
//!             take                     end
//!   Waiting ────────► Running(token) ────────► Ended(reply), kept for a while; a copy gets it again
//!     │  ▲               │                        ▲
//!     │  └── put_back ───┘                        │
//!     └── too late, taken back, too many, closing ┘
//! ```

use std::time::Instant;

use protocol::{MessageId, Outcome};
use protocol::{Millis, Reply, Stopped, json};
use serde_json::value::{RawValue, to_raw_value};
use tokio_util::sync::CancellationToken;

use super::known::{Known, State};
use super::label::Label;
use super::lanes::Lanes;
use crate::responder::Past;
use crate::unrun::{begun_before, draining, late, queue_full, taken_back, too_large};

/// All commands that a router's end knows of.
#[derive(Debug, Default)]
pub(super) struct Intake {
    lanes: Lanes<Waiting>,
    known: Known,
    /// Set once nothing will be handed over any more.
    closed: bool,
}

/// A command that has not ended.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) label: Label,
    /// The command as it came.
    pub(super) command: Box<RawValue>,
    /// Whether the router that had it before may have begun it.
    may_have_begun: bool,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Next {
    /// A command to hand over, and what tells that it was taken back.
    Run(Waiting, CancellationToken),
    /// The reply to one whose time is over.
    Late(Option<Box<RawValue>>),
}

impl Waiting {
    /// What has become of it before.
    pub(super) fn past(&self) -> Past {
        // The router that had it before is gone.
        let attempt = if self.label.resent { 2 } else { 1 };
        Past { attempt, may_have_begun: self.may_have_begun }
    }
}

impl Intake {
    /// Takes a command in, or gives the reply to it at once. A copy of one that is open is dropped: the reply to
    /// that one answers both.
    pub(super) fn accept(&mut self, command: Box<RawValue>, now: Instant) -> Option<Box<RawValue>> {
        let label = Label::read(command.get());
        let may_have_begun = label.resent;
        self.take_in(Waiting { label, command, may_have_begun }, now)
    }

    /// The same for one that a router before this one had and has not begun, if it is one that can't be done twice.
    pub(super) fn accept_unbegun(
        &mut self,
        command: Box<RawValue>,
        now: Instant,
    ) -> Option<Box<RawValue>> {
        let label = Label::read(command.get());
        self.take_in(Waiting { label, command, may_have_begun: false }, now)
    }

    fn take_in(&mut self, waiting: Waiting, now: Instant) -> Option<Box<RawValue>> {
        let Waiting { label, command, .. } = &waiting;
        match label.id.as_ref().and_then(|id| self.known.get(id, now)) {
            Some(State::Waiting | State::Running(_)) => return None,
            Some(State::Ended(reply)) => return Some(reply.clone()),
            Some(State::TakenBack) => return self.stop(label, taken_back(), now),
            None if self.closed => return raw(&reply(label, draining())),
            None => {}
        }
        if command.get().len() > json::MAX_BYTES {
            return self.stop(label, too_large(), now);
        }
        let (id, priority) = (label.id.clone(), label.priority);
        if let Err(waiting) = self.lanes.push(priority, waiting) {
            return self.stop(&waiting.label, queue_full(), now);
        }
        self.note(id.as_ref(), State::Waiting, now);
        None
    }

    /// Takes the command that is next out of its lane. `clock` is the time that deadlines are given in.
    pub(super) fn take(&mut self, clock: Millis, now: Instant) -> Option<Next> {
        let waiting = self.lanes.pop()?;
        Some(self.hand_over(waiting, clock, now))
    }

    /// Takes the next request to the router itself out of its lane, whatever waits before it.
    pub(super) fn take_own(&mut self, clock: Millis, now: Instant) -> Option<Next> {
        let waiting = self.lanes.remove(|waiting| waiting.label.is_own())?;
        Some(self.hand_over(waiting, clock, now))
    }

    fn hand_over(&mut self, waiting: Waiting, clock: Millis, now: Instant) -> Next {
        if waiting.label.deadline.is_some_and(|deadline| deadline <= clock) {
            return Next::Late(self.stop(&waiting.label, late(), now));
        }
        let cancelled = CancellationToken::new();
        self.note(waiting.label.id.as_ref(), State::Running(cancelled.clone()), now);
        Next::Run(waiting, cancelled)
    }

    /// Takes a command back: one that waits ends at once with the reply that is given here, one that runs is told,
    /// and one that has not come is not run when it comes.
    pub(super) fn cancel(&mut self, id: &MessageId, now: Instant) -> Option<Box<RawValue>> {
        match self.known.get(id, now) {
            Some(State::Waiting) => {
                let waiting = self.lanes.remove(|waiting| waiting.label.id.as_ref() == Some(id))?;
                return self.stop(&waiting.label, taken_back(), now);
            }
            Some(State::Running(token)) => token.cancel(),
            Some(State::TakenBack | State::Ended(_)) => {}
            None => self.known.set(id, State::TakenBack, now),
        }
        None
    }

    /// Ends a command that was handed over.
    pub(super) fn end(
        &mut self,
        label: &Label,
        reply: &Reply,
        now: Instant,
    ) -> Option<Box<RawValue>> {
        let reply = raw(reply)?;
        self.note(label.id.as_ref(), State::Ended(reply.clone()), now);
        Some(reply)
    }

    /// Takes back in what was handed over. When nothing is handed over any more it ends with `draining`.
    pub(super) fn put_back(
        &mut self,
        waiting: Waiting,
        draining: &Reply,
        now: Instant,
    ) -> Option<Box<RawValue>> {
        if self.closed {
            return self.end(&waiting.label, draining, now);
        }
        self.note(waiting.label.id.as_ref(), State::Waiting, now);
        self.lanes.put_back(waiting.label.priority, waiting);
        None
    }

    /// Hands over nothing from now on, and ends what still waits: it was never begun, and nobody will come back
    /// for it.
    pub(super) fn close(&mut self, now: Instant) -> Vec<Box<RawValue>> {
        self.closed = true;
        let mut replies = Vec::new();
        while let Some(waiting) = self.lanes.pop() {
            replies.extend(self.stop(&waiting.label, draining(), now));
        }
        replies
    }

    /// Ends a command that was not handed over.
    fn stop(&mut self, label: &Label, stopped: Stopped, now: Instant) -> Option<Box<RawValue>> {
        self.end(label, &reply(label, stopped), now)
    }

    fn note(&mut self, id: Option<&MessageId>, state: State, now: Instant) {
        if let Some(id) = id {
            self.known.set(id, state, now);
        }
    }
}

/// The reply to a command that this router has not begun. One before it may have.
fn reply(label: &Label, stopped: Stopped) -> Reply {
    let stopped = if label.resent { begun_before(stopped) } else { stopped };
    Reply::new(label.id.clone(), &label.action, Outcome::Stopped(stopped))
}

/// The reply as it is written. Plain data always has a JSON form.
fn raw(reply: &Reply) -> Option<Box<RawValue>> {
    to_raw_value(&reply.fields).ok()
}

#[cfg(test)]
mod tests {
    use protocol::{Done, WAITING_MOST};
    use serde_json::{Value, json};

    use super::*;

    const CLOCK: Millis = Millis(1_000);

    fn command(id: &str, more: Value) -> Box<RawValue> {
        let mut command = json!({"message_id": id, "action": "ECHO", "params": {}});
        command.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        to_raw_value(&command).unwrap()
    }

    fn accept(intake: &mut Intake, id: &str, more: Value) -> Option<Value> {
        read(intake.accept(command(id, more), Instant::now()))
    }

    fn read(reply: Option<Box<RawValue>>) -> Option<Value> {
        reply.map(|reply| serde_json::from_str(reply.get()).unwrap())
    }

    fn code(reply: Option<Value>) -> Option<String> {
        Some(reply?["error"]["code"].as_str().unwrap().to_owned())
    }

    fn take(intake: &mut Intake) -> (Waiting, CancellationToken) {
        match intake.take(CLOCK, Instant::now()) {
            Some(Next::Run(waiting, cancelled)) => (waiting, cancelled),
            other => panic!("nothing to run: {other:?}"),
        }
    }

    fn end(intake: &mut Intake, waiting: &Waiting) -> Option<Value> {
        let reply = Reply::new(waiting.label.id.clone(), "ECHO", Done::default().into());
        read(intake.end(&waiting.label, &reply, Instant::now()))
    }

    #[test]
    fn copies_are_dropped_while_it_is_open_and_get_its_reply_afterwards() {
        let mut intake = Intake::default();
        assert_eq!(accept(&mut intake, "m1", json!({})), None);
        assert_eq!(accept(&mut intake, "m1", json!({})), None);
        let (waiting, _) = take(&mut intake);
        assert_eq!(accept(&mut intake, "m1", json!({"resent": true})), None);
        assert!(intake.take(CLOCK, Instant::now()).is_none(), "one id is handed over once");
        let reply = end(&mut intake, &waiting);
        assert!(reply.is_some());
        assert_eq!(accept(&mut intake, "m1", json!({"resent": true})), reply);
        assert!(intake.take(CLOCK, Instant::now()).is_none());
    }

    #[test]
    fn one_that_is_sent_again_and_not_known_may_have_been_begun() {
        let mut intake = Intake::default();
        accept(&mut intake, "m1", json!({}));
        accept(&mut intake, "m2", json!({"resent": true}));
        intake.accept_unbegun(command("m2b", json!({"resent": true})), Instant::now());
        let past = |attempt, may_have_begun| Past { attempt, may_have_begun };
        assert_eq!(take(&mut intake).0.past(), past(1, false));
        assert_eq!(take(&mut intake).0.past(), past(2, true));
        assert_eq!(take(&mut intake).0.past(), past(2, false));
        accept(&mut intake, "m3", json!({"resent": true, "deadline": 1}));
        let Some(Next::Late(reply)) = intake.take(CLOCK, Instant::now()) else { panic!("it ran") };
        assert_eq!(read(reply).unwrap()["maybe_executed"], true);
    }

    #[test]
    fn what_comes_too_late_is_not_handed_over() {
        let mut intake = Intake::default();
        accept(&mut intake, "m1", json!({"deadline": 1_000}));
        accept(&mut intake, "m2", json!({"deadline": 1_001}));
        let Some(Next::Late(reply)) = intake.take(CLOCK, Instant::now()) else { panic!("it ran") };
        let reply = read(reply);
        assert_eq!(reply.as_ref().unwrap().get("maybe_executed"), None);
        assert_eq!(accept(&mut intake, "m1", json!({})), reply);
        assert_eq!(code(reply).as_deref(), Some("deadline"));
        assert_eq!(take(&mut intake).0.label.id, MessageId::new("m2").ok());
    }

    #[test]
    fn one_can_be_taken_back_before_it_comes_while_it_waits_and_while_it_runs() {
        let (mut intake, now) = (Intake::default(), Instant::now());
        let [early, waits, runs] = ["early", "waits", "runs"].map(|id| MessageId::new(id).unwrap());
        assert!(intake.cancel(&early, now).is_none());
        assert_eq!(code(accept(&mut intake, "early", json!({}))).as_deref(), Some("cancelled"));
        accept(&mut intake, "runs", json!({}));
        let (_, cancelled) = take(&mut intake);
        assert!(!cancelled.is_cancelled() && intake.cancel(&runs, now).is_none());
        assert!(cancelled.is_cancelled());
        accept(&mut intake, "waits", json!({}));
        assert_eq!(code(read(intake.cancel(&waits, now))).as_deref(), Some("cancelled"));
        assert!(intake.take(CLOCK, now).is_none(), "what was taken back is not handed over");
    }

    #[test]
    fn too_many_and_too_large_ones_are_answered_at_once() {
        let mut intake = Intake::default();
        for n in 0..WAITING_MOST {
            assert_eq!(accept(&mut intake, &format!("m{n}"), json!({})), None);
        }
        assert_eq!(code(accept(&mut intake, "over", json!({}))).as_deref(), Some("queue_full"));
        assert_eq!(accept(&mut intake, "urgent", json!({"priority": 2})), None);
        let large = json!({"params": {"text": "x".repeat(json::MAX_BYTES)}});
        let reply = accept(&mut intake, "large", large).unwrap();
        assert_eq!((&reply["message_id"], &reply["action"]), (&json!("large"), &json!("ECHO")));
        assert_eq!(code(Some(reply)).as_deref(), Some("too_large"));
    }

    #[test]
    fn what_is_put_back_is_next_and_at_the_end_it_is_answered() {
        let (mut intake, now) = (Intake::default(), Instant::now());
        for id in ["m1", "m2"] {
            accept(&mut intake, id, json!({}));
        }
        let draining = |waiting: &Waiting| reply(&waiting.label, draining());
        let (waiting, _) = take(&mut intake);
        let answer = draining(&waiting);
        assert!(intake.put_back(waiting, &answer, now).is_none());
        let (waiting, _) = take(&mut intake);
        assert_eq!(
            (waiting.label.id.as_ref().unwrap().as_str(), waiting.past().attempt),
            ("m1", 1)
        );
        let rest: Vec<_> =
            intake.close(now).into_iter().map(|reply| code(read(Some(reply)))).collect();
        assert_eq!(rest, [Some("draining".to_owned())]);
        let answer = draining(&waiting);
        assert_eq!(code(read(intake.put_back(waiting, &answer, now))).as_deref(), Some("draining"));
        assert_eq!(code(accept(&mut intake, "m3", json!({}))).as_deref(), Some("draining"));
    }
}
