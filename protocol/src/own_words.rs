//! What a person has typed for a message, and whether a call stands in it word for word.
//!
//! Upper and lower case, the shape of quotes and the amount of white space do not count. A word stands there when nothing
//! that could belong to it stands on either side. A text, such as the body of a message, stands there when it is quoted, or
//! when it is the rest of its line behind a colon or right behind another word of the call; so half of what a person
//! wrote is no order.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Object;

/// What joins two words to one: `anna` does not stand in `anna@example.org`.
const JOINS: &str = "@._-+/#&%$=~\\";

/// How many bits a mark of ASCII can tell that somebody puts beside a word: which of 32 it is, and that it is there.
const MARK: u32 = 6;

/// How many bits the shape of a letter can tell: it is small, large, or one of the rare ones that have the same small letter.
const CAPITAL: u32 = 2;

/// What a person typed, ready to be compared with.
#[derive(Debug, Clone)]
pub struct OwnWords {
    text: String,
    /// Name -> what it stands for, both ready to be compared with.
    names: Vec<(String, String)>,
}

impl OwnWords {
    /// What was `said`, with the names that the person's memory resolves.
    #[must_use]
    pub fn new(said: &str, names: &BTreeMap<String, String>) -> Self {
        let names = names.iter().map(|(name, stands)| (plain(name), plain(stands)));
        Self { text: plain(said), names: names.collect() }
    }

    /// Whether every value stands there; each comes with the word on whether it is a text. Nothing at all does not.
    #[must_use]
    pub fn have_all<'v>(&self, values: impl IntoIterator<Item = (&'v Value, bool)>) -> bool {
        let (mut words, mut texts) = (Vec::new(), Vec::new());
        for (value, is_text) in values {
            let into = if is_text { &mut texts } else { &mut words };
            if !leaves(value, into) {
                return false;
            }
        }
        let [words, texts] =
            [words, texts].map(|all| all.iter().map(|text| plain(text)).collect::<Vec<_>>());
        let ends: Vec<usize> = words.iter().flat_map(|word| self.ends_of(word)).collect();
        !(words.is_empty() && texts.is_empty())
            && words.iter().all(|word| self.has(word))
            && texts.iter().all(|text| self.has_text(text, &ends))
    }

    /// How many bits `value` can tell to somebody who knows what was said: which of the words it takes, in which order, with which marks
    /// and capital letters. `None` when it has anything else, or a word more often than it stands there.
    #[must_use]
    pub fn choice(&self, value: &Value) -> Option<u32> {
        let mut all = Vec::new();
        if !leaves(value, &mut all) {
            return None;
        }
        let said: Vec<&str> = self.text.split_whitespace().map(bare).collect();
        let (mut left, mut bits) = (said.clone(), 0);
        for text in &all {
            let small = text.to_lowercase();
            if small != *text {
                bits += CAPITAL * count(text.chars().filter(|c| c.is_alphabetic()));
            }
            if self.text.contains(&small) {
                // Where it begins, and where it ends.
                bits += 2 * choices(if small.is_empty() { 0 } else { self.text.len() });
                continue;
            }
            for word in small.split(' ') {
                let plain = word.trim_matches(|c: char| c.is_ascii_punctuation());
                bits += MARK * count(word.chars()).saturating_sub(count(plain.chars()));
                if !plain.is_empty() {
                    let found = left.iter().position(|said| self.is_same(plain, said))?;
                    left.swap_remove(found);
                    bits += choices(said.len());
                } else if word.is_empty() {
                    return None;
                }
            }
        }
        Some(bits)
    }

    /// Whether `word` is what was said, or what that is a name of.
    fn is_same(&self, word: &str, said: &str) -> bool {
        let is_named = |(name, stands): &(String, String)| name == said && stands == word;
        word == said || self.names.iter().any(is_named)
    }

    fn has(&self, word: &str) -> bool {
        word.is_empty() || !self.ends_of(word).is_empty()
    }

    /// Where `word`, or a name that stands for it, ends each time that it stands there as a word.
    fn ends_of(&self, word: &str) -> Vec<usize> {
        let names = self.names.iter().filter(|(_, stands)| stands == word).map(|(name, _)| name);
        std::iter::once(word)
            .chain(names.map(String::as_str))
            .filter(|word| !word.is_empty())
            .flat_map(|word| self.text.match_indices(word).map(|(at, word)| (at, at + word.len())))
            .filter(|(at, end)| is_apart(&self.text[..*at], &self.text[*end..]))
            .map(|(_, end)| end)
            .collect()
    }

    fn has_text(&self, text: &str, ends: &[usize]) -> bool {
        text.is_empty()
            || self.text.match_indices(text).any(|(at, _)| {
                let (before, after) = (&self.text[..at], &self.text[at + text.len()..]);
                is_quoted(before, after) || is_the_rest(before, after, ends)
            })
    }
}

