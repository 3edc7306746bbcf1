//! `/memory`: what is remembered, what was set aside, and what becomes of that. Only people come here.

use std::sync::Arc;

use async_trait::async_trait;
use home::nearest;
use protocol::Millis;

use super::perform::{At, Perform, Read};
use crate::workspace::Memory;
use when::ago;

/// What is wanted of the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    /// `/memory`
    Show,
    /// `/memory --quarantined`
    ShowAside,
    /// `/memory keep KEY`: it counts from now on.
    Keep(String),
    /// `/memory drop KEY`: it is gone.
    Drop(String),
    /// `/memory private KEY`: a prompt with it holds private data.
    Private(String),
    /// `/forget KEY`
    Forget(String),
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest)?))
}

/// Reads what stands behind `/memory`.
fn wish(rest: &str) -> Result<Wish, String> {
    let (word, key) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let key = key.trim().to_owned();
    match (word, key.is_empty()) {
        ("", _) => Ok(Wish::Show),
        ("--quarantined", true) => Ok(Wish::ShowAside),
        ("keep", false) => Ok(Wish::Keep(key)),
        ("drop", false) => Ok(Wish::Drop(key)),
        ("private", false) => Ok(Wish::Private(key)),
        _ => Err("it is /memory, /memory --quarantined, /memory keep KEY, /memory drop KEY or \
                  /memory private KEY"
            .to_owned()),
    }
}

#[async_trait]
impl Perform for Wish {
    async fn perform(&self, at: At<'_>) {
        let memory = &at.session.files.memory;
        let changed = match self {
            Self::Show => return at.text(shown(&memory.read())),
            Self::ShowAside => return at.text(shown_aside(&memory.read())),
            Self::Keep(key) => memory.change(|memory| keep(memory, key)),
            Self::Drop(key) => memory.change(|memory| discard(memory, key)),
            Self::Private(key) => memory.change(|memory| make_private(memory, key)),
            Self::Forget(key) => memory.change(|memory| forget(memory, key)),
        };
        match changed {
            Ok((done, Ok(()))) => at.text(done),
            Ok((_, Err(error))) => at.outbox.say_fault(error.to_string()),
            Err(why) => at.notice(why),
        }
    }
}

fn keep(memory: &mut Memory, key: &str) -> Result<String, String> {
    if Memory::is_reserved(key) {
        return Err(format!("{key:?} is the file's own and can be no fact; drop it"));
    }
    let aside = memory.aside.remove(key).ok_or_else(|| not_aside(memory, key))?;
    let told = format!("remembered: {key} = {}", Memory::shown(&aside.value));
    memory.typed(key, &aside.value, true);
    Ok(match memory.facts.insert(key.to_owned(), aside.value) {
        Some(old) => format!("{told} (it was {}).", Memory::shown(&old)),
        None => format!("{told}."),
    })
}

fn discard(memory: &mut Memory, key: &str) -> Result<String, String> {
    memory.aside.remove(key).ok_or_else(|| not_aside(memory, key))?;
    Ok(format!("{key} is dropped."))
}

fn make_private(memory: &mut Memory, key: &str) -> Result<String, String> {
    if !memory.facts.contains_key(key) {
        return Err(not_remembered(memory, key));
    }
    memory.private.insert(key.to_owned());
    Ok(format!(
        "{key} is private: a conversation that is shown it holds private data. Take it out of \
         \"_private\" in memory.json to undo that."
    ))
}

fn forget(memory: &mut Memory, key: &str) -> Result<String, String> {
    memory.facts.shift_remove(key).ok_or_else(|| not_remembered(memory, key))?;
    memory.private.remove(key);
    memory.own.remove(key);
    Ok(format!("{key} is forgotten."))
}

fn not_remembered(memory: &Memory, key: &str) -> String {
    let hint = if memory.aside.contains_key(key) {
        format!("; it is set aside: /memory drop {key}")
    } else {
        meant(key, memory.facts.keys())
    };
    format!("nothing is remembered under {key:?}{hint}")
}

fn not_aside(memory: &Memory, key: &str) -> String {
    format!("nothing is set aside under {key:?}{}", meant(key, memory.aside.keys()))
}

fn meant<'k>(key: &str, keys: impl Iterator<Item = &'k String>) -> String {
    let near = nearest(key, keys.map(String::as_str));
    near.map(|near| format!("; did you mean {near}?")).unwrap_or_default()
}

fn shown(memory: &Memory) -> String {
    let mut lines: Vec<String> = memory
        .facts
        .iter()
        .map(|(key, value)| {
            let mark = if memory.private.contains(key) { " (private)" } else { "" };
            format!("{key}{mark}: {}", Memory::shown(value).replace('\n', "\n  "))
        })
        .collect();
    if lines.is_empty() {
        lines.push("Nothing is remembered.".to_owned());
    }
    if !memory.aside.is_empty() {
        let count = memory.aside.len();
        lines.push(format!("Set aside: {count}; /memory --quarantined shows what."));
    }
    lines.join("\n")
}

fn shown_aside(memory: &Memory) -> String {
    if memory.aside.is_empty() {
        return "Nothing is set aside.".to_owned();
    }
    let now = Millis::of_this_machine();
    let mut lines = vec![
        "Written while text that others wrote was in the conversation; the model is not shown it:"
            .to_owned(),
    ];
    lines.extend(memory.aside.iter().map(|(key, aside)| {
        let value = Memory::shown(&aside.value).replace('\n', "\n    ");
        let from = if aside.from.is_empty() { "an unknown source" } else { &aside.from };
        format!("{key}: {value}\n  {}, from {from}", ago(now.since(aside.at)))
    }));
    lines.push("/memory keep KEY makes one count, /memory drop KEY removes it.".to_owned());
    lines.join("\n")
}
