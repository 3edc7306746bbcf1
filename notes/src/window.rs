//! What of the journal is to be noted next.

use std::collections::BTreeSet;

use answer::sanitize::{fit, indented};
use journal::{JournalEvent, Role};
use protocol::{Millis, Taint};

/// After how many messages of people something is noted.
pub const DUE: usize = 10;

/// How many messages of people one note is about at most.
pub const WINDOW: usize = 20;

/// How much of a message and of an answer is shown, in bytes.
const MESSAGE: usize = 400;
const ANSWER: usize = 250;

/// How an answer says that nothing is worth a note.
const NOTHING: [&str; 3] = ["nothing of note", "no notable information", "nothing notable"];

/// What one note is about.
#[derive(Debug, PartialEq)]
pub struct Batch {
    /// What was said just before, and is noted already.
    pub before: String,
    /// What was said.
    pub said: String,
    /// What was in the conversation by then.
    pub bits: Taint,
    /// When its last message was said.
    pub upto: Millis,
    /// How many messages wait behind it.
    pub left: usize,
}

impl Batch {
    /// The next one of a journal whose notes go up to one of `marks`, with at most so many messages; `None` while fewer than
    /// [`DUE`] wait.
    #[must_use]
    pub fn next(events: &[JournalEvent], marks: &BTreeSet<Millis>, most: usize) -> Option<Self> {
        let (chat, noted) = since_clear(events, marks);
        let waiting = &chat[noted..];
        let messages: Vec<usize> = places(waiting);
        if messages.len() < DUE {
            return None;
        }
        let count = messages.len().min(most.max(1));
        let end = messages.get(count).copied().unwrap_or(waiting.len());
        let last = *messages.get(count - 1)?;
        let earlier = places(&chat[..noted]);
        let most = most.saturating_sub(count);
        let from = earlier.get(earlier.len().saturating_sub(most)).copied().unwrap_or(noted);
        let shown = &chat[from..noted + end];
        Some(Self {
            before: written(&chat[from..noted]),
            said: written(&waiting[..end]),
            bits: shown.iter().fold(Taint::CLEAN, |bits, event| bits.with(event.bits)),
            upto: waiting.get(last)?.at,
            left: messages.len() - count,
        })
    }
}

/// How many messages of people are not noted.
#[must_use]
pub fn waiting(events: &[JournalEvent], marks: &BTreeSet<Millis>) -> usize {
    let (chat, noted) = since_clear(events, marks);
    places(&chat[noted..]).len()
}

/// Whether an answer says that nothing is worth a note.
#[must_use]
pub fn is_nothing(words: &str) -> bool {
    let words = words.to_lowercase();
    words.trim().is_empty()
        || (words.len() < 200 && NOTHING.iter().any(|nothing| words.contains(nothing)))
}

/// What was said since a person began afresh, and how much of that is noted. A mark that stands nowhere is of what has left
/// the journal.
fn since_clear<'e>(
    events: &'e [JournalEvent],
    marks: &BTreeSet<Millis>,
) -> (&'e [JournalEvent], usize) {
    let clear = events.iter().rposition(|event| event.role == Role::Clear);
    let chat = &events[clear.map_or(0, |at| at + 1)..];
    let is_noted = |event: &JournalEvent| is_message(event) && marks.contains(&event.at);
    let Some(last) = chat.iter().rposition(is_noted) else { return (chat, 0) };
    // Its answer is noted with it.
    let next = chat[last + 1..].iter().position(is_message);
    (chat, next.map_or(chat.len(), |next| last + 1 + next))
}

fn places(events: &[JournalEvent]) -> Vec<usize> {
    (0..events.len()).filter(|at| is_message(&events[*at])).collect()
}

fn is_message(event: &JournalEvent) -> bool {
    matches!(event.role, Role::User | Role::Persona | Role::Program)
}

