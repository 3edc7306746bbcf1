//! Finds what was said earlier, by its words, by how often it was found, and by its age.

use std::collections::{BTreeMap, BTreeSet};

use activation::{Usage, activation, score};
use document::Json;
use journal::{JournalEvent, Role};
use protocol::Millis;
use serde::{Deserialize, Serialize};

use crate::note::stamp;

/// How many turns are found at most.
const FOUND: usize = 5;

/// How much of one is shown, in characters.
const SHOWN: usize = 500;

/// A word that stands in more than one turn of so many tells nothing by itself: what such words are, in whatever language, the
/// conversations themselves say.
const COMMON: usize = 8;

/// In fewer turns than this no word is common.
const FEW: usize = 4;

/// A turn of an earlier conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// Its day and its words, on one line: `2026-11-23: ...`.
    pub line: String,
    /// What it was said by and under.
    pub event: JournalEvent,
}

/// The turns among `events`, oldest first, that have most of the words of `query`, the best first: the rarer a word is in
/// them, the more it counts, and what was found often or said lately comes a little earlier ([`activation`]), by what `uses`
/// knows at `now`. A query without words, or of words that stand all over these conversations, asks for the latest turns.
#[must_use]
pub fn recall(events: &[JournalEvent], query: &str, uses: &Uses, now: Millis) -> Vec<Recalled> {
    let said: Vec<&JournalEvent> = events
        .iter()
        .filter(|event| event.role != Role::Action && event.role != Role::Clear)
        .filter(|event| !event.text.trim().is_empty())
        .collect();
    let texts: Vec<String> = said.iter().map(|event| event.text.to_lowercase()).collect();
    let words: BTreeSet<String> = words(query).into_iter().collect();
    let counted: Vec<(String, usize)> = words
        .into_iter()
        .map(|word| (texts.iter().filter(|text| has(text, &word)).count(), word))
        .map(|(count, word)| (word, count))
        .collect();
    let common = (texts.len() / COMMON).max(FEW);
    if counted.iter().all(|(_, count)| *count > common) {
        return said.iter().rev().take(FOUND).map(|event| shown(event)).collect();
    }
    let weigh = |text: &str| -> f64 {
        let found = counted.iter().filter(|(word, _)| has(text, word));
        // The rarer, the heavier.
        let weight = |count: usize| ((texts.len() as f64 + 1.0) / (count as f64 + 1.0)).ln();
        found.map(|(_, count)| if *count > common { 0.0 } else { 1.0 + weight(*count) }).sum()
    };
    let mut found: Vec<(f64, usize)> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let present = activation(uses.of(said[at].at), signed(now));
        found.push((score(weigh(text), present), at));
    }
    // What shares but a small word with the question is no answer beside what shares more.
    let best = found.iter().map(|(weight, _)| *weight).fold(0.0, f64::max);
    found.retain(|(weight, _)| *weight > best / 3.0);
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    found.into_iter().take(FOUND).map(|(_, at)| shown(said[at])).collect()
}

fn signed(at: Millis) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

/// `memory-recalled.json`: how often which turn was found, and when last. What is found no more leaves it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Uses(BTreeMap<u64, Use>);

/// How often a turn was found, and when last, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Use {
    times: u32,
    last: Millis,
}

/// How many turns the file knows.
const KNOWN: usize = 500;

impl Uses {
    /// Takes in that `found` were found at `now`.
    pub fn count(&mut self, found: &[Recalled], now: Millis) {
        for one in found {
            let use_ = self.0.entry(one.event.at.0).or_insert(Use { times: 0, last: now });
            (use_.times, use_.last) = (use_.times.saturating_add(1), now);
        }
        while self.0.len() > KNOWN {
            let oldest = self.0.iter().min_by_key(|(_, one)| one.last).map(|(at, _)| *at);
            oldest.map(|at| self.0.remove(&at));
        }
    }

    fn of(&self, said: Millis) -> Usage {
        let known = self.0.get(&said.0);
        let last = known.map_or(said, |known| known.last.max(said));
        Usage { base: 0.0, count: known.map_or(0, |known| known.times), last: signed(last) }
    }
}

impl Json for Uses {
    const LIMIT: u64 = 256 * 1024;
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
    use protocol::Taint;

    use super::*;

    const DAY: u64 = 86_400_000;

    /// What was said, a turn a day.
    fn said(texts: &[&str]) -> Vec<JournalEvent> {
        let event = |(at, text): (usize, &&str)| JournalEvent {
            at: Millis(at as u64 * DAY),
            role: Role::User,
            from: String::new(),
            text: (*text).to_owned(),
            bits: Taint::CLEAN,
        };
        texts.iter().enumerate().map(event).collect()
    }

    fn find(texts: &[&str], query: &str) -> Vec<String> {
        let found = recall(&said(texts), query, &Uses::default(), Millis(0));
        found.into_iter().map(|found| found.line).collect()
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
    fn words_that_stand_all_over_the_conversations_ask_for_the_latest() {
        // The house's words are common here, in two languages, and no list says so.
        for (common, rare) in [("what do we have about", "heron"), ("was haben wir zu", "reiher")] {
            let turns: Vec<String> = (0..40).map(|n| format!("{common} thing{n}")).collect();
            let mut turns: Vec<&str> = turns.iter().map(String::as_str).collect();
            turns.insert(3, rare);
            let latest = find(&turns, common);
            assert_eq!((latest.len(), latest[0].ends_with("thing39")), (5, true), "{latest:?}");
            assert_eq!(find(&turns, &format!("{common} {rare}")).len(), 1);
            assert_eq!(find(&turns, &format!("{common} submarine")).len(), 0);
        }
        assert_eq!(find(&["a", "b"], ""), ["1970-01-02: b", "1970-01-01: a"]);
    }

    #[test]
    fn what_was_found_often_comes_first_and_fades_again() {
        let events = said(&["the red boat", "the blue boat"]);
        let mut uses = Uses::default();
        let first = |uses: &Uses, day| {
            recall(&events, "boat", uses, Millis(day * DAY)).remove(0).event.at.0 / DAY
        };
        assert_eq!(first(&uses, 2), 1, "the later one");
        let red: Vec<Recalled> = recall(&events, "red", &uses, Millis(2 * DAY));
        for _ in 0..20 {
            uses.count(&red, Millis(2 * DAY));
        }
        assert_eq!(first(&uses, 2), 0);
        // A clock that jumps back counts as no time.
        assert_eq!(first(&uses, 0), 0);
        for n in 0..KNOWN as u64 + 10 {
            let mut other = red.clone();
            other[0].event.at = Millis(1_000_000 * DAY + n);
            uses.count(&other, Millis(3 * DAY));
        }
        assert_eq!((uses.0.len(), first(&uses, 4)), (KNOWN, 1));
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
