//! What a person's words mean where something waits for a short answer: a PIN, a choice, or the next line of a set-up.

use channel::Said;
use conversation::message::{Origin, Outgoing, Ticket};
use conversation::question::Decision;
use mind::answering;
use mind::slash::SlashCommand;
use protocol::{Pin, Principal};

use super::task::SessionTask;

impl SessionTask {
    /// What a person's digits are where a question waits for the PIN, or has waited for it: nothing that is kept or shown to a
    /// model. They are the answer to the latest one of this very chat, or it is said why they are none.
    pub(super) async fn pin(&mut self, text: &str) -> Option<Result<Decision, String>> {
        let pin = Pin::typed(text)?;
        if !self.session.is_owners() || !self.session.origin.is_person() {
            return None;
        }
        let open = answering::open_questions(&self.session, &self.mind).await;
        let open = open.unwrap_or_else(|_| self.session.questions.clone());
        let (key, principal) = (&self.session.key, &self.session.principal);
        let mut latest = open.iter().rev().filter(|question| question.wants_pin).peekable();
        let elsewhere = latest.peek().map(|question| {
            let id = question.short();
            format!(
                "question {id} was asked in another chat: enter the PIN there, or here with /approve {id} PIN"
            )
        });
        if let Some(question) = latest.find(|question| question.wants_pin_of(key, principal)) {
            return Some(Ok(question.answered_with(pin)));
        }
        let was_asked = std::mem::take(&mut self.session.was_asked_for_pin);
        let over = || "no question waits for your PIN any more".to_owned();
        let why = elsewhere.or_else(|| was_asked.then(over))?;
        Some(Err(format!("{why}; what you typed was given to nobody")))
    }

    /// Passes a PIN on that came as a message.
    pub(super) async fn take_pin(
        &mut self,
        (ticket, from): (Ticket, Principal),
        given: Result<Decision, String>,
    ) {
        self.outbox.say(Outgoing::Begin { ticket, from, text: "(a PIN)".to_owned() });
        match given {
            Ok(given) => {
                answering::answer(&mut self.session, &self.mind, given, &self.outbox).await
            }
            Err(why) => {
                self.outbox.say(Outgoing::Notice(why));
                self.outbox.say(Outgoing::Failed);
            }
        }
        self.outbox.say(Outgoing::End);
    }

    /// What a person's words mean where a command waits for a short answer.
    pub(super) fn meant(&mut self, text: String) -> Said {
        if self.session.setup.is_some() && self.session.origin == Origin::Person {
            return Said::Command(SlashCommand::answer_to_setup(text));
        }
        let choices = std::mem::take(&mut self.session.choices);
        let is_chosen = |(answer, _): &(String, String)| answer.eq_ignore_ascii_case(text.trim());
        match choices.into_iter().find(is_chosen) {
            Some((_, command)) if self.session.origin == Origin::Person => Said::typed(command),
            _ => Said::Message(text),
        }
    }
}