/// What was said, a line for each.
fn written(events: &[JournalEvent]) -> String {
    let lines = events.iter().filter_map(|event| {
        let (who, most) = match event.role {
            Role::Assistant => ("you", ANSWER),
            Role::Action | Role::Clear => return None,
            _ => ("user", MESSAGE),
        };
        Some(format!("{who}: {}", indented(&fit(event.text.trim(), most))))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Taint = Taint { untrusted: true, private: false };

    fn event(at: u64, role: Role, bits: Taint) -> JournalEvent {
        let text = format!("{} {at}", role.name());
        JournalEvent { at: Millis(at), role, from: String::new(), text, bits }
    }

    /// So many messages with their answers, at 10, 20 and so on.
    fn chat(messages: u64) -> Vec<JournalEvent> {
        let pair = |n| {
            [Role::User, Role::Action, Role::Assistant]
                .map(|role| event(10 * n + u64::from(role != Role::User), role, Taint::CLEAN))
        };
        (1..=messages).flat_map(pair).collect()
    }

    #[test]
    fn a_burst_is_noted_in_few_pieces_and_each_message_once() {
        let events = chat(57);
        let (mut marks, mut said, mut pieces) = (BTreeSet::from([Millis(0)]), String::new(), 0);
        while let Some(batch) = Batch::next(&events, &marks, WINDOW) {
            said.push_str(&batch.said);
            said.push('\n');
            marks.insert(batch.upto);
            pieces += 1;
        }
        assert_eq!((pieces, waiting(&events, &marks)), (3, 0));
        for at in 1..=57 {
            assert_eq!(said.matches(&format!("user: user {}\n", 10 * at)).count(), 1, "{at}");
            assert_eq!(
                said.matches(&format!("you: assistant {}\n", 10 * at + 1)).count(),
                1,
                "{at}"
            );
        }
    }

    #[test]
    fn it_waits_for_ten_and_shows_what_was_said_before() {
        assert_eq!(Batch::next(&chat(9), &BTreeSet::new(), WINDOW), None);
        let batch = Batch::next(&chat(20), &BTreeSet::from([Millis(100)]), WINDOW).unwrap();
        assert!(batch.before.starts_with("user: user 10\n"), "{}", batch.before);
        assert!(batch.said.starts_with("user: user 110\n"), "{}", batch.said);
        assert_eq!((batch.upto, batch.left), (Millis(200), 0));
        let small = Batch::next(&chat(20), &BTreeSet::new(), 2).unwrap();
        assert_eq!((small.upto, small.left), (Millis(20), 18));
    }

    #[test]
    fn a_clock_that_jumps_back_loses_nothing() {
        let mut events = chat(10);
        events.extend(
            chat(10)
                .into_iter()
                .map(|event| JournalEvent { at: Millis(event.at.0 / 10 + 1_000), ..event }),
        );
        for event in &mut events[..30] {
            event.at.0 += 1_000_000;
        }
        let batch = Batch::next(&events, &BTreeSet::from([Millis(1_000_100)]), WINDOW).unwrap();
        assert_eq!(batch.upto, Millis(1_010));
    }

    #[test]
    fn what_was_said_before_a_person_began_afresh_is_not_noted() {
        let mut events = chat(15);
        events.push(event(500, Role::Clear, Taint::CLEAN));
        assert_eq!(waiting(&events, &BTreeSet::new()), 0);
    }

    #[test]
    fn a_batch_has_the_bits_of_all_that_was_said_in_it() {
        let mut events = chat(12);
        events[4].bits = T;
        assert_eq!(Batch::next(&events, &BTreeSet::new(), WINDOW).unwrap().bits, T);
    }

    #[test]
    fn nothing_is_said_in_some_ways() {
        for nothing in ["", " \n", "Nothing of note.", "There is no notable information here."] {
            assert!(is_nothing(nothing), "{nothing}");
        }
        assert!(!is_nothing("The user's name is Ann."));
    }
}
