//! `/start`: what Telegram says when a chat is opened. A customer is greeted, whoever has just joined with a code is welcomed, and
//! everybody else sees the commands.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;
use protocol::SessionKey;

use super::help;
use super::perform::{At, Perform, Read};
use super::unpair::id;

#[derive(Debug)]
struct Start;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Start))
}

#[async_trait]
impl Perform for Start {
    async fn perform(&self, at: At<'_>) {
        let (reception, key) = (&at.mind.reception, &at.session.key);
        let greeting = reception.profile().greeting.clone();
        if !greeting.is_empty() && reception.is_customer(key) {
            return at.text(greeting);
        }
        if reception.guests.welcome(key) {
            let told = format!(
                "{} has joined with your code and may talk with the agent as a guest; /unpair {} ends that",
                reception.name(key),
                id(key.as_str())
            );
            at.outbox.say_in(&SessionKey::owner(), Outgoing::Notice(told));
            at.text("You are in. This conversation is yours alone; its owner may read it.");
        }
        if let Ok(help) = help::read("") {
            help.perform(at).await;
        }
    }
}
