//! How many things a message asks for, as far as its words tell: small models stop after the first.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use protocol::ActionCard;
use regex::Regex;

use super::handed::wish;
use super::relevance::{Known, Text, Told};
use super::said::Said;
use super::tongue::Tongue;

/// What ends a part of a sentence, in any script.
static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\p{Terminal_Punctuation}\s|[\p{Terminal_Punctuation}--[:ascii:]]").ok()
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
    let tongue = Tongue::of(text);
    for part in parts(&wish(text), tongue) {
        let wish = Wish::of((part, tongue), known, &found);
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
    let tongue = Tongue::of(message);
    let parts = parts(&wish, tongue).map(|part| Text::within(part, tongue));
    let mut parts = parts.filter(|part| !part.is_empty()).peekable();
    parts.peek().is_some() && parts.all(|part| known.best(&part).is_some())
}

/// One part of a message that asks for something.
struct Wish {
    /// The place of the card.
    place: usize,
    text: Text,
    /// What stands beside its numbers.
    beside: BTreeSet<String>,
}

impl Wish {
    /// What `part` asks for beyond the `earlier` parts, if it tells.
    fn of((part, tongue): (&str, Tongue), known: &Known, earlier: &[Self]) -> Option<Self> {
        let (text, beside) = (Text::within(part, tongue), beside_numbers(part));
        let is_alike = |one: &Self| !one.beside.is_disjoint(&beside);
        let Some(place) = known.best(&text) else {
            // `at 9 to call Max and at 11 to feed the cat`
            let place = earlier.last().filter(|last| is_alike(last))?.place;
            return Some(Self { place, text, beside });
        };
        let told = known.told(place)?;
        let is_new = |one: &Self| {
            is_alike(one)
                || begins_again(told, &one.text, &text)
                || is_another(told, &one.text, &text)
        };
        let mut same = earlier.iter().filter(|one| one.place == place);
        same.all(is_new).then_some(Self { place, text, beside })
    }
}

/// Whether a message may ask for two things.
pub(super) fn joins(said: Said<'_>) -> bool {
    let is_some = |part: &&str| !part.trim().is_empty();
    let several = |text| parts(&wish(text), Tongue::of(text)).filter(is_some).count() > 1;
    said.texts().any(several)
}

fn parts(message: &str, tongue: Tongue) -> impl Iterator<Item = &str> {
    let mut parts = match END.as_ref() {
        Some(end) => end.split(message).collect(),
        None => vec![message],
    };
    for joint in tongue.joints() {
        parts = parts.into_iter().flat_map(|part| part.split(joint)).collect();
    }
    parts.into_iter()
}

/// The words or marks right before and behind each number: `at 9` and `at 11` are the same kind of thing, as `9pm` and `11pm`
/// are.
fn beside_numbers(part: &str) -> BTreeSet<String> {
    let tokens: Vec<String> = part.split_whitespace().map(str::to_lowercase).collect();
    let is_digit = |c: char| c.is_ascii_digit();
    let mut beside = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let (Some(first), Some(last)) = (token.find(is_digit), token.rfind(is_digit)) else {
            continue;
        };
        let word = |place: Option<usize>| {
            let word = place.and_then(|place| tokens.get(place));
            word.filter(|word| !word.contains(is_digit)).map(String::as_str)
        };
        let before = Some(&token[..first]).filter(|text| !text.is_empty());
        let behind = Some(&token[last + 1..]).filter(|text| !text.is_empty());
        beside.extend(before.or(word(at.checked_sub(1))).map(|text| format!("{text} 1")));
        beside.extend(behind.or(word(Some(at + 1))).map(|text| format!("1 {text}")));
    }
    beside
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
            ("Post 'a' to X 9pm, 11pm", vec!["CREATE_POST", "CREATE_POST"]),
            ("Publie 'a' sur X et sur LinkedIn", vec!["CREATE_POST", "CREATE_POST"]),
            ("Publicer 'a' på X og også på LinkedIn", vec!["CREATE_POST", "CREATE_POST"]),
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
