//! Takes an update: it is written down first, and then it is handed on, answered here, or dropped.

use std::sync::Arc;
use std::time::Duration;

use business::{Admitted, Route};
use protocol::{Millis, Pin, SessionKey};
use teloxide_core::types::{ChatId, MessageId, Update};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::chat::Heard;
use super::joining::Joining;
use super::journal::Unanswered;
use super::questions::Press;
use super::read::{self, Came, Pressed};
use super::{Shared, commands, given, joining};
use crate::{Incoming, Origin, Outgoing, Said, Ticket};
use mind::slash::Ends;

/// How often strangers are mentioned in the log.
const MENTIONED: Duration = Duration::from_secs(60);

/// What is said in a group that has become a supergroup.
const MOVED: &str =
    "this group has another id at Telegram now, so our conversation begins anew here";

/// Takes `update`, unless it was taken before. `false` when the agent ends.
pub(super) async fn take(
    shared: &Arc<Shared>,
    update: Update,
    incoming: &mpsc::Sender<Incoming>,
    strangers: &mut Strangers,
) -> bool {
    let id = update.id.0;
    if shared.journal.knows(id) {
        return true;
    }
    if let Joining::Told(chat, message, why) = joining::look(&update, &shared.people) {
        shared.take(id, None);
        shared.tell(chat, Heard::Told(why, message));
        return true;
    }
    if let Some(chat) = joining::moved(&update, &shared.people) {
        shared.take(id, None);
        shared.tell(chat, Heard::Said(Outgoing::Notice(MOVED.to_owned())));
        return true;
    }
    let handed_on = match read::read(update, &shared.people) {
        Came::Message(said) => message(shared, id, said),
        Came::File(said, file) => {
            given::take(shared, id, (said, file), incoming);
            None
        }
        Came::Press(pressed) => press(shared, id, pressed),
        Came::Unread(chat, ..) if shared.people.is_muted(chat) => {
            shared.journal.pass(id);
            None
        }
        Came::Unread(chat, message, why) => {
            let customer = shared.people.customer(chat);
            shared.note(id, customer.as_ref(), None);
            // A customer hears it as often as there are answers.
            let admitted = customer.map(|key| shared.people.reception.admit_unread(&key));
            match admitted {
                None | Some(Admitted::Yes) => {
                    shared.tell(chat, Heard::Told(why.to_owned(), message));
                }
                Some(Admitted::Told(why) | Admitted::UsedUp(Some(why))) => {
                    shared.tell(chat, Heard::Told(why.to_owned(), message));
                }
                Some(Admitted::No | Admitted::UsedUp(None)) => {}
            }
            None
        }
        Came::Stranger => {
            shared.journal.pass(id);
            strangers.came();
            None
        }
        Came::Nothing => {
            shared.journal.pass(id);
            None
        }
    };
    match handed_on {
        Some(handed_on) => incoming.send(handed_on).await.is_ok(),
        None => true,
    }
}

fn message(shared: &Shared, update: u32, came: read::Said) -> Option<Incoming> {
    let read::Said { place, from, chat, message, .. } = came;
    let reception = &shared.people.reception;
    let route = reception.standing(&place.session).route();
    if route == Route::Skip {
        shared.journal.pass(update);
        return None;
    }
    if !place.session.is_owner() {
        reception.saw(&place.session, &came.name);
    }
    let is_new = reception.guests.is_new(&place.session);
    let is_greeted = is_new || reception.is_customer(&place.session);
    let text = commands::meant(came.text.trim(), &shared.me.username, is_greeted);
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        shared.note(update, Some(&place.session), None);
        return None;
    };
    // The kill switch comes late rather than never.
    let typed = Said::typed(&*text);
    let is_kill = typed.ends() == Ends::Everything;
    let age = Duration::from_secs(shared.client.age(came.date));
    // A PIN is taken away, however old it is. Digits alone are one while a question waits for it.
    let is_owners = place.session.is_owner();
    let is_near = shared.questions.wants_pin_of(from);
    let may_be_pin = Pin::stands_in(&text) && (is_owners || is_near);
    let is_pin = may_be_pin && (is_near || Pin::typed(&text).is_none());
    if is_pin {
        shared.tell(chat, Heard::Delete(message));
    }
    // What is only kept may be of any age, and whoever has joined is welcomed late rather than never.
    let is_kept = route == Route::Archive;
    if age > shared.timeout && !is_kill && !is_kept && !is_new {
        shared.note(update, Some(&place.session), None);
        shared.tell(chat, Heard::Told(too_old(age, shared.timeout), message));
        return None;
    }
    if is_pin && chat.0 < 0 {
        shared.note(update, Some(&place.session), None);
        shared.tell(chat, Heard::Told(in_a_group(), message));
        return None;
    }
    let ticket = Ticket::new();
    let said = match shared.questions.typed(&text, (from, &place), chat) {
        Some(decision) => Said::Answer(decision),
        None if typed.ends() == Ends::Turn && shared.is_busy(&place.session) => Said::Stop,
        None => typed,
    };
    if said.text().is_some() && !is_kept {
        shared.ask(ticket, (chat, message));
    }
    // What may be a PIN, whose question this process does not know any more, is kept nowhere.
    let waits = said.text().filter(|_| !may_be_pin && !is_kept);
    let waits = waits.map(|text| Unanswered::new(chat.0, message.0, text));
    shared.note(update, Some(&place.session), waits);
    let (session, from) = (place.session, place.principal);
    Some(Incoming { ticket, session, from, origin: Origin::Person, said })
}