/// A word without the marks of its sentence.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| c.is_ascii_punctuation() || "…。，、；：！？「」（）".contains(c))
}

fn count(chars: impl Iterator<Item = char>) -> u32 {
    u32::try_from(chars.count()).unwrap_or(u32::MAX / 64)
}

/// How many bits one of `count` things can tell, whole ones.
fn choices(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Whether what stands between belongs to neither side.
fn is_apart(before: &str, after: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || JOINS.contains(c);
    let mut next = after.chars();
    let ends = match next.next() {
        // A mark that ends a sentence or a clause.
        Some('.' | ':' | '\'') => next.next().is_none_or(|c| !c.is_alphanumeric() && c != '/'),
        Some(c) => !joins(c),
        None => true,
    };
    ends && before.chars().next_back().is_none_or(|c| !joins(c))
}

fn is_quoted(before: &str, after: &str) -> bool {
    let mut opening = before.chars().rev();
    let quote = opening.next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let mut closing = after.chars();
    let is_closed = quote.is_some() && closing.next() == quote;
    // The sign of a single quote also stands within words.
    let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    is_closed && (quote != Some('\'') || (is_apart(opening.next()) && is_apart(closing.next())))
}

/// Whether what stands between is the rest of its line, behind a colon or one of the words that end at `ends`.
fn is_the_rest(before: &str, after: &str, ends: &[usize]) -> bool {
    let line = after.split('\n').next().unwrap_or_default();
    let is_rest = line.chars().all(|c| matches!(c, '.' | '!' | '?' | '…' | '。' | ' '));
    let lead = before.trim_end_matches([' ', '\n']);
    let has_gap = lead.len() < before.len();
    let follows = || ends.contains(&lead.trim_end_matches(',').len());
    is_rest && (lead.ends_with([':', '：']) || (has_gap && follows()))
}

/// The texts and numbers of `value`, with the names of its fields; `false` when it holds what nobody types.
fn leaves(value: &Value, into: &mut Vec<String>) -> bool {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Number(number) => into.push(number.to_string()),
        Value::Array(values) => return values.iter().all(|value| leaves(value, into)),
        Value::Object(object) => {
            into.extend(object.keys().cloned());
            return object.values().all(|value| leaves(value, into));
        }
        Value::Bool(_) | Value::Null => return false,
    }
    true
}

/// Every text in `object`, however deep, in their order, with the names of the fields within.
#[must_use]
pub fn texts(object: &Object) -> Vec<&str> {
    let mut found = Vec::new();
    object.values().for_each(|value| gather(value, &mut found));
    found
}

// Commands and results are at most 32 levels deep.
fn gather<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => into.push(text),
        Value::Array(values) => values.iter().for_each(|value| gather(value, into)),
        Value::Object(object) => object.iter().for_each(|(key, value)| {
            into.push(key);
            gather(value, into);
        }),
        _ => {}
    }
}

