//! What a session takes in that no turn answers: jobs of the clock that are due, what is said in a silent chat, and what the
//! owner says in the chat of another.

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

    /// Takes in what is said in a chat that is silent.
    pub(super) fn overhear(&mut self, text: &str) {
        self.takes_in(text);
        self.record(self.origin.into(), self.principal.as_str(), text);
        self.remember(text, "");
    }

    /// Says what the owner says to the people here, and takes it into the conversation.
    pub(super) fn reply(&mut self, text: String, outbox: &Outbox) {
        self.record(Role::Assistant, self.principal.as_str(), &text);
        self.files.history.hold(|history| history.add("[a person of the team answers]", &text));
        outbox.say(Outgoing::Text(text));
    }

    /// What the model is told to do now. The addresses that a person had typed for it are typed.
    pub(super) fn told_to_do(&mut self, due: Due) -> Said {
        self.entered.were_typed(due.typed.iter().map(String::as_str));
        Said::Message(due.text)
    }
}
