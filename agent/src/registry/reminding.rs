//! Jobs of the clock that are due, as the session takes them in.

use crate::channel::Said;
use crate::message::{Outgoing, Ticket};
use crate::session::{Outbox, Session};
use journal::Role;
use schedule::Due;

impl Session {
    /// Tells people what is due, unless that has been said while a turn ran, and takes it into the conversation, so that they can
    /// speak of it.
    pub(super) fn remind(&mut self, ticket: Ticket, due: &Due, outbox: &Outbox) {
        if !due.is_told {
            outbox.say(Outgoing::Reminder { ticket, text: due.text.clone() });
        }
        self.entered.raise(due.bits, self.origin.name());
        self.record(Role::Clock, self.principal.as_str(), &due.text);
        let heard = format!("[{} is due]", due.id);
        self.files.history.hold(|history| history.add(heard, due.text.clone()));
    }

    /// What the model is told to do now. The addresses that a person had typed for it are typed.
    pub(super) fn told_to_do(&mut self, due: Due) -> Said {
        self.entered.were_typed(due.typed.iter().map(String::as_str));
        Said::Message(due.text)
    }
}
