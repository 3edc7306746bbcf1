//! A choice among a few words, which a model makes of a message: a request of its own, whose prompt stays the same.
//!
//! Small models answer such a question far better behind examples than behind a description alone, in languages of which no
//! example is, too.

use llm::{Message, Role};
use serde_json::{Value, json};

use super::Ask;

/// The name of the field that holds the choice.
const FIELD: &str = "choice";

/// What a model chooses from, and how it was chosen before.
#[derive(Debug, Clone)]
pub struct Choice {
    instruction: &'static str,
    words: &'static [&'static str],
    examples: Vec<Message>,
}

impl Choice {
    /// One of `words`, as `instruction` says what each stands for. Each of the `examples` is a message with the word that fits.
    #[must_use]
    pub fn new(
        instruction: &'static str,
        words: &'static [&'static str],
        examples: &[(&str, &str)],
    ) -> Self {
        let message = |role, text| Message { role, text };
        let examples = examples.iter().flat_map(|(said, word)| {
            let chosen = json!({FIELD: word}).to_string();
            [message(Role::User, (*said).to_owned()), message(Role::Assistant, chosen)]
        });
        Self { instruction, words, examples: examples.collect() }
    }

    /// Asks which of the words fits `said`.
    #[must_use]
    pub fn ask<'a>(&'a self, said: &'a str) -> Ask<'a> {
        Ask::chat(self.instruction, &self.examples, said).among(self.words)
    }

    /// The word that `answer` chooses; none if it names none of them, or several.
    #[must_use]
    pub fn read(&self, answer: &str) -> Option<&'static str> {
        let read: Option<Value> = serde_json::from_str(answer.trim()).ok();
        let chosen = read.as_ref().and_then(|read| read.get(FIELD)?.as_str());
        let named = |word: &&&str| match chosen {
            Some(chosen) => chosen == **word,
            None => answer.split(|c: char| !c.is_alphanumeric()).any(|part| part == **word),
        };
        let mut named = self.words.iter().filter(named);
        named.next().copied().filter(|_| named.next().is_none())
    }
}

/// The form of an answer that is one of `words`.
pub(crate) fn schema(words: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {FIELD: {"type": "string", "enum": words}},
        "required": [FIELD],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_chosen_or_none() {
        let choice = Choice::new("Sort it.", &["tea", "milk"], &[("green leaves", "tea")]);
        for (answer, chosen) in [
            (r#" {"choice": "milk"} "#, Some("milk")),
            ("It is tea.", Some("tea")),
            ("tea or milk", None),
            (r#"{"choice": "beer"}"#, None),
            (r#"{"choice": "beer", "tea": 1}"#, None),
            ("teacup", None),
            ("", None),
        ] {
            assert_eq!(choice.read(answer), chosen, "{answer}");
        }
        let ask = choice.ask("white and fat");
        let told: Vec<&str> = ask.earlier.iter().map(|message| message.text.as_str()).collect();
        assert_eq!(told, ["green leaves", r#"{"choice":"tea"}"#]);
        assert_eq!(ask.choices, Some(&["tea", "milk"][..]));
    }
}
