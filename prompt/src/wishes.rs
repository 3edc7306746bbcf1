//! How many things a message asks for, as far as its words tell: small models stop after the first.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use protocol::ActionCard;
use regex::Regex;

use super::handed::wish;
use super::relevance::{Known, Text, Told};
use super::said::Said;
use super::words::words;

/// What stands between two wishes in one message, in the languages that the first-party actions are shown in.
static BETWEEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\s(?:and|then|und|dann|y|e|et)\s|\s&\s|[,;?!]\s|\.\s|[和并、\u{ff0c}\u{ff1b}\u{3002}\u{ff1f}\u{ff01}]",
    )
    .ok()
});

/// A time or a span of time, in the same languages: `at 9`, `in 5`, `8 minutes`, `9点`.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:at|by|in|for|until|um|gegen|bis|a\s+las?|en|para|hasta)\s+\d|\d\s*(?:[ap]m\b|uhr\b|h\b|min|sec|sek|hour|stund|hora|seg|点|點|分)",
    )
    .ok()
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
    // `On Friday at 5, remind me of it`
    let mut head = String::new();
    for part in parts(&wish(text)) {
        let wish = Wish::of(part, known, &found);
        let card = wish.as_ref().and_then(|wish| cards.get(wish.place).copied());
        match (card, wished.last_mut()) {
            (Some(card), _) => {
                wished.push(Wished { card, words: std::mem::take(&mut head) + part })
            }
            (None, Some(last)) => last.words.extend([" ", part]),
            (None, None) => head.extend([part, " "]),
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
    /// Whether it names a time.
    has_time: bool,
}

impl Wish {
    /// What `part` asks for beyond the `earlier` parts, if it tells.
    fn of(part: &str, known: &Known, earlier: &[Self]) -> Option<Self> {
        let (text, has_time) = (Text::of(part), has_time(part));
        let Some(place) = known.best(&text) else {
            // `at 9 to call Max and at 11 to feed the cat`
            let last = earlier.last().filter(|last| last.has_time && has_time)?;
            return Some(Self { place: last.place, text, has_time });
        };
        let told = known.told(place)?;
        let is_new = |one: &Self| {
            (one.has_time && has_time)
                || begins_again(told, &one.text, &text)
                || is_another(told, &one.text, &text)
        };
        let mut same = earlier.iter().filter(|one| one.place == place);
        same.all(is_new).then_some(Self { place, text, has_time })
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

fn has_time(part: &str) -> bool {
    TIME.as_ref().is_some_and(|time| time.is_match(part))
}

/// Whether both begin with the same word as an example: `text Lena ... and text Paul ...`.
fn begins_again(told: &Told, earlier: &Text, text: &Text) -> bool {
    let first = text.first.as_ref().filter(|first| told.firsts.contains(*first));
    first.is_some() && first == earlier.first.as_ref()
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
    use testkit::cards::{agent_cards, router_cards};

    fn wished(message: &str) -> Vec<String> {
        let cards = [agent_cards(), router_cards()].concat();
        let cards: Vec<&ActionCard> = cards.iter().collect();
        wishes(Said::plainly(message), &cards).iter().map(|one| one.card.name.to_string()).collect()
    }

    #[test]
    fn what_stands_before_the_first_wish_is_its() {
        let cards = router_cards();
        let cards: Vec<&ActionCard> = cards.iter().collect();
        let wishes = wishes(Said::plainly("On Friday, publish it, and fetch a.example"), &cards);
        let words: Vec<&str> = wishes.iter().map(|one| one.words.as_str()).collect();
        assert_eq!(words, ["On Friday publish it", "and fetch a.example"]);
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
            ("Post 'a' to X at 9, 2 pills and 1 apple", vec!["CREATE_POST"]),
            ("Post this on X, 1,000 times", vec!["CREATE_POST"]),
            ("Remember that my website is example.org", vec!["_MEMORY_WRITE"]),
            ("Remember one thing and remember another", vec!["_MEMORY_WRITE", "_MEMORY_WRITE"]),
            (
                "Read https://a.example\u{ff0c}https://b.example\u{3002}",
                vec!["WEB_FETCH", "WEB_FETCH"],
            ),
        ] {
            assert_eq!(wished(message), names, "{message}");
        }
    }
}
