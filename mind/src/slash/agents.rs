//! `/agents`: lists the personas.

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;
use session::Session;

use super::perform::{At, Perform, Read};
use crate::Mind;

#[derive(Debug)]
struct ListPersonas;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(ListPersonas))
}

#[async_trait]
impl Perform for ListPersonas {
    async fn perform(&self, at: At<'_>) {
        at.text(listed(at.mind, at.session));
    }
}

fn listed(mind: &Mind, session: &Session) -> String {
    let roster = mind.cast.roster();
    let chosen = session.chosen_persona().and_then(|name| roster.find(&name).cloned());
    let mark = |is_chosen| if is_chosen { ", answers here" } else { "" };
    let mut text =
        format!("default: {} with SOUL.md{}", mind.model.first(), mark(chosen.is_none()));
    for persona in &roster.personas {
        let is_chosen = chosen.as_ref().is_some_and(|chosen| chosen.name == persona.name);
        // Writing to a String can't fail.
        let _ = write!(text, "\n{}: {}{}", persona.name, persona.target, mark(is_chosen));
    }
    for fault in &roster.faults {
        let _ = write!(text, "\n{} is left out: {}", fault.file, fault.why);
    }
    for doubt in &roster.doubts {
        let _ = write!(text, "\n{}: {}", doubt.file, doubt.why);
    }
    text.push_str(match roster.personas.is_empty() {
        true => "\nA file workspace/personas/NAME.md adds one.",
        false => "\n@NAME before a message asks one, /agent NAME has it answer from now on.",
    });
    text
}
