//! `/web`: gives a link that signs the owner's browser in on the page. Whoever has the link is the owner, so it goes to the place
//! alone where it was asked for, and is kept nowhere.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;
use protocol::Millis;

use super::perform::{At, Perform, Read};

/// The places where the owner is alone: the console, and the owner's own chat.
const PRIVATE: [&str; 2] = ["console:", "telegram:"];

#[derive(Debug)]
struct Web;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Web))
}

#[async_trait]
impl Perform for Web {
    async fn perform(&self, at: At<'_>) {
        let Some(links) = &at.mind.links else {
            let on = home::agent_command("config http 127.0.0.1:8787");
            return at.notice(format!("the page is off; `{on}` turns it on for the next start"));
        };
        if let Some(why) = at.mind.lost.why("http") {
            return at.notice(format!("the page is off: {why}; then start again"));
        }
        let who = &at.session.principal;
        if !at.session.origin.is_person() || !PRIVATE.iter().any(|at| who.as_str().starts_with(at))
        {
            return at.notice("a link is given at the console, and in your own chat with the bot");
        }
        let links = links.make(Millis::of_this_machine()).join("\n");
        let told = format!("Open this within ten minutes; it works once:\n{links}");
        at.outbox.whisper(who, Outgoing::Text(told));
    }
}
