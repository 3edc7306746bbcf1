//! The part of the history that the model sees, chosen so that prompts share their beginning.

use answer::sanitize::{cut, fit, indented};
use async_trait::async_trait;
use conversation::workspace::{ENTRIES_KEPT, Entry, History};

use super::Step;
use super::section::{Part, Section, Source};

/// How many entries leave at once. If one left with every turn, all others would move up and no model
/// server could reuse what it has read.
const HOP: u64 = 5;

/// How much of a message and of an answer is shown, in bytes. Together they are what an ordinary turn
/// adds behind the part of the prompt that stays.
const USER_LIMIT: usize = 400;
const ANSWER_LIMIT: usize = 600;

/// How large the history is in a prompt, in bytes.
const ROOM: usize = 5_400;

/// input_history.json. What has entered with it is kept beside it.
pub(super) struct Past;

#[async_trait]
impl Source for Past {
    fn name(&self) -> &'static str {
        "USER_INPUT_HISTORY"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let history = step.history;
        let section = Section::written(move |manner| {
            vec![Part::marked("history", render(history, manner.room))]
        });
        Some(section.at_most(ROOM).making_room(10, 0, "older history"))
    }
}

/// The entries that are shown: from the whole history, then from number 6, 11, 16 and so on, in hops, so
/// that at most [`ENTRIES_KEPT`] and at most `limit` bytes remain.
pub(super) fn render(history: &History, limit: usize) -> String {
    chosen(history, limit).0
}

/// How many entries a prompt shows that has room for as many as it ever has.
#[must_use]
pub fn shown_entries(history: &History) -> usize {
    chosen(history, ROOM).1
}

fn chosen(history: &History, limit: usize) -> (String, usize) {
    let entries = history.entries();
    let newest = entries.last().map_or(0, |entry| entry.n);
    let mut first = newest.saturating_sub(ENTRIES_KEPT as u64).div_ceil(HOP) * HOP + 1;
    loop {
        let shown: Vec<String> =
            entries.iter().filter(|entry| entry.n >= first).map(lines).collect();
        let text = shown.join("\n");
        if text.len() <= limit || shown.len() <= 1 {
            return (cut(&text, limit), shown.len());
        }
        // However long it is, the newest entry stays.
        first = first.saturating_add(HOP).min(newest);
    }
}

fn lines(entry: &Entry) -> String {
    let part = |text: &str, limit| indented(&fit(text.trim(), limit));
    format!("user: {}\nyou: {}", part(&entry.user, USER_LIMIT), part(&entry.response, ANSWER_LIMIT))
}
