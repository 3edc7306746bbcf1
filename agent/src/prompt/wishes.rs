//! How many things a message asks for, as far as its words tell: small models stop after the first.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use protocol::ActionCard;
use regex::Regex;

use super::handed::wish;
use super::relevance::{Known, Text, Told};
use super::said::Said;
use super::words::{has_number, words};

/// What stands between two wishes in one message, in the languages that the first-party actions are shown in.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\s(?:and|then|und|dann|y|e|et)\s|\s&\s|[,;?!]\s|\.\s|[和、并,;。?!]").ok()
});

/// A thing that a message asks for.
#[derive(Debug, Clone)]
pub(super) struct Wished<'c> {
    /// The action that does it.
    pub(super) card: &'c ActionCard,
    /// The words that ask for it, up to those that ask for the next thing, without what they hand on. Of a gloss, if that
    /// tells more than the message.
    pub(super) words: String,
}

/// What a message asks for, in its order, the same twice if it names two values or addresses. Empty if no word tells. It is
/// a guess by words, good enough to help a small model, not to decide.
#[must_use]
pub(super) fn wishes<'c>(said: Said<'_>, cards: &[&'c ActionCard]) -> Vec<Wished<'c>> {
    let known = Known::read(cards);
    // In another language than the cards' some parts tell, in English the others may.
    let by_text = said.texts().map(|text| wished(text, &known, cards));
    let most = by_text.reduce(|one, other| if other.len() > one.len() { other } else { one });
    most.unwrap_or_default()
}

fn wished<'c>(text: &str, known: &Known, cards: &[&'c ActionCard]) -> Vec<Wished<'c>> {
    let mut found: Vec<Wish> = Vec::new();
    let mut wished: Vec<Wished<'c>> = Vec::new();
    for part in parts(&wish(text)) {
        let wish = Wish::of(part, known, &found);
        let card = wish.as_ref().and_then(|wish| cards.get(wish.place).copied());
        match (card, wished.last_mut()) {
            (Some(card), _) => wished.push(Wished { card, words: part.to_owned() }),
            (None, Some(last)) => last.words.extend([" ", part]),
            (None, None) => {}
        }
        found.extend(wish);
    }
    wished
}

/// Whether every part of a message tells which action it asks for.
pub(super) fn is_told(message: &str, cards: &[&ActionCard]) -> bool {
    let known = Known::read(cards);
    let wish = wish(message);
    let mut parts = parts(&wish).filter(|part| !words(part).is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| known.best(&Text::of(part)).is_some())
}

/// One part of a message that asks for something.
struct Wish {
    /// The place of the card.
    place: usize,
    text: Text,
    /// Whether it names a time or another number.
    has_number: bool,
}

impl Wish {
    /// What `part` asks for beyond the `earlier` parts, if it tells.
    fn of(part: &str, known: &Known, earlier: &[Self]) -> Option<Self> {
        let (text, has_number) = (Text::of(part), has_number(part));
        let Some(place) = known.best(&text) else {
            // `at 9 to call Max and at 11 to feed the cat`
            let last = earlier.last().filter(|last| last.has_number && has_number)?;
            return Some(Self { place: last.place, text, has_number });
        };
        let told = known.told(place)?;
        let mut same = earlier.iter().filter(|earlier| earlier.place == place);
        same.all(|earlier| is_another(told, &earlier.text, &text)).then_some(Self {
            place,
            text,
            has_number,
        })
    }
}

/// Whether a message may ask for two things.
pub(super) fn joins(said: Said<'_>) -> bool {
    let several = |text| parts(&wish(text)).filter(|part| !part.trim().is_empty()).count() > 1;
    said.texts().any(several)
}

fn parts(message: &str) -> Box<dyn Iterator<Item = &str> + '_> {
    match BETWEEN.as_ref() {
        Some(between) => Box::new(between.split(message)),
        None => Box::new(std::iter::once(message)),
    }
}

/// Whether `text` wants another thing of the same action than `earlier`: another value of the same parameter, or another
/// address.
fn is_another(told: &Told, earlier: &Text, text: &Text) -> bool {
    let other_value = |listed: &BTreeSet<String>| {
        let [old, new] = [earlier, text].map(|text| text.values_of(listed));
        !old.is_empty() && !new.is_empty() && old.is_disjoint(&new)
    };
    let pointed = told.is_pointed_at_by(earlier) && told.is_pointed_at_by(text);
    pointed || told.values.iter().any(other_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agent_cards, router_cards};

    fn wished(message: &str) -> Vec<String> {
        let cards = [agent_cards(), router_cards()].concat();
        let cards: Vec<&ActionCard> = cards.iter().collect();
        wishes(Said::plainly(message), &cards).iter().map(|one| one.card.name.to_string()).collect()
    }

    #[test]
    fn each_part_that_tells_is_a_wish() {
        for (message, names) in [
            (
                "Remember that tea is green and post 'Tea!' on X",
                vec!["_MEMORY_WRITE", "CREATE_POST"],
            ),
            ("Post 'black and white' on LinkedIn and on X", vec!["CREATE_POST", "CREATE_POST"]),
            ("Read https://a.example, then https://b.example", vec!["WEB_FETCH", "WEB_FETCH"]),
            ("Publish on X and be quick about it", vec!["CREATE_POST"]),
            ("Read a.example/x and tell me the main points", vec!["WEB_FETCH"]),
            ("Post on X: salt and pepper, remember LinkedIn", vec!["CREATE_POST"]),
            ("Post 'a' to X at 9 and at 11", vec!["CREATE_POST", "CREATE_POST"]),
            ("How are you, and what is 2 and 2?", vec![]),
        ] {
            assert_eq!(wished(message), names, "{message}");
        }
    }
}
