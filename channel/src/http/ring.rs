//! The latest turns of the owner's session, for a page that is loaded or connects again: nothing of them is lost or told twice.
//! Pieces of an answer are put together, and what an answer waited for is forgotten once it goes on.

use std::collections::VecDeque;

use protocol::Millis;

use super::told::{Told, What};
use crate::Outgoing;

/// How much is kept, in bytes. The latest turn is kept whole.
const MOST: usize = 1024 * 1024;

/// How much is kept where no turn has ended, in bytes.
const UTMOST: usize = 4 * MOST;

/// What was told last.
#[derive(Debug)]
pub(super) struct Ring {
    entries: VecDeque<Entry>,
    size: usize,
    /// The number of the latest thing that is not kept any more.
    gone: u64,
    /// Since when everything is kept.
    since: Millis,
}

#[derive(Debug)]
struct Entry {
    /// With the number of its last piece.
    told: Told,
    /// The number of its first piece.
    first: u64,
    /// Where each piece of an answer ends; empty when the answer has ended.
    pieces: Vec<(u64, usize)>,
    size: usize,
}

/// The point up to which the journal holds what the ring does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Joint {
    /// The time and the text of the first message in the ring.
    pub(super) first: Option<(Millis, String)>,
    /// Since when everything is in the ring.
    pub(super) since: Millis,
}

/// What came after the number that was asked for is not there any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap;

impl Ring {
    /// Nothing yet, at `now`.
    pub(super) fn new(now: Millis) -> Self {
        Self { entries: VecDeque::new(), size: 0, gone: 0, since: now }
    }

    /// Takes one more thing.
    pub(super) fn push(&mut self, told: &Told) {
        if self.entries.back().is_some_and(|last| is_passing(&last.told.what)) {
            self.drop_last();
        }
        match &told.what {
            What::Says(Outgoing::Switched) => return self.begin_afresh(told),
            What::Says(Outgoing::Words(words)) => self.add_words(told, words),
            _ => self.add(told.clone(), Vec::new()),
        }
        if matches!(told.what, What::Says(Outgoing::End)) {
            self.join_pieces();
        }
        self.forget();
    }

    /// What was told before belongs to a conversation that is put away or forgotten. A question that is open stays so.
    fn begin_afresh(&mut self, told: &Told) {
        let before = std::mem::take(&mut self.entries);
        *self = Self { gone: told.id, ..Self::new(told.at) };
        let told: Vec<Told> = before.into_iter().map(|entry| entry.told).collect();
        let is_settled = |wanted: &str| {
            told.iter().any(|told| match &told.what {
                What::Says(Outgoing::Settled { id, .. }) => id == wanted,
                _ => false,
            })
        };
        for one in &told {
            if let What::Says(Outgoing::Question(question)) = &one.what
                && !is_settled(&question.id)
            {
                self.add(one.clone(), Vec::new());
            }
        }
    }

    /// All that is kept.
    pub(super) fn all(&self) -> Vec<Told> {
        self.entries.iter().map(|entry| entry.told.clone()).collect()
    }

    /// What came after the thing with the number `after`.
    ///
    /// # Errors
    /// [`Gap`] when a part of it is not there any more, or can't be told apart.
    pub(super) fn since(&self, after: u64) -> Result<Vec<Told>, Gap> {
        if after < self.gone {
            return Err(Gap);
        }
        let later = self.entries.iter().filter(|entry| entry.told.id > after);
        later.map(|entry| entry.rest(after)).collect()
    }

    /// Where the journal goes on.
    pub(super) fn joint(&self) -> Joint {
        let first = self.entries.iter().find_map(|entry| match &entry.told.what {
            // A command is in no journal.
            What::Says(Outgoing::Begin { text, .. }) if !text.starts_with('/') => {
                Some((entry.told.at, text.clone()))
            }
            _ => None,
        });
        Joint { first, since: self.since }
    }

    fn add(&mut self, told: Told, pieces: Vec<(u64, usize)>) {
        let (first, size) = (told.id, told.what.size());
        self.size += size;
        self.entries.push_back(Entry { told, first, pieces, size });
    }

    fn add_words(&mut self, told: &Told, words: &str) {
        match self.entries.back_mut() {
            Some(Entry {
                told: Told { id, what: What::Says(Outgoing::Words(text)), .. },
                pieces,
                size,
                ..
            }) if !pieces.is_empty() => {
                text.push_str(words);
                *id = told.id;
                pieces.push((told.id, text.len()));
                *size += words.len();
                self.size += words.len();
            }
            _ => self.add(told.clone(), vec![(told.id, words.len())]),
        }
    }

    /// The turn is over: where its pieces ended is not needed any more.
    fn join_pieces(&mut self) {
        for entry in self.entries.iter_mut().rev() {
            entry.pieces = Vec::new();
            if matches!(entry.told.what, What::Says(Outgoing::Begin { .. })) {
                return;
            }
        }
    }

    /// Forgets the first turns while there is too much, but not the last one.
    fn forget(&mut self) {
        while self.size > MOST {
            let is = |entry: &Entry, wanted: fn(&Outgoing) -> bool| match &entry.told.what {
                What::Says(outgoing) => wanted(outgoing),
                What::Sent { .. } | What::Wrote(_) => false,
            };
            let end = self.entries.iter().position(|e| is(e, |o| matches!(o, Outgoing::End)));
            let last =
                self.entries.iter().rposition(|e| is(e, |o| matches!(o, Outgoing::Begin { .. })));
            match (end, last) {
                (Some(end), Some(last)) if end < last => (0..=end).for_each(|_| self.drop_first()),
                _ if self.size > UTMOST && self.entries.len() > 1 => self.drop_first(),
                _ => return,
            }
        }
    }

