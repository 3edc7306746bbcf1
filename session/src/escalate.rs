//! A customer's question is passed on to a person.

use std::collections::BTreeSet;
use std::sync::Arc;

use business::Reception;
use conversation::message::{Outgoing, Receipt, Ticket};

use super::{Outbox, Session};

impl Session {
    /// Tells a person of the customer's `question`. What the customer hears of it is said elsewhere.
    pub fn escalate(&self, reception: &Arc<Reception>, question: &str, outbox: &Outbox) {
        tracing::info!(session = %self.key, "a customer's question is passed on to a person");
        // It is open until it is answered, whoever hears it now.
        let (ticket, (receipt, _)) = (Ticket::new(), Receipt::new());
        let text = reception.escalate(&self.key, question);
        keep_reception(reception);
        outbox.say_in(&reception.told(), Outgoing::Reminder { ticket, text, receipt });
    }

    /// Answers `question` without a model: it is passed on, and the customer hears that.
    pub fn hand_over(&mut self, reception: &Arc<Reception>, question: &str, outbox: &Outbox) {
        let profile = reception.profile();
        outbox.say(Outgoing::Text(profile.handed_over().to_owned()));
        self.escalate(reception, question, outbox);
        self.remember(question, profile.handed_over());
    }

    /// Says whose questions are open at the start of the owner's session to the person who is told of questions.
    pub fn tell_open_escalations(&self, reception: &Reception, outbox: &Outbox) {
        let escalations = reception.escalations();
        let chats: BTreeSet<&str> =
            escalations.all().iter().map(|open| open.chat.as_str()).collect();
        if !self.is_owners() || chats.is_empty() {
            return;
        }
        let chats = chats.into_iter().collect::<Vec<_>>().join(", ");
        let told = format!(
            "questions of customers wait for a person, in {chats}; /status shows the latest, and `/reply CHAT TEXT` answers"
        );
        outbox.say_in(&reception.told(), Outgoing::Notice(told));
    }
}

/// Brings to the disk what is held of chats and of questions for a person, beside whatever is next.
pub fn keep_reception(reception: &Arc<Reception>) {
    let reception = Arc::clone(reception);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = reception.keep() {
            tracing::warn!("{error}; what is known of customers is so until the agent ends");
        }
    });
}