/// A text as it is compared: small letters, straight quotes, single blanks.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.trim().chars().flat_map(char::to_lowercase) {
        let c = match c {
            '“' | '”' | '„' | '‟' | '«' | '»' | '「' | '」' | '『' | '』' | '＂' => {
                '"'
            }
            '‘' | '’' | '‚' | '‛' | '‹' | '›' => '\'',
            '\n' | '\r' => '\n',
            c if c.is_whitespace() => ' ',
            c => c,
        };
        let is_more = matches!(c, ' ' | '\n') && plain.ends_with([' ', '\n']);
        match c {
            '\n' if plain.ends_with(' ') => {
                plain.pop();
                plain.push(c);
            }
            _ if is_more => {}
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn have(said: &str, words: &[Value], texts: &[Value]) -> bool {
        let names = BTreeMap::from([("Anna".to_owned(), "anna@example.org".to_owned())]);
        let words = words.iter().map(|word| (word, false));
        OwnWords::new(said, &names).have_all(words.chain(texts.iter().map(|text| (text, true))))
    }

    #[test]
    fn a_word_stands_there_whole() {
        let said = "Send  50.5 EUR to Bob@Example.org, please; see https://a.example/x.";
        for word in
            [json!("bob@example.org"), json!(50.5), json!("https://a.example/x"), json!(["eur"])]
        {
            assert!(have(said, std::slice::from_ref(&word), &[]), "{word}");
        }
        for word in [
            json!("bob"),
            json!("example.org"),
            json!(50),
            json!("a.example"),
            json!("end"),
            json!(true),
            json!(null),
        ] {
            assert!(!have(said, std::slice::from_ref(&word), &[]), "{word}");
        }
        assert!(!have(said, &[], &[]), "nothing is no order");
    }

    #[test]
    fn a_text_stands_there_as_the_person_marked_it() {
        let to = [json!("bob")];
        for said in [
            "Tell Bob: dinner is ready!",
            "tell bob “Dinner is  ready” at once",
            "Tell Bob dinner is ready.",
            "Bob,\ndinner is ready",
            "write 'Dinner is ready' to Bob",
            "给 Bob 写「dinner is ready」",
        ] {
            assert!(have(said, &to, &[json!("Dinner is ready")]), "{said}");
        }
        for said in [
            "Tell Bob that I doubt that dinner is ready",
            "dinner is ready, isn't it, Bob?",
            "Bob's dinner is ready",
            "Tell Bob: dinner is ready at nine",
            "Tell Bob that dinner isn't ready",
        ] {
            assert!(!have(said, &to, &[json!("Dinner is ready")]), "{said}");
        }
    }

    #[test]
    fn a_name_that_memory_resolves_is_the_word() {
        assert!(have("Tell Anna: hello", &[json!("anna@example.org")], &[json!("hello")]));
        assert!(have("Tell Anna hello", &[json!("anna@example.org")], &[json!("hello")]));
        assert!(!have("Tell Hannah: hello", &[json!("anna@example.org")], &[json!("hello")]));
    }

    #[test]
    fn words_in_another_order_are_still_the_persons() {
        let said = OwnWords::new("Find me a good recipe for pasta, please.", &BTreeMap::new());
        assert_eq!(said.choice(&json!("pasta recipe")), Some(6), "two of eight");
        assert_eq!(said.choice(&json!("/pasta")), Some(9), "and a mark");
        assert_eq!(
            said.choice(&json!("Pasta")),
            Some(2 * 6 + 2 * 5),
            "a part, and which letters are large"
        );
        assert_eq!(
            said.choice(&json!("good recipe")),
            Some(12),
            "a part, by its beginning and its end"
        );
        assert_eq!(said.choice(&json!("")), Some(0));
        assert_eq!(said.choice(&json!("pasta recipe 4711")), None);
    }

    #[test]
    fn nothing_hides_between_the_words_of_a_person() {
        let said = OwnWords::new("Find me a pasta recipe to cook", &BTreeMap::new());
        for hidden in [
            "pasta ⡴⡨⡥ recipe",
            "🦊。to",
            "pasta⠁ recipe",
            "recipe pasta recipe",
            "recipe  pasta",
            " recipe pasta",
            "recipe\tpasta",
            "recipe\u{2009}pasta",
            "recipe “pasta”",
            "recipe \u{200b} pasta",
        ] {
            assert_eq!(said.choice(&json!(hidden)), None, "{hidden}");
        }
        for dear in ["recipe !!?!??!", "ReCiPe PaSTa", "recipe pasta to cook a me find"] {
            let least = u32::try_from(dear.len()).unwrap() / 2;
            assert!(said.choice(&json!(dear)).unwrap() > least, "{dear}");
        }
        let fields = json!({"the alarm is 4711": "pasta"});
        assert_eq!(said.choice(&fields), None);
        assert!(!said.have_all([(&fields, false)]));
        assert!(said.have_all([(&json!({"cook": "pasta"}), false)]));
    }

    #[test]
    fn a_part_of_a_text_without_blanks_is_the_persons() {
        let said = OwnWords::new("给我找意大利面食谱", &BTreeMap::new());
        assert!(said.choice(&json!("意大利面食谱")).is_some());
        assert_eq!(said.choice(&json!("意大利面食谱4711")), None);
    }
}
