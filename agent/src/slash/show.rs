//! What slash commands show.

use std::fmt::Write;
use std::sync::Arc;

use protocol::Object;
use serde_json::Value;

use super::{COMMANDS, guest, model, usage};
use crate::mind::Mind;
use crate::session::Session;
use crate::workspace::Cards;

/// Every command that one may use here: the owner, or a guest.
pub(super) fn help(is_owner: bool) -> String {
    let mut text = String::from("Say what you want in your own words, or use a command:\n");
    let first =
        |usage: &str| usage.split(' ').next().is_some_and(|word| guest::OWNERS.contains(&word));
    for (usage, about) in COMMANDS.into_iter().filter(|(usage, _)| is_owner || !first(usage)) {
        // Writing to a String can't fail.
        let _ = writeln!(text, "  {usage:<22} {about}");
    }
    let ends = "Ctrl-C stops an answer; quit, exit or q ends the chat.";
    text.push_str(if is_owner { ends } else { "What else there is, only the owner may use." });
    text
}

pub(super) fn actions(cards: &[Arc<Cards>; 2]) -> String {
    let mut text = String::new();
    for card in cards.iter().flat_map(|cards| &cards.0) {
        let params: Vec<String> = card
            .params
            .keys()
            .map(
                |name| if card.optional.contains(name) { format!("{name}?") } else { name.clone() },
            )
            .collect();
        let _ = writeln!(text, "{} {{{}}}", card.name, params.join(", "));
        let _ = writeln!(text, "  {}", card.instruction);
        if let Some(example) = card.examples.first() {
            let _ = writeln!(text, "  e.g. {}", example.say);
        }
    }
    if cards[1].0.is_empty() {
        text.push_str("The router has no skills, or none is connected.");
    }
    text
}

pub(super) fn status(mind: &Mind, session: &Session) -> String {
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
    let [local, routed] = mind.cards().map(|cards| cards.0.len());
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

pub(super) fn fields(fields: &Object) -> String {
    format!("{:#}", Value::Object(fields.clone()))
}
