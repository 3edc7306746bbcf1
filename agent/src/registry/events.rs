//! The router's own words to a session: notices, and results of what was asked about.

use action::hand_over;
use broker::Subscriber;
use conversation::message::Outgoing;
use conversation::observation::Observation;
use conversation::question::Question;
use conversation::ran::Ran;
use mind::Mind;
use mind::slash::{SlashCommand, told_of};
use protocol::{ActionName, Event, EventKind, Object, Outcome, Reply};
use serde_json::Value;
use session::{HeldBack, Outbox, PendingAction, Session};
use tokio::sync::mpsc;

/// Takes the router's words to one session in. A notice is said at once, also while a turn runs, so that it comes before the
/// failure that it explains; the others wait for the end of the turn.
#[derive(Debug)]
pub(super) struct RouterWords {
    pub(super) outbox: Outbox,
    pub(super) others: mpsc::UnboundedSender<Event>,
}

impl Subscriber for RouterWords {
    fn hear(&self, event: Event) {
        if event.event == EventKind::Notice {
            event.text.into_iter().for_each(|text| self.outbox.say(Outgoing::Notice(text)));
        } else {
            self.others.hear(event);
        }
    }

    fn has_left(&self) -> bool {
        self.others.has_left()
    }
}

/// Takes in a result that comes later than its turn. Gives what is to be done now because a person has said yes to it.
#[must_use]
pub(super) fn hear(
    session: &mut Session,
    mind: &Mind,
    event: Event,
    outbox: &Outbox,
) -> Option<PendingAction> {
    let fields = event.reply.filter(|_| event.event == EventKind::Result)?;
    let question = session.settle(event.message_id.as_ref());
    let action = fields.get("action").and_then(|action| action.as_str());
    let action = ActionName::new(action.unwrap_or_default()).ok()?;
    session.awaited = session.awaited.saturating_sub(1);
    let pending = event.message_id.and_then(|id| session.take_pending(&id));
    let late = LateResult { action, fields, question, pending };
    take_result(session, mind, late, outbox)
}

/// Takes in at the end what the router has said by now, which stands nowhere else any more.
pub(super) fn hear_the_rest(
    session: &mut Session,
    mind: &Mind,
    events: &mut mpsc::UnboundedReceiver<Event>,
    outbox: &Outbox,
) {
    events.close();
    while let Ok(event) = events.try_recv() {
        if hear(session, mind, event, outbox).is_some() {
            let told = "an action is permitted, and SafeClaw ends before it is done; say again what you want";
            outbox.say(Outgoing::Notice(told.to_owned()));
        }
    }
}

fn take_result(
    session: &mut Session,
    mind: &Mind,
    result: LateResult,
    outbox: &Outbox,
) -> Option<PendingAction> {
    let LateResult { action, fields, question, pending } = result;
    let observation = Observation::of_reply(action, Reply::from_fields(fields));
    let observation = hand_over(observation, &session.files, Some(outbox));
    let is_permission =
        observation.action.is_local() && matches!(observation.outcome, Outcome::Done(_));
    // A question that was answered here has been said to be settled.
    let settled = question.map(|question| {
        let how = question.ended(&observation.line());
        Outgoing::Settled { id: question.id, how }
    });
    if is_permission {
        settled.into_iter().for_each(|settled| outbox.say(settled));
        if pending.is_none() {
            let told = format!("{}: permitted; say again what you want", observation.action);
            outbox.say(Outgoing::Notice(told));
        }
        return pending;
    }
    // Another process, or this one before it was started anew, has asked.
    let is_unknown = pending.is_none();
    // The command that a person typed for it tells it in its own words, now or behind the next question.
    let (command, ran) = match pending.map(|pending| pending.held) {
        Some(HeldBack::Command(command)) => (Some(command), None),
        Some(HeldBack::Action(action)) => (None, Ran::of(&action)),
        None => (None, None),
    };
    let observation = match ran {
        Some(ran) => ran.told(observation, settings::words()),
        None => observation,
    };
    let ended = Outgoing::Action(observation.ended(mind.by_name));
    let (ended, all) = match (&command, &observation.outcome) {
        (Some(command), Outcome::Done(done)) => {
            let command = SlashCommand::read(command);
            let told = command.and_then(|command| command.told(&done.result));
            // Without words of its own it is shown whole, behind how it ended.
            let ended = told.is_none().then_some(ended);
            (ended, told.or_else(|| observation.brought().ok()).map(Outgoing::Text))
        }
        (None, Outcome::Done(done)) if is_unknown => {
            let told = told_of(&observation.action, &done.result);
            (told.is_none().then_some(ended), told.map(Outgoing::Text))
        }
        _ => (Some(ended), None),
    };
    let exit_code = observation.fields.get("exit_code").and_then(Value::as_i64);
    let failed = observation.has_failed() || exit_code.is_some_and(|code| code != 0);
    let failed = failed.then_some(Outgoing::Failed);
    let next = observation.question().map(Outgoing::Question);
    if let (Some(command), Some(_)) = (command, &next) {
        session.hold_command(&observation, command);
    }
    let observation = mind.actions.set_aside(observation, &session.files);
    session.observe(&observation, &mind.cards());
    // Whoever hears that it has ended may look at once at what has come in by it.
    mind.standing.note(session);
    let said = ended.into_iter().chain(all).chain(next).chain(settled).chain(failed);
    said.for_each(|said| outbox.say(said));
    session.observed_later(observation.fields);
    drop(session.keep(outbox));
    None
}

/// Says what the session's files have to say, and to the owner what the agent's own have.
pub(super) fn pass_notices_on(session: &Session, mind: &Mind, outbox: &Outbox) {
    let files = session.files.take_notices();
    let own = if session.is_owners() { mind.workspace.take_notices() } else { Vec::new() };
    for notice in files.into_iter().chain(own) {
        outbox.say_fault(notice.to_string());
    }
}

/// The result of an action that was asked about, with what was known of it.
struct LateResult {
    action: ActionName,
    fields: Object,
    question: Option<Question>,
    pending: Option<PendingAction>,
}
