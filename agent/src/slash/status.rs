//! `/status`: shows what is connected and how full things are.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use super::{model, usage};
use crate::mind::Mind;
use crate::session::Caller;
use crate::workspace::{Cards, Entered};

#[derive(Debug)]
struct Status;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Status))
}

#[async_trait]
impl Perform for Status {
    async fn perform(&self, at: At<'_>) {
        let session = &*at.session;
        let mut latest = String::new();
        if let Some(usage) = &session.usage {
            let _ = writeln!(latest, "{}", usage::lines(usage));
        }
        if let Some(why) = session.failure.as_ref().and_then(|why| why.lines().next()) {
            let _ = writeln!(latest, "the last turn failed: {why}");
        }
        let cards = at.mind.cards_for(session);
        at.text(status(at.mind, cards, &Caller::of(session), &latest));
    }

    fn aside(&self, mind: &Mind, caller: &Caller) -> Option<String> {
        Some(status(mind, mind.cards(), caller, "a message is being answered now\n"))
    }
}

/// The standing of the session of `caller`; `latest` are the lines on what was answered last.
fn status(mind: &Mind, cards: [Arc<Cards>; 2], caller: &Caller, latest: &str) -> String {
    let mut text = String::new();
    let is_owners = caller.session.is_owner();
    if is_owners {
        text.push_str(&mind.found.join("\n"));
        let _ = write!(text, "\nmodels are {}\n", model::standings(&mind.model.chain()));
    }
    text.push_str(latest);
    let [local, routed] = cards.map(|cards| cards.0.len());
    let files = &caller.files;
    let _ = write!(
        text,
        "actions: {local} of the agent, {routed} of the router\nmemory: {} keys; history: {} entries\n\
         this conversation ({}): {}{}",
        files.memory.read().facts.len(),
        files.history.read().entries().len(),
        caller.session,
        entered(&caller.entered),
        sources(caller.entered.sources()),
    );
    if is_owners {
        let _ = write!(text, "\nworkspace: {}", files.folder().display());
    }
    text
}

fn entered(entered: &Entered) -> &'static str {
    match String::from(entered.taint()).as_str() {
        "" => "nothing that others wrote and nothing private has come in",
        "T" => "text that others wrote has come in",
        "P" => "private data has come in",
        _ => "text that others wrote and private data have come in",
    }
}

fn sources(sources: &[String]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    format!(", from {}; /clear starts afresh", sources.join(", "))
}
