//! The questions that are open for the person at this terminal, and which of them a bare `y` answers.

use std::fmt::Display;

use conversation::question::{Decision, Question};
use protocol::Pin;

/// Questions in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct OpenQuestions {
    open: Vec<Question>,
    /// Those that have come with the answer that is being given, or that were asked for, and still are to be put.
    to_put: Vec<String>,
    /// How many these were.
    of: usize,
    /// The one that the person has seen last.
    seen: Option<Seen>,
}

#[derive(Debug)]
struct Seen {
    id: String,
    /// Whether a line had been begun before it was seen: what stands there was meant for something else.
    is_doubtful: bool,
}

/// What a line is with the questions that are open.
#[derive(Debug, PartialEq)]
pub(super) enum Meant {
    /// An answer.
    Answer(Decision),
    /// It looks like an answer, and was begun before the question was there.
    TooEarly,
    /// It answers a question, and several are open, none of which was put last.
    AnyOfSeveral,
    /// Something to say.
    Message,
}

impl OpenQuestions {
    /// Takes one in that is to be put.
    pub(super) fn push(&mut self, question: Question) {
        self.open.retain(|open| open.id != question.id);
        self.to_put.retain(|id| *id != question.id);
        self.to_put.push(question.id.clone());
        self.of = self.to_put.len();
        self.open.push(question);
    }

    /// Forgets one that is open no more.
    pub(super) fn settled(&mut self, id: &str) {
        self.open.retain(|open| open.id != id);
        self.to_put.retain(|to_put| to_put != id);
        self.seen.take_if(|seen| seen.id == id);
    }

    /// The next one to put, with its number and how many there are; from now on it is the one that was seen last.
    /// `is_typing`: whether a line has been begun.
    pub(super) fn next(&mut self, is_typing: bool) -> Option<(&Question, usize, usize)> {
        let at = self.of - self.to_put.len() + 1;
        let id = (!self.to_put.is_empty()).then(|| self.to_put.remove(0))?;
        let question = self.open.iter().find(|open| open.id == id)?;
        self.seen = Some(Seen { id, is_doubtful: is_typing });
        Some((question, at, self.of))
    }

