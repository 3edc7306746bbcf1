//! `/status`: shows what is connected and how full things are.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;

use super::perform::{At, Perform, Read};
use super::{model, usage};
use crate::mind::Mind;
use crate::session::Session;

#[derive(Debug)]
struct Status;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Status))
}

#[async_trait]
impl Perform for Status {
    async fn perform(&self, at: At<'_>) {
        at.text(status(at.mind, at.session));
    }
}

fn status(mind: &Mind, session: &Session) -> String {
    let mut text = String::new();
    if session.is_owners() {
        text.push_str(&mind.found.join("\n"));
        let _ = write!(text, "\nmodels are {}\n", model::standings(&mind.model.chain()));
    }
    if let Some(usage) = &session.usage {
        let _ = writeln!(text, "{}", usage::lines(usage));
    }
    if let Some(why) = session.failure.as_ref().and_then(|why| why.lines().next()) {
        let _ = writeln!(text, "the last turn failed: {why}");
    }
    let [local, routed] = mind.cards_for(session).map(|cards| cards.0.len());
    let files = &session.files;
    let _ = write!(
        text,
        "actions: {local} of the agent, {routed} of the router\nmemory: {} keys; history: {} entries\n\
         session {}: {}{}",
        files.memory.read().facts.len(),
        files.history.read().entries().len(),
        session.key,
        entered(session),
        sources(session.entered.sources()),
    );
    if session.is_owners() {
        let _ = write!(text, "\nworkspace: {}", files.folder().display());
    }
    text
}

fn entered(session: &Session) -> &'static str {
    match String::from(session.entered.taint()).as_str() {
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
