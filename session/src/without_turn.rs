//! What a session takes in that no turn answers: jobs of the clock that are due, what is said in a silent chat, and what the
//! owner says in the chat of another.

use conversation::message::{Outgoing, Receipt, Ticket};
use journal::Role;
use schedule::Due;

use super::{Outbox, Session};

impl Session {
    /// Tells people what is due, unless that has been said while a turn ran, and takes it into the conversation, so that they can
    /// speak of it.
    pub fn remind(&mut self, (ticket, receipt): (Ticket, Receipt), due: &Due, outbox: &Outbox) {
        if !due.is_told {
            outbox.say(Outgoing::Reminder { ticket, text: due.text.clone(), receipt });
        }
        self.entered.raise(due.bits, self.origin.name());
        self.record(Role::Clock, self.principal.as_str(), &due.text);
        let heard = format!("[{} is due]", due.id);
        self.files.history.hold(|history| history.add(heard, due.text.clone()));
    }

    /// Takes in what is said in a chat that is silent.
    pub fn overhear(&mut self, text: &str) {
        self.takes_in(text);
        self.record(self.origin.into(), self.principal.as_str(), text);
        self.remember(text, "");
    }

    /// Says what the owner says to the people here, and takes it into the conversation.
    pub fn reply(&mut self, text: String, receipt: Receipt, outbox: &Outbox) {
        self.record(Role::Assistant, self.principal.as_str(), &text);
        self.files.history.hold(|history| history.add("[a person of the team answers]", &text));
        outbox.say(Outgoing::Reminder { ticket: Ticket::new(), text, receipt });
    }
}
