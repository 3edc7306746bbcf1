//! What a person has typed for a message, and whether a call stands in it word for word.
//!
//! Upper and lower case, the shape of quotes and the amount of white space do not count. A word stands there when nothing
//! that could belong to it stands on either side. A text, such as the body of a message, stands there when it is quoted, or
//! when it is the rest of its line behind a colon or right behind another word of the call; so half of what a person
//! wrote is no order.

use std::collections::BTreeMap;

use serde_json::Value;

/// What joins two words to one: `anna` does not stand in `anna@example.org`.
const JOINS: &str = "@._-+/#&%$=~\\";

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
        let ends: Vec<usize> = words.iter().flat_map(|word| self.ends_of(word)).collect();
        !(words.is_empty() && texts.is_empty())
            && words.iter().all(|word| self.has(word))
            && texts.iter().all(|text| self.has_text(text, &ends))
    }

    /// Whether `value` consists of words that all stand there, in any order.
    #[must_use]
    pub fn have_each_word_of(&self, value: &Value) -> bool {
        let mut all = Vec::new();
        let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
        leaves(value, &mut all)
            && all.iter().all(|text| {
                text.split(' ')
                    .filter(is_word)
                    .all(|word| self.has(word.trim_matches(|c: char| !c.is_alphanumeric())))
            })
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

/// The texts and numbers of `value`, ready to be compared; `false` when it holds what nobody types.
fn leaves(value: &Value, into: &mut Vec<String>) -> bool {
    match value {
        Value::String(text) => into.push(plain(text)),
        Value::Number(number) => into.push(number.to_string()),
        Value::Array(values) => return values.iter().all(|value| leaves(value, into)),
        Value::Object(object) => return object.values().all(|value| leaves(value, into)),
        Value::Bool(_) | Value::Null => return false,
    }
    true
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
        assert!(said.have_each_word_of(&json!("pasta recipe")));
        assert!(!said.have_each_word_of(&json!("pasta recipe 4711")));
    }
}