    fn drop_first(&mut self) {
        if let Some(entry) = self.entries.pop_front() {
            self.size -= entry.size;
            (self.gone, self.since) = (entry.told.id, entry.told.at);
        }
    }

    fn drop_last(&mut self) {
        if let Some(entry) = self.entries.pop_back() {
            self.size -= entry.size;
        }
    }
}

impl Entry {
    /// What of it came after the thing with the number `after`.
    fn rest(&self, after: u64) -> Result<Told, Gap> {
        let mut told = self.told.clone();
        if after < self.first {
            return Ok(told);
        }
        let (_, end) = self.pieces.iter().find(|(id, _)| *id == after).ok_or(Gap)?;
        if let What::Says(Outgoing::Words(text)) = &mut told.what {
            text.drain(..*end);
        }
        Ok(told)
    }
}

/// What counts only until the next thing is told.
fn is_passing(what: &What) -> bool {
    matches!(what, What::Says(Outgoing::Working(_) | Outgoing::Waiting(_)))
}

#[cfg(test)]
mod tests {
    use conversation::question::Question;
    use protocol::Principal;

    use super::*;
    use crate::Ticket;

    fn begin(text: &str) -> Outgoing {
        let from = Principal::new("http:owner").unwrap();
        Outgoing::Begin { ticket: Ticket::new(), from, text: text.to_owned() }
    }

    fn words(text: &str) -> Outgoing {
        Outgoing::Words(text.to_owned())
    }

    /// A ring with these things, of which the first has the number 1.
    fn ring(said: impl IntoIterator<Item = Outgoing>) -> Ring {
        let mut ring = Ring::new(Millis(0));
        for (id, outgoing) in (1..).zip(said) {
            ring.push(&Told { id, at: Millis(id), what: What::Says(outgoing) });
        }
        ring
    }

    fn texts(told: Vec<Told>) -> Vec<String> {
        let text = |told: Told| match told.what {
            What::Says(Outgoing::Words(text)) => text,
            What::Says(other) => format!("{other:?}").chars().take(5).collect(),
            What::Sent { text, .. } | What::Wrote(text) => text,
        };
        told.into_iter().map(text).collect()
    }

    #[test]
    fn who_connects_again_in_mid_answer_hears_the_rest_and_nothing_twice() {
        let said = [begin("hi"), words("a"), words("b"), words("c")];
        let ring = ring(said);
        assert_eq!(texts(ring.since(1).unwrap()), ["abc"]);
        assert_eq!(texts(ring.since(2).unwrap()), ["bc"]);
        assert_eq!(texts(ring.since(3).unwrap()), ["c"]);
        assert_eq!(texts(ring.since(4).unwrap()), [""; 0]);
        assert_eq!(texts(ring.all()), ["Begin", "abc"]);
    }

    #[test]
    fn in_the_middle_of_an_answer_that_has_ended_is_a_gap() {
        let ring = ring([begin("hi"), words("a"), words("b"), Outgoing::End, words("late")]);
        assert_eq!(ring.since(2), Err(Gap));
        assert_eq!(texts(ring.since(3).unwrap()), ["End", "late"]);
    }

    #[test]
    fn an_open_question_stays_when_another_conversation_begins() {
        let question = |id: &str| {
            let asked = serde_json::json!({"id": id, "question": "POST {}"});
            Outgoing::Question(Question::read(&asked).unwrap())
        };
        let settled = Outgoing::Settled { id: "q1".to_owned(), how: "no".to_owned() };
        let said = [begin("hi"), question("q1"), question("q2"), settled, Outgoing::Switched];
        let ring = ring(said);
        let all = ring.all();
        assert_eq!(all.len(), 1);
        assert!(matches!(&all[0].what, What::Says(Outgoing::Question(open)) if open.id == "q2"));
        assert_eq!((ring.since(4), ring.since(5)), (Err(Gap), Ok(Vec::new())));
    }

    #[test]
    fn what_was_waited_for_is_told_until_the_answer_goes_on() {
        let waits = || Outgoing::Waiting("for the model".to_owned());
        let ring_of = |last| texts(ring([begin("hi"), waits(), waits(), last]).all());
        assert_eq!(ring_of(waits()), ["Begin", "Waiti"]);
        assert_eq!(ring_of(words("a")), ["Begin", "a"]);
    }

    #[test]
    fn first_turns_go_and_the_last_one_stays_whole() {
        let long = || words(&"x".repeat(MOST));
        let turn = || [begin("hi"), long(), Outgoing::End];
        let ring = ring(turn().into_iter().chain(turn()).chain(turn()));
        assert_eq!(ring.all().len(), 3);
        assert_eq!(ring.since(5), Err(Gap));
        assert_eq!(ring.since(6).unwrap().len(), 3);
        assert_eq!(ring.joint().since, Millis(6));
        assert_eq!(ring.joint().first, Some((Millis(7), "hi".to_owned())));
    }

    #[test]
    fn another_conversation_shows_nothing_of_the_one_before() {
        let ring = ring([
            begin("hi"),
            words("a"),
            begin("/new"),
            Outgoing::Switched,
            words("b"),
            Outgoing::End,
        ]);
        assert_eq!(texts(ring.all()), ["b", "End"]);
        assert_eq!(ring.since(3), Err(Gap));
        assert_eq!(texts(ring.since(4).unwrap()), ["b", "End"]);
        assert_eq!(ring.joint(), Joint { first: None, since: Millis(4) });
    }

    #[test]
    fn what_is_said_in_no_turn_does_not_pile_up() {
        let notice = || Outgoing::Notice("x".repeat(1000));
        let ring = ring((0..20_000).map(|_| notice()));
        assert!(ring.size <= UTMOST, "{}", ring.size);
    }
}
