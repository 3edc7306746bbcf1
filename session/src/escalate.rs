//! A customer's question is passed on to a person.

use business::{Escalation, Reception};
use conversation::message::{Outgoing, Receipt, Ticket};

use super::{Outbox, Session};

impl Session {
    /// Tells a person of the customer's `question`. What the customer hears of it is said elsewhere.
    pub fn escalate(&self, reception: &Reception, question: &str, outbox: &Outbox) {
        let customer = reception.name(&self.key);
        let escalation = Escalation { chat: &self.key, customer: &customer, question };
        tracing::info!(session = %self.key, "a customer's question is passed on to a person");
        // It stands in a file until it is answered, whoever has heard it.
        let (receipt, _) = Receipt::new();
        let told = Outgoing::Reminder { ticket: Ticket::new(), text: escalation.line(), receipt };
        outbox.say_in(&reception.told(), told);
    }

    /// Answers `question` without a model: it is passed on, and the customer hears that.
    pub fn hand_over(&mut self, reception: &Reception, question: &str, outbox: &Outbox) {
        let profile = reception.profile();
        outbox.say(Outgoing::Text(profile.handed_over().to_owned()));
        self.escalate(reception, question, outbox);
        self.remember(question, profile.handed_over());
    }
}
