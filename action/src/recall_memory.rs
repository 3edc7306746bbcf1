//! `_RECALL_MEMORY`: finds what was said before what the prompt shows, in this conversation and in those that were put away.

use std::sync::Arc;

use async_trait::async_trait;
use conversation::workspace::SessionFiles;
use journal::{JournalEvent, Role};
use notes::recall;
use prompt::shown_entries;
use protocol::{ActionCard, Code, Done, Millis, Object, Reads, Stopped, Taint};
use serde::Deserialize;
use serde_json::json;
use session::Caller;

use super::LocalAction;

/// How long a query may be, in characters.
const LONGEST: usize = 500;

/// How much of the journal is looked at, in events.
const EVENTS: usize = 20_000;

/// Looks through what the session's own people and the agent have said.
#[derive(Debug)]
pub struct RecallMemory {
    card: ActionCard,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Without words it asks for the latest turns.
    #[serde(default)]
    query: String,
}

impl RecallMemory {
    /// The action on the conversations of whoever asks; `None` only if its built-in card is broken.
    #[must_use]
    pub fn new() -> Option<Self> {
        Some(Self { card: super::card("_RECALL_MEMORY")? })
    }
}

#[async_trait]
impl LocalAction for RecallMemory {
    fn card(&self) -> &ActionCard {
        &self.card
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        let Params { query } = super::params(params)?;
        if query.chars().count() > LONGEST {
            let why = format!("query: it has at most {LONGEST} characters");
            return Err(Stopped::new(Code::BadParams, why));
        }
        if query.contains(|c: char| c.is_control() && !c.is_whitespace()) {
            return Err(Stopped::new(Code::BadParams, "query: it holds control characters"));
        }
        let files = Arc::clone(&caller.files);
        // It waits for the disk.
        tokio::task::spawn_blocking(move || found(&files, &query))
            .await
            .map_err(|error| Stopped::new(Code::Internal, error.to_string()))
    }
}

fn found(files: &SessionFiles, query: &str) -> Done {
    let now = Millis::of_this_machine();
    let uses = files.recalled();
    let found = recall(&earlier(files), query, &uses.read(), now);
    if !found.is_empty() {
        // What is not counted is found all the same.
        let _ = uses.update(|uses| uses.count(&found, now));
    }
    let bits = found.iter().fold(Taint::CLEAN, |bits, one| bits.with(one.event.bits));
    let lines: Vec<String> =
        found.iter().enumerate().map(|(at, one)| format!("[{}] {}", at + 1, one.line)).collect();
    let text = match lines.as_slice() {
        [] => {
            "Nothing like that was said earlier. An empty query shows the latest turns.".to_owned()
        }
        lines => lines.join("\n"),
    };
    let result = Object::from_iter([("found".to_owned(), json!(lines))]);
    let brings = Some(Reads { public: bits.untrusted, private: bits.private });
    Done { result, text: Some(text), brings, ..Done::default() }
}

/// What was said before what the prompt shows, oldest first. What a person has cleared or deleted is not among it.
fn earlier(files: &SessionFiles) -> Vec<JournalEvent> {
    let mut events: Vec<JournalEvent> =
        files.chats().latest(EVENTS).into_iter().rev().flat_map(|(_, chat)| chat.events).collect();
    let mut here = files.journal.since_clear(EVENTS).unwrap_or_default();
    let is_said = |event: &JournalEvent| !matches!(event.role, Role::Assistant | Role::Action);
    let said = (0..here.len()).rev().filter(|at| is_said(&here[*at]));
    // The message that is being answered is in the prompt as well.
    let first = said.take(shown_entries(&files.history.read()) + 1).last();
    here.truncate(first.unwrap_or(0));
    events.extend(here);
    events
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::caller;

    fn event(at: u64, role: Role, text: &str, bits: Taint) -> JournalEvent {
        JournalEvent { at: Millis(at), role, from: String::new(), text: text.to_owned(), bits }
    }

    #[tokio::test]
    async fn what_is_found_brings_what_it_was_said_under() {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(SessionFiles::open(folder.path()));
        let dirty = Taint { untrusted: true, private: false };
        let mut said = vec![
            event(1, Role::User, "cleared: the pot", dirty),
            event(2, Role::Clear, "", Taint::CLEAN),
            event(3, Role::User, "The key is under the blue pot.", Taint::CLEAN),
            event(4, Role::Assistant, "The page says: red pot.", dirty),
        ];
        said.extend((5..30).map(|at| event(at, Role::User, "Hi.", dirty)));
        said.push(event(40, Role::User, "Where is the pot?", dirty));
        said.into_iter().for_each(|event| files.journal.hold(event));
        let ask = async |query: &str| {
            let params = Object::from_iter([("query".to_owned(), json!(query))]);
            let caller = caller(&files, Taint::CLEAN);
            RecallMemory::new().unwrap().run(params, &caller).await.unwrap()
        };
        let clean = ask("the blue key").await;
        assert!(clean.text.unwrap().starts_with("[1] 1970-01-01: The key is under the blue pot."));
        let mixed = ask("pot").await;
        assert_eq!(mixed.brings, Some(Reads::PUBLIC));
        assert_eq!(mixed.result["found"].as_array().unwrap().len(), 2, "{:?}", mixed.result);
        let none = ask("submarine").await;
        assert_eq!(none.brings, Some(Reads::NONE));
        assert!(none.text.unwrap().starts_with("Nothing like that was said earlier."));
        let latest = ask("").await;
        assert_eq!(latest.result["found"].as_array().unwrap().len(), 5);
    }
}
