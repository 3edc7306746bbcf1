//! The words of the page, in each language that there is: one file each.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::http::{HeaderMap, header};

/// The words in English, which stand in for those that a language lacks.
pub(super) const ENGLISH: &str = include_str!("../../../../web/strings/en.json");

/// The words in German.
pub(super) const GERMAN: &str = include_str!("../../../../web/strings/de.json");

/// The words of one language.
pub(super) struct Words {
    /// Its name, as RFC 5646 has it.
    pub(super) language: &'static str,
    words: HashMap<String, String>,
}

static ALL: LazyLock<[Words; 2]> = LazyLock::new(|| [read("en", ENGLISH), read("de", GERMAN)]);

fn read(language: &'static str, text: &str) -> Words {
    Words { language, words: serde_json::from_str(text).unwrap_or_default() }
}

impl Words {
    /// Those that a browser wants: the first language of its list that there is, else English.
    pub(super) fn wanted_by(headers: &HeaderMap) -> &'static Self {
        let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|list| list.to_str().ok());
        let wanted = wanted.unwrap_or_default().split(',');
        let names = wanted.map(|name| name.split([';', '-']).next().unwrap_or_default().trim());
        names
            .filter_map(|name| ALL.iter().find(|words| words.language.eq_ignore_ascii_case(name)))
            .next()
            .unwrap_or(&ALL[0])
    }

    /// The word for `key`.
    pub(super) fn get(&self, key: &'static str) -> &str {
        let found = self.words.get(key).or_else(|| ALL[0].words.get(key));
        found.map_or(key, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_language_has_all_words_with_the_same_gaps_to_fill() {
        let [english, german] = &*ALL;
        let keys = |words: &Words| words.words.keys().cloned().collect::<BTreeSet<_>>();
        assert!(keys(english).len() > 20);
        assert_eq!(keys(english), keys(german));
        let gaps = |text: &str| -> BTreeSet<String> {
            text.split('{').skip(1).map(|rest| rest.split('}').next().unwrap().to_owned()).collect()
        };
        for (key, text) in &english.words {
            assert_eq!(gaps(text), gaps(&german.words[key]), "{key}");
        }
    }

    #[test]
    fn a_browser_has_the_first_language_that_there_is() {
        let of = |list: &str| {
            let headers = [(header::ACCEPT_LANGUAGE, list.parse().unwrap())].into_iter().collect();
            Words::wanted_by(&headers).language
        };
        assert_eq!(of("fr-CH, de-DE;q=0.9, en;q=0.8"), "de");
        assert_eq!(of("en-GB,de"), "en");
        assert_eq!(of("xx"), "en");
        assert_eq!(Words::wanted_by(&HeaderMap::new()).language, "en");
    }
}
