//! `escalations.json`: the questions for a person that nobody has answered yet.

use document::Json;
use protocol::{Millis, SessionKey};
use serde::{Deserialize, Serialize};

use super::escalation;

/// How many questions are kept. Of more than that the oldest are forgotten.
const MOST: usize = 200;

/// How many of one chat, so that nobody's questions push out those of others.
const OF_ONE: usize = 5;

/// All questions for a person that are open, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpenEscalations {
    open: Vec<OpenEscalation>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenEscalation {
    /// The customer's chat.
    pub chat: SessionKey,
    /// When it was asked.
    pub at: Millis,
    /// The question, on one line.
    pub question: String,
}

impl OpenEscalations {
    /// All of them, the oldest first.
    #[must_use]
    pub fn all(&self) -> &[OpenEscalation] {
        &self.open
    }

    /// Takes in one more.
    pub(super) fn add(&mut self, chat: &SessionKey, question: &str, at: Millis) {
        let question = escalation::cut(question);
        self.open.push(OpenEscalation { chat: chat.clone(), at, question });
        if self.open.iter().filter(|open| open.chat == *chat).count() > OF_ONE {
            let first = self.open.iter().position(|open| open.chat == *chat);
            first.map(|first| self.open.remove(first));
        }
        let too_many = self.open.len().saturating_sub(MOST);
        self.open.drain(..too_many);
    }

    /// Those of `chat` are answered that were open in `asked`.
    pub(super) fn close(&mut self, chat: &SessionKey, asked: &Self) {
        self.open.retain(|open| open.chat != *chat || !asked.open.contains(open));
    }
}

impl Json for OpenEscalations {
    const LIMIT: u64 = 4 * 1024 * 1024;
}

#[cfg(test)]
mod tests {
    use document::Document as _;

    use super::*;

    #[test]
    fn they_are_bounded_and_nobody_pushes_out_others() {
        let key = |id: usize| SessionKey::new(format!("telegram-{id}")).unwrap();
        let mut open = OpenEscalations::default();
        open.add(&key(1), "Where is\nmy order?", Millis(1));
        (0..50).for_each(|n| open.add(&key(2), &format!("{n} {}", "x".repeat(9_000)), Millis(n)));
        assert_eq!(open.all().len(), 1 + OF_ONE);
        assert_eq!(open.all()[0].question, "Where is my order?");
        assert!(open.all()[1].question.starts_with("45 ") && open.all()[5].question.ends_with('…'));
        let mut left_out = Vec::new();
        assert_eq!(OpenEscalations::from_text(&open.to_text(), &mut left_out), Ok(open.clone()));
        (3..300).for_each(|id| open.add(&key(id), "\u{1b}\"\"\"", Millis(9)));
        assert_eq!((open.all().len(), open.all()[0].chat.clone()), (MOST, key(100)));
        let before = open.clone();
        open.close(&key(101), &OpenEscalations::default());
        assert_eq!(open, before, "it was asked later");
        open.close(&key(100), &before);
        assert_eq!((open.all().len(), open.all()[0].chat.clone()), (MOST - 1, key(101)));
    }
}
