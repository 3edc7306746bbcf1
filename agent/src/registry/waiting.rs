//! What people have said while a turn runs.

use std::collections::VecDeque;

use channel::Incoming;
use conversation::message::{Outgoing, Ticket};
use session::Outbox;

/// How many messages of one session may wait.
pub(super) const WAITING: usize = 16;

/// What waits for the turn that runs, in its order.
#[derive(Debug, Default)]
pub(super) struct Waiting(VecDeque<Incoming>);

impl Waiting {
    /// Takes one more thing, unless too many messages wait; whoever said it learns what has become of it.
    pub(super) fn push(&mut self, incoming: Incoming, outbox: &Outbox) {
        let ticket = incoming.ticket;
        if !is_message(&incoming) {
            return self.0.push_back(incoming);
        }
        let ahead = self.0.iter().filter(|waiting| is_message(waiting)).count();
        if ahead >= WAITING {
            return outbox.say(refused(ticket));
        }
        self.0.push_back(incoming);
        // The turn that runs stands before it, too.
        outbox.say(Outgoing::Queued { ticket, ahead: ahead + 1 });
    }

    /// Puts something before everything else.
    pub(super) fn push_front(&mut self, incoming: Incoming) {
        self.0.push_front(incoming);
    }

    /// What comes next.
    pub(super) fn pop(&mut self) -> Option<Incoming> {
        self.0.pop_front()
    }
}

/// The word on a message for which there is no room.
pub(super) fn refused(ticket: Ticket) -> Outgoing {
    let why = format!("{WAITING} messages wait here already; say it again once they are answered");
    Outgoing::Refused { ticket, why }
}

fn is_message(incoming: &Incoming) -> bool {
    incoming.said.text().is_some()
}
