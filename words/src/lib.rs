//! The words of an interface, in one file for each language: an object of texts by key, in which `{name}` is a gap.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::sync::LazyLock;

/// The words of the console.
pub static CONSOLE: LazyLock<Languages> = LazyLock::new(|| {
    Languages::read(&[
        ("en", include_str!("../console/en.json")),
        ("de", include_str!("../console/de.json")),
        ("es", include_str!("../console/es.json")),
        ("zh", include_str!("../console/zh.json")),
    ])
});

/// The words of an interface in all languages that there are.
#[derive(Debug)]
pub struct Languages {
    all: Vec<Words>,
    differences: Vec<String>,
}

/// The words of one language.
#[derive(Debug)]
pub struct Words {
    language: &'static str,
    texts: HashMap<String, String>,
}

impl Languages {
    /// Reads the file of each language. The first one stands in for what the others lack, and for those that there are not.
    #[must_use]
    pub fn read(files: &[(&'static str, &str)]) -> Self {
        let texts = |text: &str| serde_json::from_str(text).unwrap_or_default();
        let mut all: Vec<Words> =
            files.iter().map(|(language, text)| Words { language, texts: texts(text) }).collect();
        if all.is_empty() {
            all.push(Words { language: "en", texts: HashMap::new() });
        }
        let mut differences = Vec::new();
        if let [first, others @ ..] = all.as_mut_slice() {
            for other in others {
                differences.extend(first.differences(other));
                for (key, text) in &first.texts {
                    other.texts.entry(key.clone()).or_insert_with(|| text.clone());
                }
            }
        }
        Self { all, differences }
    }

    /// Those of the first of these languages that there is, each named as RFC 5646 (`de-AT`) or POSIX (`de_AT.UTF-8`) has it.
    pub fn wanted<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> &Words {
        let found = names.into_iter().find_map(|name| {
            let name = name.trim().split(['-', '_', '.', ';', '@']).next().unwrap_or_default();
            self.all.iter().find(|words| words.language.eq_ignore_ascii_case(name))
        });
        found.unwrap_or(&self.all[0])
    }

    /// What a language lacks, has beside the first one, or fills in otherwise: nothing, where the files are right.
    #[must_use]
    pub fn differences(&self) -> &[String] {
        &self.differences
    }
}

impl Words {
    /// The language, as RFC 5646 names it.
    #[must_use]
    pub fn language(&self) -> &'static str {
        self.language
    }

    /// All keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// The text for `key`; the key itself where there is none.
    #[must_use]
    pub fn get<'w>(&'w self, key: &'w str) -> &'w str {
        self.texts.get(key).map_or(key, String::as_str)
    }

    /// The text for `key` with its gaps filled. What is filled in is not looked at again.
    #[must_use]
    pub fn fill(&self, key: &str, gaps: &[(&str, &dyn Display)]) -> String {
        let mut parts = self.get(key).split('{');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let gap = part.split_once('}');
            let value = gap.and_then(|(name, _)| gaps.iter().find(|(known, _)| *known == name));
            match (gap, value) {
                (Some((_, rest)), Some((_, value))) => {
                    filled.push_str(&value.to_string());
                    filled.push_str(rest);
                }
                _ => {
                    filled.push('{');
                    filled.push_str(part);
                }
            }
        }
        filled
    }

    fn differences(&self, other: &Self) -> Vec<String> {
        let keys: BTreeSet<&str> = self.keys().chain(other.keys()).collect();
        let gaps = |text: &str| -> BTreeSet<String> {
            let parts = text.split('{').skip(1).filter_map(|part| part.split_once('}'));
            parts.map(|(name, _)| name.to_owned()).collect()
        };
        let differs = |key: &&str| match (self.texts.get(*key), other.texts.get(*key)) {
            (Some(own), Some(theirs)) if gaps(own) == gaps(theirs) => None,
            (Some(_), Some(_)) => Some(format!("{}: {key} has other gaps", other.language)),
            (None, _) => Some(format!("{}: {key} is missing", self.language)),
            (_, None) => Some(format!("{}: {key} is missing", other.language)),
        };
        keys.iter().filter_map(differs).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_filled_once_and_one_that_is_not_known_stays() {
        let languages = Languages::read(&[("en", r#"{"a": "{who} says {what} {else}"}"#)]);
        let words = languages.wanted([]);
        assert_eq!(words.fill("a", &[("who", &"{what}"), ("what", &1)]), "{what} says 1 {else}");
        assert_eq!((words.get("b"), words.fill("b", &[])), ("b", "b".to_owned()));
    }

    #[test]
    fn the_first_language_that_there_is_counts() {
        let languages = Languages::read(&[("en", r#"{"a": "one"}"#), ("de", r#"{"a": "eins"}"#)]);
        let of = |names: &[&str]| languages.wanted(names.iter().copied()).language();
        assert_eq!(of(&["fr-CH", "de-DE;q=0.9", "en"]), "de");
        assert_eq!(of(&["de_AT.UTF-8"]), "de");
        assert_eq!((of(&["C.UTF-8"]), of(&[]), of(&["xx"])), ("en", "en", "en"));
        assert_eq!(languages.wanted(["de"]).get("a"), "eins");
    }

    #[test]
    fn what_a_language_lacks_is_told_and_the_first_one_stands_in() {
        let languages = Languages::read(&[
            ("en", r#"{"a": "one", "b": "{x}"}"#),
            ("de", r#"{"b": "{y}", "c": "drei"}"#),
        ]);
        assert_eq!(
            languages.differences(),
            ["de: a is missing", "de: b has other gaps", "en: c is missing"]
        );
        assert_eq!(languages.wanted(["de"]).get("a"), "one");
    }
}
