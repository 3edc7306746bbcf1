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
    /// The next one of a journal whose notes go up to one of `marks`, with at most so many messages. `None` while fewer than
    /// [`DUE`] wait in the conversation that goes on, and none in those that were put away and are there still, as `is_there`
    /// says of their numbers.
    #[must_use]
    pub fn next(
        events: &[JournalEvent],
        marks: &BTreeSet<Millis>,
        is_there: &impl Fn(u64) -> bool,
        most: usize,
    ) -> Option<Self> {
        let left = waiting(events, marks, is_there);
        let mut stretches = stretches(events, marks, is_there).into_iter();
        let Stretch { events: chat, noted, .. } =
            stretches.find(|stretch| stretch.waiting() >= stretch.due)?;
        let waiting = &chat[noted..];
        let messages: Vec<usize> = places(waiting);
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
            left: left - count,
        })
    }
}

/// How many messages of people are not noted.
#[must_use]
pub fn waiting(
    events: &[JournalEvent],
    marks: &BTreeSet<Millis>,
    is_there: &impl Fn(u64) -> bool,
) -> usize {
    stretches(events, marks, is_there).iter().map(Stretch::waiting).sum()
}

/// Whether an answer says that nothing is worth a note.
#[must_use]
pub fn is_nothing(words: &str) -> bool {
    let words = words.to_lowercase();
    words.trim().is_empty()
        || (words.len() < 200 && NOTHING.iter().any(|nothing| words.contains(nothing)))
}

/// What was said without another conversation in between.
struct Stretch<'e> {
    events: &'e [JournalEvent],
    /// How many of them are noted.
    noted: usize,
    /// After how many messages something is noted.
    due: usize,
}

impl Stretch<'_> {
    /// How many messages of people are not noted.
    fn waiting(&self) -> usize {
        places(&self.events[self.noted..]).len()
    }
}

/// What is to be noted, oldest first: what was put away, and what goes on. What a person has had forgotten is not among it. A mark
/// that stands nowhere is of what has left the journal.
fn stretches<'e>(
    events: &'e [JournalEvent],
    marks: &BTreeSet<Millis>,
    is_there: &impl Fn(u64) -> bool,
) -> Vec<Stretch<'e>> {
    let is_noted = |event: &JournalEvent| is_message(event) && marks.contains(&event.at);
    // Its answer is noted with it.
    let noted = events.iter().rposition(is_noted).map_or(0, |last| {
        let next = events[last + 1..].iter().position(is_message);
        next.map_or(events.len(), |next| last + 1 + next)
    });
    let mut start = 0;
    let mut stretch = |end: usize, due: usize| {
        let noted = noted.clamp(start, end) - start;
        let stretch = Stretch { events: &events[start..end], noted, due };
        start = end + 1;
        stretch
    };
    let mut all = Vec::new();
    for (at, clear) in events.iter().enumerate().filter(|(_, event)| event.role == Role::Clear) {
        let put_away = stretch(at, 1);
        all.extend(clear.put_away().is_some_and(is_there).then_some(put_away));
    }
    all.push(stretch(events.len(), DUE));
    all
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

    fn next(events: &[JournalEvent], marks: &BTreeSet<Millis>, most: usize) -> Option<Batch> {
        Batch::next(events, marks, &|_| true, most)
    }

    #[test]
    fn a_burst_is_noted_in_few_pieces_and_each_message_once() {
        let events = chat(57);
        let (mut marks, mut said, mut pieces) = (BTreeSet::from([Millis(0)]), String::new(), 0);
        while let Some(batch) = next(&events, &marks, WINDOW) {
            said.push_str(&batch.said);
            said.push('\n');
            marks.insert(batch.upto);
            pieces += 1;
        }
        assert_eq!((pieces, waiting(&events, &marks, &|_| true)), (3, 0));
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
        assert_eq!(next(&chat(9), &BTreeSet::new(), WINDOW), None);
        let batch = next(&chat(20), &BTreeSet::from([Millis(100)]), WINDOW).unwrap();
        assert!(batch.before.starts_with("user: user 10\n"), "{}", batch.before);
        assert!(batch.said.starts_with("user: user 110\n"), "{}", batch.said);
        assert_eq!((batch.upto, batch.left), (Millis(200), 0));
        let small = next(&chat(20), &BTreeSet::new(), 2).unwrap();
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
        let batch = next(&events, &BTreeSet::from([Millis(1_000_100)]), WINDOW).unwrap();
        assert_eq!(batch.upto, Millis(1_010));
    }

    #[test]
    fn what_was_said_before_a_person_began_afresh_is_not_noted() {
        let mut events = chat(15);
        events.push(event(500, Role::Clear, Taint::CLEAN));
        assert_eq!(waiting(&events, &BTreeSet::new(), &|_| true), 0);
    }

    #[test]
    fn what_was_put_away_is_noted_though_little_was_said() {
        let put_away = |at, number: u64| JournalEvent {
            text: number.to_string(),
            ..event(at, Role::Clear, Taint::CLEAN)
        };
        let mut events = chat(2);
        events[1].bits = T;
        let later = |at: u64| {
            chat(1)
                .into_iter()
                .map(move |event| JournalEvent { at: Millis(event.at.0 + at), ..event })
        };
        events.push(put_away(500, 1));
        events.extend(later(500));
        events.push(event(600, Role::Clear, Taint::CLEAN));
        events.extend(later(600));
        events.push(put_away(700, 2));
        events.extend(later(700));
        let mut marks = BTreeSet::new();
        let first = next(&events, &marks, WINDOW).unwrap();
        assert_eq!((first.upto, first.bits, first.left), (Millis(20), T, 2));
        assert!(!first.said.contains("510"), "{}", first.said);
        marks.insert(first.upto);
        let second = next(&events, &marks, WINDOW).unwrap();
        assert_eq!((second.upto, second.bits), (Millis(610), Taint::CLEAN), "510 was forgotten");
        assert_eq!(second.before, "");
        marks.insert(second.upto);
        assert_eq!(next(&events, &marks, WINDOW), None);
        let is_deleted = Batch::next(&events, &BTreeSet::new(), &|number| number == 2, WINDOW);
        assert_eq!(is_deleted.unwrap().upto, Millis(610));
    }

    #[test]
    fn a_batch_has_the_bits_of_all_that_was_said_in_it() {
        let mut events = chat(12);
        events[4].bits = T;
        assert_eq!(next(&events, &BTreeSet::new(), WINDOW).unwrap().bits, T);
    }

    #[test]
    fn nothing_is_said_in_some_ways() {
        for nothing in ["", " \n", "Nothing of note.", "There is no notable information here."] {
            assert!(is_nothing(nothing), "{nothing}");
        }
        assert!(!is_nothing("The user's name is Ann."));
    }
}
