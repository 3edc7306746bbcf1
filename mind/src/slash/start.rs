//! `/start`: what Telegram says when a chat is opened. A customer is greeted, and everybody else sees the commands.

use std::sync::Arc;

use async_trait::async_trait;

use super::help;
use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Start;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Start))
}

#[async_trait]
impl Perform for Start {
    async fn perform(&self, at: At<'_>) {
        let reception = &at.mind.reception;
        let greeting = reception.profile().greeting.clone();
        if !greeting.is_empty() && reception.is_customer(&at.session.key) {
            return at.text(greeting);
        }
        if let Ok(help) = help::read("") {
            help.perform(at).await;
        }
    }
}
