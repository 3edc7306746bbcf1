//! Which actions a message may be about, by its words alone.
//!
//! A small model calls whatever it is offered. So the ones that share a word with the message are shown best and
//! offered alone; when none does (another language, `and tomorrow?`), all are. Each word counts by how few actions
//! have it (the idf of BM25, Robertson and Zaragoza 2009); lengths don't count, for the texts are a line or two.

use std::collections::BTreeSet;

use protocol::{ActionCard, Example};
use serde_json::Value;

/// How much of the best score an action needs to be relevant, too: who asks for two things at once says one of them
/// in fewer words.
const SHARE: f64 = 0.3;

/// How many letters of a word count, so that `lights` is `light`.
const STEM: usize = 5;

/// English words that say nothing of what is wanted.
const EMPTY: [&str; 44] = [
    "the", "a", "an", "to", "of", "in", "on", "at", "is", "it", "and", "that", "my", "me", "i",
    "for", "do", "does", "what", "will", "be", "with", "from", "by", "or", "you", "your", "this",
    "are", "not", "no", "as", "user", "some", "thing", "one", "s", "t", "has", "have", "can",
    "how", "was", "we",
];

/// The cards that `message` may be about, best first; all, in their order, if no word tells.
#[must_use]
pub(super) fn relevant<'c>(message: &str, cards: &[&'c ActionCard]) -> Vec<&'c ActionCard> {
    let said = words(message);
    let texts: Vec<BTreeSet<String>> = cards.iter().map(|card| words_of(card)).collect();
    let weight = |word: &String| {
        let having = texts.iter().filter(|text| text.contains(word)).count() as f64;
        (1.0 + (texts.len() as f64 - having + 0.5) / (having + 0.5)).ln()
    };
    let score = |text: &BTreeSet<String>| said.intersection(text).map(weight).sum::<f64>();
    let mut scored: Vec<(f64, &ActionCard)> =
        texts.iter().map(score).zip(cards.iter().copied()).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    if best <= 0.0 {
        return cards.to_vec();
    }
    scored.into_iter().filter(|(score, _)| *score >= SHARE * best).map(|(_, card)| card).collect()
}

/// A card's examples, those first that share the most words with the message.
pub(super) fn nearest<'c>(message: &str, card: &'c ActionCard) -> Vec<&'c Example> {
    let said = words(message);
    let shared = |example: &&Example| said.intersection(&words(&example.say)).count();
    let mut examples: Vec<&Example> = card.examples.iter().collect();
    examples.sort_by_key(|example| std::cmp::Reverse(shared(example)));
    examples
}

/// What a card says of itself: its name, what it is for, the values that it takes, and what people say.
fn words_of(card: &ActionCard) -> BTreeSet<String> {
    let values = card.params.values().filter_map(|schema| schema.get("enum"));
    let values = values.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let says = card.examples.iter().map(|example| example.say.as_str());
    let name = card.name.as_str().replace('_', " ");
    let texts = [name.as_str(), card.instruction.as_str()].into_iter().chain(values).chain(says);
    texts.flat_map(words).collect()
}

/// The words of a text that say something, in lower case and cut to their stems. Addresses and files count as what
/// they are, for no two are the same; of a script without spaces, every two letters are a word.
fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace()
        .flat_map(pieces)
        .filter(|word| !EMPTY.contains(&word.as_str()))
        .collect()
}

fn pieces(word: &str) -> Vec<String> {
    if let Some(kind) = kind(word) {
        return vec![kind.to_owned()];
    }
    let parts = word.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(|part| stems(&part.to_lowercase())).collect()
}

fn stems(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    if letters.iter().all(|letter| is_ideograph(*letter)) && letters.len() > 1 {
        return letters.windows(2).map(|two| two.iter().collect()).collect();
    }
    vec![letters.iter().take(STEM).collect()]
}

/// Chinese and Japanese, which are written without spaces.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// What a word is if it is no word of a language.
fn kind(word: &str) -> Option<&'static str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    let dotted =
        word.contains('.') && !word.starts_with('.') && word.chars().any(char::is_alphabetic);
    match word {
        _ if word.contains("://") => Some("<url>"),
        _ if word.contains('@') && dotted => Some("<mail>"),
        _ if [".txt", ".md", ".json", ".csv", ".html"].iter().any(|end| word.ends_with(end)) => {
            Some("<file>")
        }
        _ if dotted => Some("<url>"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{agent_cards, router_cards};

    fn names(message: &str) -> Vec<String> {
        let cards = [agent_cards(), router_cards()].concat();
        let cards: Vec<&ActionCard> = cards.iter().collect();
        relevant(message, &cards).iter().map(|card| card.name.to_string()).collect()
    }

    #[test]
    fn what_a_message_is_about_is_found_by_words_values_and_addresses() {
        for (message, name) in [
            ("Publish a note, please", "CREATE_POST"),
            ("Bitte auf Mastodon", "CREATE_POST"),
            ("Was steht auf www.example.org?", "WEB_FETCH"),
            ("remembering is hard", "_MEMORY_WRITE"),
            ("kurz: output/notes.txt", "_LLM_SUMMARY"),
        ] {
            assert_eq!(names(message), [name], "{message}");
        }
    }

    #[test]
    fn two_wishes_are_both_found_the_better_one_first() {
        let found = names("Publish 'Hi' on LinkedIn and read https://example.org");
        assert_eq!(found[..2], ["CREATE_POST", "WEB_FETCH"]);
    }

    #[test]
    fn without_a_word_that_tells_all_are_there_in_their_order() {
        let all = ["_MEMORY_WRITE", "_LLM_SUMMARY", "CREATE_POST", "HELLO_WORLD", "WEB_FETCH"];
        for message in ["", "und morgen?", "你好", "is it?"] {
            assert_eq!(names(message), all, "{message}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_read_in_pairs() {
        let mut cards = router_cards();
        cards[1].examples[0].say = "请记住我的名字".to_owned();
        let cards: Vec<&ActionCard> = cards.iter().collect();
        assert_eq!(relevant("记住这个", &cards)[0].name.as_str(), "HELLO_WORLD");
    }
}
