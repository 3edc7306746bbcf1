//! Finds what was said earlier, by its words.

use std::collections::BTreeSet;

use journal::{JournalEvent, Role};

use crate::note::stamp;

/// How many turns are found at most.
const FOUND: usize = 5;

/// How much of one is shown, in characters.
const SHOWN: usize = 500;

/// Words that stand in every question, so that they find nothing.
const STOP: &str = "a about again all am an and any are as at be been before by can could did do does earlier for from had has \
     have he her him his how i in is it its last me mentioned my of on or our said say she so something spoke talk talked tell \
     that the their them then there they thing things this time to told us was we were what when where which who whom why will \
     with would you your";

/// A turn of an earlier conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// Its day and its words, on one line: `2026-11-23: ...`.
    pub line: String,
    /// What it was said by and under.
    pub event: JournalEvent,
}

/// The turns among `events`, oldest first, that have most of the words of `query`, best first. A query of nothing but stop words
/// asks for the latest ones.
#[must_use]
pub fn recall(events: &[JournalEvent], query: &str) -> Vec<Recalled> {
    let said: Vec<&JournalEvent> = events
        .iter()
        .filter(|event| event.role != Role::Action && event.role != Role::Clear)
        .filter(|event| !event.text.trim().is_empty())
        .collect();
    let stop: BTreeSet<&str> = STOP.split_whitespace().collect();
    let words: BTreeSet<String> =
        words(query).into_iter().filter(|word| !stop.contains(word.as_str())).collect();
    if words.is_empty() {
        return said.iter().rev().take(FOUND).map(|event| shown(event)).collect();
    }
    let texts: Vec<String> = said.iter().map(|event| event.text.to_lowercase()).collect();
    let weights: Vec<(String, f64)> = words
        .into_iter()
        .map(|word| {
            let count = texts.iter().filter(|text| has(text, &word)).count();
            // The rarer, the heavier.
            let rare = (texts.len() as f64 + 1.0) / (count as f64 + 1.0);
            (word, 1.0 + rare.ln())
        })
        .collect();
    let weigh = |text: &str| -> f64 {
        weights.iter().filter(|(word, _)| has(text, word)).map(|(_, weight)| weight).sum()
    };
    let mut found: Vec<(f64, usize)> =
        texts.iter().enumerate().map(|(at, text)| (weigh(text), at)).collect();
    found.retain(|(weight, _)| *weight > 0.0);
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    found.into_iter().take(FOUND).map(|(_, at)| shown(said[at])).collect()
}

fn shown(event: &JournalEvent) -> Recalled {
    let words = answer::sanitize::one_line(&event.text);
    let short: String = words.chars().take(SHOWN).collect();
    let line = format!("{}: {short}", stamp(event.at).strftime("%Y-%m-%d"));
    Recalled { line, event: event.clone() }
}

/// Whether the word begins a word of `text`; where words are not parted by spaces, whether it stands there.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric()) || word.chars().any(is_unparted)
    })
}

/// The words of a text in small letters. A script without spaces gives pairs of letters.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let letters: Vec<char> = word.chars().collect();
        if letters.len() > 2 && letters.iter().any(|c| is_unparted(*c)) {
            words.extend(letters.windows(2).map(|pair| pair.iter().collect()));
        } else {
            words.push(stem(word).to_owned());
        }
    }
    words
}

/// The word without a plural's s, so that it begins both forms.
fn stem(word: &str) -> &str {
    if word.len() > 3 { word.strip_suffix('s').unwrap_or(word) } else { word }
}

/// Chinese, Japanese and Thai letters.
fn is_unparted(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use protocol::{Millis, Taint};

    use super::*;

    fn find(texts: &[&str], query: &str) -> Vec<String> {
        let day = 86_400_000;
        let event = |(at, text): (usize, &&str)| JournalEvent {
            at: Millis(at as u64 * day),
            role: Role::User,
            from: String::new(),
            text: (*text).to_owned(),
            bits: Taint::CLEAN,
        };
        let events: Vec<JournalEvent> = texts.iter().enumerate().map(event).collect();
        recall(&events, query).into_iter().map(|found| found.line).collect()
    }

    #[test]
    fn the_rarest_words_count_most() {
        let said =
            ["The key is under the blue pot.", "Blue is fine.", "Blue pots are blue.", "Hi."];
        assert_eq!(
            find(&said, "Where is the key?"),
            ["1970-01-01: The key is under the blue pot."]
        );
        assert_eq!(find(&said, "blue keys")[0], "1970-01-01: The key is under the blue pot.");
        assert_eq!(find(&said, "pot").len(), 2);
        assert_eq!(find(&said, "submarine").len(), 0, "nothing is found, and nothing is made up");
    }

    #[test]
    fn a_question_of_stop_words_asks_for_the_latest() {
        let said = ["a", "b", "c", "d", "e", "f"];
        let latest: Vec<String> = find(&said, "What did we talk about last time?");
        assert_eq!((latest.len(), latest[0].as_str()), (5, "1970-01-06: f"));
    }

    #[test]
    fn every_text_is_a_query() {
        let said = ["\u{6211}\u{7684}\u{94a5}\u{5319}\u{5728}\u{82b1}\u{76c6}\u{4e0b}", "x"];
        assert_eq!(find(&said, "\u{94a5}\u{5319}\u{5728}\u{54ea}\u{91cc}").len(), 1);
        for query in ["", "\"", "\0 AND * ( \u{1f600}", &"long ".repeat(10_000)] {
            let _ = find(&said, query);
        }
        assert!(find(&["y".repeat(9_000).as_str()], "y")[0].len() < 600);
    }
}