fn in_a_group() -> String {
    let set = home::router_command("pin set");
    format!(
        "a PIN counts in our private chat alone, and others may have read this one: `{set}` where the router runs sets another"
    )
}

pub(super) fn too_old(age: Duration, timeout: Duration) -> String {
    format!(
        "this is {} s old, and nothing is done that is older than {} s; send it again if you still want it",
        age.as_secs(),
        timeout.as_secs()
    )
}

fn press(shared: &Shared, update: u32, pressed: Pressed) -> Option<Incoming> {
    let Pressed { place, press, from, chat, message, data } = pressed;
    shared.take(update, None);
    let (said, told) = match shared.questions.press(&data, from, (chat, message)) {
        Press::Answer(decision) => (Some(Said::Answer(decision)), "your answer is on its way"),
        Press::Dead => (None, "this button does nothing any more; /approvals shows what waits"),
    };
    let client = shared.client.clone();
    // Whether its press was seen matters to the button alone.
    tokio::spawn(async move { client.pressed(press, told).await });
    shared.tell(chat, Heard::Strip(message));
    let (session, from) = (place.session, place.principal);
    said.map(|said| Incoming { ticket: Ticket::new(), session, from, origin: Origin::Person, said })
}

impl Shared {
    /// Tells people what a killed agent did not answer, and the owner's log what is missing here.
    pub(super) fn greet(&self) {
        if !self.people.has_owner() {
            let mend = home::agent_command("config telegram");
            tracing::warn!("nobody is the owner on Telegram; run `{mend}`");
        }
        for waiting in self.journal.unanswered() {
            if self.people.is_muted(ChatId(waiting.chat)) {
                self.answered(ChatId(waiting.chat), MessageId(waiting.message));
                continue;
            }
            let is_owners = self.people.approver(ChatId(waiting.chat)).is_some();
            let did = if is_owners { "/did tells what was done. " } else { "" };
            let text = format!(
                "I was ended before I had answered this, and it was not run again: {}\n{did}Send it again if you \
                 still want it.",
                waiting.text
            );
            self.tell(ChatId(waiting.chat), Heard::Unanswered(text, MessageId(waiting.message)));
        }
    }

    /// Writes down that an update of `session` was taken, unless a stranger has written too much: a flood costs no disk.
    fn note(&self, update: u32, session: Option<&SessionKey>, message: Option<Unanswered>) {
        match session.is_some_and(|key| self.people.reception.is_flooded(key)) {
            true => self.journal.pass(update),
            false => self.take(update, message),
        }
    }

    /// Writes down that an update was taken. Where that is not possible the talk goes on: the next request says so to
    /// Telegram as well.
    pub(super) fn take(&self, update: u32, message: Option<Unanswered>) {
        if let Err(error) = self.journal.take(update, message, Millis::of_this_machine()) {
            tracing::warn!("{error}; after a crash a message may be taken twice");
        }
    }
}

/// Those who may not talk with the agent: they get nothing, and are mentioned now and then.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    count: usize,
    mentioned: Option<Instant>,
}

impl Strangers {
    fn came(&mut self) {
        self.count += 1;
        if self.mentioned.is_none_or(|at| at.elapsed() >= MENTIONED) {
            tracing::info!("Telegram: {} messages of strangers were not read", self.count);
            *self = Self { count: 0, mentioned: Some(Instant::now()) };
        }
    }
}
