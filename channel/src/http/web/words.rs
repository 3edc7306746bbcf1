//! The words of the page, in each language that there is: one file each.

use std::sync::LazyLock;

use axum::http::{HeaderMap, header};
use words::{Languages, Words};

/// The words in English, which stand in for those that a language lacks.
pub(super) const ENGLISH: &str = include_str!("../../../web/strings/en.json");

/// The words in German.
pub(super) const GERMAN: &str = include_str!("../../../web/strings/de.json");

static PAGE: LazyLock<Languages> =
    LazyLock::new(|| Languages::read(&[("en", ENGLISH), ("de", GERMAN)]));

/// Those that a browser wants: the first language of its list that there is, else English.
pub(super) fn wanted_by(headers: &HeaderMap) -> &'static Words {
    let wanted = headers.get(header::ACCEPT_LANGUAGE).and_then(|list| list.to_str().ok());
    PAGE.wanted(wanted.unwrap_or_default().split(','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_all_words_with_the_same_gaps_to_fill() {
        let differences: [String; 0] = [];
        assert_eq!(PAGE.differences(), differences);
        assert!(PAGE.wanted([]).keys().count() > 20);
    }

    #[test]
    fn a_browser_has_the_first_language_that_there_is() {
        let of = |list: &str| {
            let headers = [(header::ACCEPT_LANGUAGE, list.parse().unwrap())].into_iter().collect();
            wanted_by(&headers).language()
        };
        assert_eq!(of("fr-CH, de-DE;q=0.9, en;q=0.8"), "de");
        assert_eq!(of("en-GB,de"), "en");
        assert_eq!(of("xx"), "en");
        assert_eq!(wanted_by(&HeaderMap::new()).language(), "en");
    }
}
