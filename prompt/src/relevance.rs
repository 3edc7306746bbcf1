//! Which actions a message may be about, by its words alone.
//!
//! A small model calls whatever it is offered. So the ones that share a word with the message are shown best and
//! offered alone; when none does (another language, `and tomorrow?`), all are. Each word counts by how few actions
//! have it (the idf of BM25, Robertson and Zaragoza 2009); lengths don't count, for the texts are a line or two.

use std::collections::BTreeSet;
use std::sync::Arc;

use protocol::{ActionCard, Example};
use serde_json::Value;

use super::handed::wish;
use super::once::Once;
use super::said::Said;
use super::tongue::Tongue;
use super::words::{in_order, kinds, value, values, words};

/// How much of the best score an action needs to be relevant, too: who asks for two things at once says one of them
/// in fewer words.
const SHARE: f64 = 0.3;

/// How many times a word counts that is a value of a parameter, or an address: few words tell as much.
const VALUE: f64 = 2.0;

/// The cards that a message may be about, best first; all, in their order, if no word tells.
#[must_use]
pub(super) fn relevant<'c>(said: Said<'_>, cards: &[&'c ActionCard]) -> Vec<&'c ActionCard> {
    let known = Known::read(cards);
    let of_wish = known.scores(&Text::of_wish(said));
    let scores = if known.is_told(&of_wish) { of_wish } else { known.scores(&Text::of_all(said)) };
    if !known.is_told(&scores) {
        return cards.to_vec();
    }
    let mut scored: Vec<(f64, &ActionCard)> =
        scores.into_iter().zip(cards.iter().copied()).collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored.into_iter().filter(|(score, _)| *score >= SHARE * best).map(|(_, card)| card).collect()
}

/// A card's examples, those first that share the most words with the message.
pub(super) fn nearest<'c>(said: Said<'_>, card: &'c ActionCard) -> Vec<&'c Example> {
    let wished = |text: &str| words(&wish(text));
    let said: BTreeSet<String> = said.texts().flat_map(wished).collect();
    let shared = |example: &&Example| said.intersection(&wished(&example.say)).count();
    let mut examples: Vec<&Example> = card.examples.iter().collect();
    examples.sort_by_key(|example| std::cmp::Reverse(shared(example)));
    examples
}

/// How much more a word counts that a part of a message begins with, if an example of the card does so too: what is said
/// first is what is to be done. `Remember that my website is example.org` is about remembering.
const FIRST: f64 = 1.5;

/// How much a word counts that stands only in what a card says of itself, while people say others: `text` is less of a hint
/// at what publishes a text than at what is asked for by `Text Maria that ...`.
const UNSAID: f64 = 0.5;

/// What a text says, as it is held against cards.
pub(super) struct Text {
    /// The word that it begins with, if it is one that says something.
    pub(super) first: Option<String>,
    words: BTreeSet<String>,
    values: BTreeSet<String>,
}

impl Text {
    /// All of it.
    pub(super) fn of(text: &str) -> Self {
        Self::within(text, Tongue::of(text))
    }

    /// A part of a text in this language: a part alone tells less of it.
    pub(super) fn within(text: &str, tongue: Tongue) -> Self {
        let words = || in_order(text, tongue);
        let first = words().next().filter(|word| !word.starts_with('<'));
        Self { first, words: words().collect(), values: values(text, tongue) }
    }

    /// What a message wants, without what it hands on; addresses count wherever they stand.
    pub(super) fn of_wish(said: Said<'_>) -> Self {
        let mut text = Self::union(said.texts().map(|text| Self::of(&wish(text))));
        text.words.extend(kinds(said.message));
        text
    }

    fn of_all(said: Said<'_>) -> Self {
        Self::union(said.texts().map(Self::of))
    }

    fn union(texts: impl Iterator<Item = Self>) -> Self {
        let empty = Self { first: None, words: BTreeSet::new(), values: BTreeSet::new() };
        texts.fold(empty, |mut all, text| {
            all.words.extend(text.words);
            all.values.extend(text.values);
            all
        })
    }

    /// Whether none of its words says anything.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Which of `listed`, the values of one parameter, are in it.
    pub(super) fn values_of(&self, listed: &BTreeSet<String>) -> BTreeSet<String> {
        self.values.intersection(listed).cloned().collect()
    }
}

/// Cards, read for what they say of themselves.
pub(super) struct Known(Vec<Arc<Told>>);

/// What each card says, for reading it takes longer than all the rest.
static TOLD: Once<Told> = Once::new();

/// What a card says.
pub(super) struct Told {
    /// The words of its name, of what it is for, of the values that it takes, and of what people say.
    words: BTreeSet<String>,
    /// Those of them that stand in what it is for alone.
    unsaid: BTreeSet<String>,
    /// What people begin with.
    pub(super) firsts: BTreeSet<String>,
    /// The values of each parameter that lists them.
    pub(super) values: Vec<BTreeSet<String>>,
}

impl Known {
    /// Reads them.
    pub(super) fn read(cards: &[&ActionCard]) -> Self {
        Self(cards.iter().map(|card| TOLD.of(card, Told::by)).collect())
    }

    /// What the card at this place says.
    pub(super) fn told(&self, place: usize) -> Option<&Told> {
        self.0.get(place).map(AsRef::as_ref)
    }

    /// How much each card has to do with the text.
    fn scores(&self, text: &Text) -> Vec<f64> {
        self.0.iter().map(|told| self.score(text, told, self.0.len())).collect()
    }

    fn is_told(&self, scores: &[f64]) -> bool {
        scores.iter().any(|score| *score > 0.0)
    }

    /// The card that a text is about, if something in it tells: a value, an address, or a word that few cards have.
    pub(super) fn best(&self, text: &Text) -> Option<usize> {
        let scores = self.0.iter().map(|told| self.score(text, told, FEW) + self.first(text, told));
        let best = scores.enumerate().max_by(|one, other| one.1.total_cmp(&other.1))?;
        (best.1 > 0.0).then_some(best.0)
    }

    /// What it weighs that they begin with the same word.
    fn first(&self, text: &Text, told: &Told) -> f64 {
        let Some(first) = text.first.as_ref().filter(|first| told.firsts.contains(*first)) else {
            return 0.0;
        };
        let having = self.0.iter().filter(|told| told.firsts.contains(first)).count();
        FIRST * self.weight(having, FEW)
    }

    /// The weights of what they share, if no more than `most` cards have it.
    fn score(&self, text: &Text, told: &Told, most: usize) -> f64 {
        let words = text.words.intersection(&told.words).map(|word| {
            let having = self.0.iter().filter(|told| told.words.contains(word)).count();
            let times = match word {
                kind if kind.starts_with('<') => VALUE,
                word if told.unsaid.contains(word) => UNSAID,
                _ => 1.0,
            };
            self.weight(having, most) * times
        });
        let values = told.values.iter().flat_map(|listed| text.values.intersection(listed));
        let values = values.map(|value| {
            let has = |told: &&Arc<Told>| told.values.iter().any(|listed| listed.contains(value));
            self.weight(self.0.iter().filter(has).count(), most) * VALUE
        });
        words.chain(values).sum()
    }

    fn weight(&self, having: usize, most: usize) -> f64 {
        if having > most {
            return 0.0;
        }
        let having = having as f64;
        (1.0 + (self.0.len() as f64 - having + 0.5) / (having + 0.5)).ln()
    }
}

/// How many cards may have a word that still tells which is meant.
const FEW: usize = 2;

impl Told {
    fn by(card: &ActionCard) -> Self {
        let listed = card.params.values().filter_map(|schema| schema.get("enum"));
        let listed = listed.filter_map(Value::as_array);
        let texts_of = |list: &'_ Vec<Value>| -> Vec<String> {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let listed: Vec<Vec<String>> = listed.map(texts_of).collect();
        // Who says hello says nothing of the post `Hello World`.
        let says: Vec<String> = card.examples.iter().map(|example| wish(&example.say)).collect();
        let name = card.name.as_str().replace('_', " ");
        let own = std::iter::once(name.as_str());
        let said = own
            .chain(listed.iter().flatten().map(String::as_str))
            .chain(says.iter().map(String::as_str));
        let said: BTreeSet<String> = said.flat_map(words).collect();
        let is_for = words(&card.instruction);
        let firsts = says.iter().filter_map(|say| Text::of(say).first).collect();
        let unsaid = match says.is_empty() {
            true => BTreeSet::new(),
            false => is_for.difference(&said).cloned().collect(),
        };
        let values = |list: &Vec<String>| list.iter().map(|text| value(text)).collect();
        let words = said.into_iter().chain(is_for).collect();
        Self { words, unsaid, firsts, values: listed.iter().map(values).collect() }
    }

    /// Whether it is about addresses or files, and the text names one.
    pub(super) fn is_pointed_at_by(&self, text: &Text) -> bool {
        text.words.intersection(&self.words).any(|word| word.starts_with('<'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::cards::{agent_cards, router_cards};

    fn names(message: &str) -> Vec<String> {
        let cards = [agent_cards(), router_cards()].concat();
        let cards: Vec<&ActionCard> = cards.iter().collect();
        relevant(Said::plainly(message), &cards).iter().map(|card| card.name.to_string()).collect()
    }

    #[test]
    fn what_a_message_is_about_is_found_by_words_values_and_addresses() {
        for (message, name) in [
            ("Publish a note, please", "CREATE_POST"),
            ("Bitte auf Mastodon", "CREATE_POST"),
            ("Was steht auf www.example.org?", "WEB_FETCH"),
            ("remembering is hard", "_MEMORY_WRITE"),
            // The text of an example's post says nothing of posts.
            ("a whole new world", "HELLO_WORLD"),
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
        assert_eq!(relevant(Said::plainly("记住这个"), &cards)[0].name.as_str(), "HELLO_WORLD");
    }
}
