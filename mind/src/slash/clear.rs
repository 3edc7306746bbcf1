//! `/clear`: forgets what was said and done. `/new`: puts it away and begins another conversation. Either way the router opens a
//! new account with clean bits.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;

use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Clear;

#[derive(Debug)]
struct New;

pub(super) fn read(rest: &str) -> Read {
    if rest.is_empty() {
        return Ok(Arc::new(Clear));
    }
    Err("/clear forgets this conversation, and nothing stands behind it; /delete NUMBER removes another one".to_owned())
}

pub(super) fn read_new(rest: &str) -> Read {
    if rest.is_empty() {
        return Ok(Arc::new(New));
    }
    Err("nothing stands behind /new; /rename TITLE gives a conversation a title".to_owned())
}

#[async_trait]
impl Perform for Clear {
    async fn perform(&self, at: At<'_>) {
        // What was put away of it before is forgotten, too.
        let number = at.session.files.chat.read().number;
        let removed = number.map_or(Ok(false), |number| at.session.files.chats().remove(number));
        match removed.and_then(|_| at.session.begin_afresh(None)) {
            Ok(()) => {
                at.outbox.say(Outgoing::Switched);
                at.text("What was said and done is forgotten; the memory is kept.");
            }
            Err(error) => at.fault(error),
        }
    }
}

#[async_trait]
impl Perform for New {
    async fn perform(&self, at: At<'_>) {
        let before = match at.session.put_away(None) {
            Err(error) => return at.fault(format!("{error}; this conversation goes on")),
            Ok(before) => before,
        };
        if let Err(error) = at.session.begin_afresh(before) {
            return at.fault(error);
        }
        at.outbox.say(Outgoing::Switched);
        if let Some(number) = before {
            at.text(format!("The conversation is put away; /open {number} goes on with it."));
        }
        at.text("This is a new one. What is remembered is kept.");
    }
}
