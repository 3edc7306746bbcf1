//! A gloss: what a message in another language says in English, in the model's own words. People describe their actions in
//! English, and a small model finds the right one by its words only.

use answer::sanitize::tame;
use protocol::ActionCard;
use serde_json::{Value, json};

use super::tongue::is_foreign;
use super::wishes::is_told;

/// How long a message may be, in bytes, that is worth a gloss; who writes more says it in many words.
const LONGEST: usize = 400;

/// What is done about a message's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gloss<'a> {
    /// Nothing.
    #[default]
    None,
    /// The model is asked for the gloss, not for an answer.
    Wanted,
    /// This is the gloss.
    Is(&'a str),
}

impl<'a> Gloss<'a> {
    pub(super) fn text(self) -> Option<&'a str> {
        match self {
            Self::Is(text) => Some(text),
            Self::None | Self::Wanted => None,
        }
    }
}

/// Whether a small model should be asked for one: the message is short, not English, and does not tell in all its parts
/// which actions it asks for.
#[must_use]
pub fn wants_gloss(message: &str, cards: [&[ActionCard]; 2]) -> bool {
    let cards: Vec<&ActionCard> = cards.into_iter().flatten().collect();
    message.len() <= LONGEST && is_foreign(message) && !is_told(message, &cards)
}

/// How the model is asked for it, in the place of the message.
pub(super) fn request(message: &str) -> String {
    format!(
        "Take no action now. Translate this sentence to English, word for word:\n{}",
        tame(message)
    )
}

/// The form of the answer.
#[must_use]
pub fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"english": {"type": "string"}},
        "required": ["english"],
        "additionalProperties": false,
    })
}

/// The gloss in the answer, if it is one; a long one is none.
#[must_use]
pub fn read(answer: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer.trim()).ok()?;
    let text = answer.get("english")?.as_str()?.trim();
    (!text.is_empty() && text.len() <= 2 * LONGEST).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::cards::{agent_cards, router_cards};

    #[test]
    fn short_messages_in_other_languages_want_one_unless_all_of_them_tells() {
        let cards = [agent_cards(), router_cards()];
        for (message, wanted) in [
            ("Wie lange braucht der Bus nach Linz?", true),
            ("¿Quién pintó este cuadro?", true),
            ("请在周五下午叫我去接孩子。", true),
            ("Publica 'Hola' en X y enciende la luz", true),
            ("Poste 'Hallo' auf X", false),
            ("Was steht auf https://example.com?", false),
            ("What is the name of that tall tree?", false),
            ("thanks, that is all for now", false),
            ("", false),
            ("42", false),
        ] {
            assert_eq!(wants_gloss(message, [&cards[0], &cards[1]]), wanted, "{message}");
        }
        let long = "Wie lange braucht der Bus nach Linz? ".repeat(20);
        assert!(!wants_gloss(&long, [&cards[0], &cards[1]]));
    }

    #[test]
    fn what_is_no_gloss_is_none() {
        assert_eq!(read(r#" {"english": " Hello. "}"#), Some("Hello.".to_owned()));
        for answer in ["", "Hello.", "{}", r#"{"english": ""}"#, r#"{"english": 1}"#] {
            assert_eq!(read(answer), None, "{answer}");
        }
        let long = format!(r#"{{"english": "{}"}}"#, "a".repeat(1_000));
        assert_eq!(read(&long), None);
    }
}