    /// What `line` is, which was begun after the last one was submitted; `is_own` says which questions this chat has asked,
    /// so that digits are their PIN. A question that is not answered by it waits for a reminder.
    pub(super) fn meant(&mut self, line: &str, is_own: impl Fn(&Question) -> bool) -> Meant {
        let is_other = |question: &Question| question.wants_pin && !is_own(question);
        let answers = |question: &Question| {
            let decision = question.answered_by(line);
            decision.filter(|_| Pin::typed(line).is_none() || !is_other(question))
        };
        let Some(seen) = &mut self.seen else {
            let is_answer = self.open.len() > 1 && self.open.iter().any(|it| answers(it).is_some());
            return if is_answer { Meant::AnyOfSeveral } else { Meant::Message };
        };
        let question = self.open.iter().find(|open| open.id == seen.id);
        match question.and_then(answers) {
            Some(_) if std::mem::take(&mut seen.is_doubtful) => Meant::TooEarly,
            Some(decision) => {
                self.seen = None;
                Meant::Answer(decision)
            }
            None => {
                self.seen = None;
                self.to_put.clear();
                Meant::Message
            }
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.open.len()
    }

    /// Whether the line that comes next is for a PIN.
    pub(super) fn wants_pin(&self) -> bool {
        let is_seen =
            |question: &&Question| self.seen.as_ref().is_some_and(|it| it.id == question.id);
        self.open.iter().find(is_seen).is_some_and(|question| question.wants_pin)
    }

    /// Whether `line`, which was typed unseen for a PIN, is one mistyped: it answers nothing, and is not shown to a model either.
    pub(super) fn hides(&self, line: &str) -> bool {
        let text = line.trim();
        let is_short = text.chars().count() <= 12 && !text.contains(char::is_whitespace);
        let has_digit = text.contains(|c: char| c.is_numeric());
        let is_answer = |question: &Question| question.answered_by(line).is_some();
        let is_meant = text.starts_with('/') || self.open.iter().any(is_answer);
        self.wants_pin() && is_short && has_digit && !is_meant
    }

    /// Whether a PIN may be typed by the next line, in sight or not.
    pub(super) fn is_pin_near(&self) -> bool {
        self.open.iter().any(|question| question.wants_pin)
    }

    /// Whether a question waits for the line that comes next.
    pub(super) fn is_waiting(&self) -> bool {
        self.seen.is_some()
    }

    /// The line about what is still open, once something else was said; of a single question it says that a yes counts.
    pub(super) fn reminder(&mut self, is_typing: bool) -> Option<String> {
        if self.seen.is_some() || !self.to_put.is_empty() {
            return None;
        }
        match self.open.as_slice() {
            [] => None,
            [one] => {
                self.seen = Some(Seen { id: one.id.clone(), is_doubtful: is_typing });
                let (short, what) = (one.short(), one.text.lines().next().unwrap_or_default());
                let what = what.trim_end_matches(['{', '}', ' ']);
                let words = settings::words();
                let gaps: [(&str, &dyn Display); 3] =
                    [("id", &short), ("what", &what), ("keys", &one.keys(words))];
                Some(words.fill("open.one", &gaps))
            }
            _ => Some(self.several("open.many")),
        }
    }

    /// The line `key` about all that are open.
    pub(super) fn several(&self, key: &str) -> String {
        let ids: Vec<&str> = self.open.iter().map(Question::short).collect();
        let gaps: [(&str, &dyn Display); 2] =
            [("count", &self.open.len()), ("ids", &ids.join(", "))];
        settings::words().fill(key, &gaps)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(id: &str) -> Question {
        Question::read(&json!({"id": id, "question": "POST {}"})).unwrap()
    }

    fn asked(ids: &[&str]) -> OpenQuestions {
        let mut asked = OpenQuestions::default();
        ids.iter().for_each(|id| asked.push(question(id)));
        asked
    }

    fn is_answer(meant: &Meant, id: &str) -> bool {
        matches!(meant, Meant::Answer(decision) if decision.id == id)
    }

    #[test]
    fn each_is_put_with_its_number_and_answered_by_the_line_behind_it() {
        let mut asked = asked(&["a", "b"]);
        let put =
            |asked: &mut OpenQuestions| asked.next(false).map(|(q, at, of)| (q.id.clone(), at, of));
        assert_eq!(put(&mut asked), Some(("a".to_owned(), 1, 2)));
        assert!(is_answer(&asked.meant("y", |_| true), "a"));
        asked.settled("a");
        assert_eq!(put(&mut asked), Some(("b".to_owned(), 2, 2)));
        assert!(is_answer(&asked.meant("no", |_| true), "b"));
        assert_eq!(put(&mut asked), None);
    }

    #[test]
    fn a_yes_counts_for_the_only_one_once_the_person_was_reminded() {
        let mut asked = asked(&["a"]);
        asked.next(false);
        assert_eq!(asked.meant("what is the weather", |_| true), Meant::Message);
        assert_eq!(asked.meant("y", |_| true), Meant::Message);
        assert!(
            asked.reminder(false).unwrap().starts_with("still open: question a, POST: y = yes")
        );
        assert!(is_answer(&asked.meant("y", |_| true), "a"));
    }

    #[test]
    fn a_line_for_a_pin_is_known_before_it_is_typed() {
        let asked = json!({"id": "p", "question": "EXEC {}", "pin": true});
        let mut asked_for = asked_with(Question::read(&asked).unwrap());
        assert!(!asked_for.wants_pin() && asked_for.is_pin_near());
        assert!(!asked_for.hides("4321x"));
        asked_for.next(false);
        assert!(asked_for.wants_pin());
        for (line, hidden) in [
            ("4321x", true),
            ("12", true),
            ("1234567x", true),
            ("493817", false),
            ("n", false),
            ("/jobs", false),
            ("what is 12 times 3", false),
        ] {
            assert_eq!(asked_for.hides(line), hidden, "{line}");
        }
        assert_eq!(asked_for.meant("493817", |_| false), Meant::Message, "another chat's");
        asked_for.push(Question::read(&asked).unwrap());
        asked_for.next(false);
        assert!(is_answer(&asked_for.meant("493817", |_| true), "p"));
        asked_for.settled("p");
        assert!(!asked_for.wants_pin() && !asked_for.is_pin_near());
    }

    fn asked_with(question: Question) -> OpenQuestions {
        let mut asked = OpenQuestions::default();
        asked.push(question);
        asked
    }

    #[test]
    fn of_several_a_yes_means_none() {
        let mut asked = asked(&["a", "b"]);
        asked.next(false);
        assert_eq!(asked.meant("hello", |_| true), Meant::Message);
        assert!(asked.reminder(false).unwrap().starts_with("2 questions are still open: a, b;"));
        assert_eq!(asked.meant("y", |_| true), Meant::AnyOfSeveral);
        assert!(asked.several("open.which").contains("2 questions are open: a, b"));
        assert_eq!(asked.meant("y, and tell me why", |_| true), Meant::Message);
        for id in ["p", "q"] {
            let wants_pin = json!({"id": id, "question": "EXEC {}", "pin": true});
            asked.push(Question::read(&wants_pin).unwrap());
        }
        assert_eq!(asked.meant("493817", |_| true), Meant::AnyOfSeveral, "a PIN is no message");
    }

    #[test]
    fn a_line_that_was_begun_before_the_question_is_no_answer() {
        let mut asked = asked(&["a"]);
        asked.next(true);
        assert_eq!(asked.meant("y", |_| true), Meant::TooEarly);
        assert!(is_answer(&asked.meant("y", |_| true), "a"));
    }
}
