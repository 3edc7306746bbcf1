//! `/memory`: what is remembered, what was set aside, and what becomes of that. Only people come here.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::workspace::Memory;
use home::nearest;
use notes::{Note, Notebook, Notes};
use protocol::Millis;
use when::ago;

use super::perform::{At, Perform, Read};

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
    /// `/memory keep note NUMBER`: it counts from now on.
    KeepNote(usize),
    /// `/memory drop note NUMBER`: it is gone.
    DropNote(usize),
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest)?))
}

/// Reads what stands behind `/memory`.
fn wish(rest: &str) -> Result<Wish, String> {
    let (word, key) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let key = key.trim().to_owned();
    let note = key.strip_prefix("note ").and_then(|number| number.trim().parse().ok());
    match (word, key.is_empty()) {
        ("", _) => Ok(Wish::Show),
        ("--quarantined", true) => Ok(Wish::ShowAside),
        ("keep", false) if let Some(note) = note => Ok(Wish::KeepNote(note)),
        ("drop", false) if let Some(note) = note => Ok(Wish::DropNote(note)),
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
            Self::Show => return at.text(shown(&memory.read(), &at.session.files.notes)),
            Self::ShowAside => {
                return at.text(shown_aside(&memory.read(), &at.session.files.notes.show()));
            }
            Self::KeepNote(number) => at.session.files.notes.change(*number, |notes, now| {
                let note = now.and_then(|now| notes.accept(now));
                note.map(|note| format!("noted: {}", note.words()))
                    .ok_or_else(|| none_aside(*number))
            }),
            Self::DropNote(number) => at.session.files.notes.change(*number, |notes, now| {
                let now = now.filter(|now| notes.aside().any(|(aside, _)| aside == *now));
                let dropped = now.and_then(|now| notes.remove(now));
                dropped
                    .map(|note| format!("dropped: {}", note.words()))
                    .ok_or_else(|| none_aside(*number))
            }),
            Self::Keep(key) => memory.change(|memory| keep(memory, key)),
            Self::Drop(key) => memory.change(|memory| discard(memory, key)),
            Self::Private(key) => memory.change(|memory| make_private(memory, key)),
            Self::Forget(key) => memory.change(|memory| forget(memory, key)),
        };
        match changed {
            Ok((done, Ok(()))) => at.text(done),
            Ok((_, Err(error))) => at.fault(error),
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
    if aside.private {
        memory.private.insert(key.to_owned());
    }
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

fn none_aside(number: usize) -> String {
    format!("no note {number} is set aside; /memory --quarantined lists them")
}

pub(super) fn no_note(number: usize, count: usize) -> String {
    match count {
        0 => "there are no notes".to_owned(),
        _ => format!("there is no note {number}; /memory shows those that are there"),
    }
}

/// A note as a line.
fn line((number, note): (usize, &Note)) -> String {
    let mark = if note.bits.private { " (private)" } else { "" };
    format!("note {number}, {}{mark}: {}", note.day(), note.words().replace('\n', "\n  "))
}

fn shown(memory: &Memory, book: &Notebook) -> String {
    let notes = book.show();
    let mut lines: Vec<String> = memory
        .facts
        .iter()
        .map(|(key, value)| {
            let mark = if memory.private.contains(key) { " (private)" } else { "" };
            format!("{key}{mark}: {}", Memory::shown(value).replace('\n', "\n  "))
        })
        .collect();
    lines.extend((!notes.preface().is_empty()).then(|| notes.preface().to_owned()));
    lines.extend(notes.all().filter(|(_, note)| !note.is_aside()).map(line));
    if lines.is_empty() {
        lines.push("Nothing is remembered.".to_owned());
    }
    let archived = book.archived();
    if archived > 0 {
        lines.push(format!("Older notes in memory-archive.md: {archived}."));
    }
    let count = memory.aside.len() + notes.aside().count();
    if count > 0 {
        lines.push(format!("Set aside: {count}; /memory --quarantined shows what."));
    }
    lines.join("\n")
}

fn shown_aside(memory: &Memory, notes: &Notes) -> String {
    if memory.aside.is_empty() && notes.aside().next().is_none() {
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
    lines.extend(notes.aside().map(line));
    lines.push("/memory keep KEY makes one count, /memory drop KEY removes it.".to_owned());
    lines.join("\n")
}
