//! What libraries know of a message's language: which of its words say little (NLTK's lists of stop words), and how it says
//! `and` (Unicode's CLDR). The house keeps no list of a language's words. Of a language that the guess or the lists don't
//! know, nothing is known.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use icu_list::ListFormatter;
use icu_list::options::{ListFormatterOptions, ListLength};
use icu_locale_core::Locale;
use whatlang::{Detector, Info, Lang};

/// The code (ISO 639-1) of each language, by which the libraries know it.
const CODES: [(Lang, &str); 25] = [
    (Lang::Ara, "ar"),
    (Lang::Aze, "az"),
    (Lang::Bel, "be"),
    (Lang::Ben, "bn"),
    (Lang::Cat, "ca"),
    (Lang::Cmn, "zh"),
    (Lang::Dan, "da"),
    (Lang::Deu, "de"),
    (Lang::Ell, "el"),
    (Lang::Eng, "en"),
    (Lang::Fin, "fi"),
    (Lang::Fra, "fr"),
    (Lang::Heb, "he"),
    (Lang::Hun, "hu"),
    (Lang::Ind, "id"),
    (Lang::Ita, "it"),
    (Lang::Nep, "ne"),
    (Lang::Nld, "nl"),
    (Lang::Nob, "no"),
    (Lang::Por, "pt"),
    (Lang::Ron, "ro"),
    (Lang::Rus, "ru"),
    (Lang::Spa, "es"),
    (Lang::Swe, "sv"),
    (Lang::Tur, "tr"),
];

/// The cards' language.
const ENGLISH: &str = "en";

/// How sure the guess must be (0 to 1) that words of plain ASCII letters are not English. Short English sentences are taken
/// for Dutch or Danish below that.
const SURE: f64 = 0.2;

/// How each of them joins two things: as in `a and b` and in `a & b`.
static JOINTS: LazyLock<BTreeMap<&str, Vec<String>>> =
    LazyLock::new(|| CODES.iter().map(|(_, code)| (*code, joints_of(code))).collect());

/// The languages that a text is read in: its own, as far as one can guess, and English, the cards' language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tongue([&'static str; 2]);

impl Tongue {
    pub(super) fn of(text: &str) -> Self {
        Self([guess(text).and_then(|guess| code_of(guess.lang())).unwrap_or(ENGLISH), ENGLISH])
    }

    /// Whether a word, in lower case, says little of what a text is about.
    pub(super) fn is_empty(self, word: &str) -> bool {
        self.0.iter().any(|code| stop_words::lookup(code).is_some_and(|list| list.contains(&word)))
    }

    /// What stands between two things that are joined.
    pub(super) fn joints(self) -> impl Iterator<Item = &'static str> {
        self.0.into_iter().filter_map(|code| JOINTS.get(code)).flatten().map(String::as_str)
    }
}

/// Whether a text seems to be in another language than English, the cards' language. The guess often misses a short English
/// text, so a text with more empty words of English than of the guessed language is English.
pub(super) fn is_foreign(text: &str) -> bool {
    let Some(guess) = guess(text) else { return false };
    if guess.lang() == Lang::Eng {
        return false;
    }
    let empty = |code: &str| {
        let list = stop_words::lookup(code).unwrap_or_default();
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| list.contains(&word.as_str())).count()
    };
    // One such word alone may be of any language: a name may be spelt like it.
    let is_english = empty(ENGLISH) > code_of(guess.lang()).map_or(0, empty).max(1);
    !is_english && (guess.confidence() >= SURE || !text.is_ascii())
}

fn code_of(lang: Lang) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == lang).map(|(_, code)| *code)
}

/// Which of the languages a text is in: among few of them the guess is right more often.
fn guess(text: &str) -> Option<Info> {
    let known = CODES.iter().map(|(lang, _)| *lang).collect();
    Detector::with_allowlist(known).detect(text)
}

fn joints_of(code: &str) -> Vec<String> {
    let Ok(locale) = code.parse::<Locale>() else { return Vec::new() };
    let joint = |length| {
        let options = ListFormatterOptions::default().with_length(length);
        let list = ListFormatter::try_new_and((&locale).into(), options).ok()?;
        let joined = list.format_to_string(["1", "2"].iter());
        let joint = joined.strip_prefix('1')?.strip_suffix('2')?;
        (!joint.trim().is_empty()).then(|| joint.to_owned())
    };
    [ListLength::Wide, ListLength::Short].into_iter().filter_map(joint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_empty_words_and_a_way_to_say_and() {
        for (lang, code) in CODES {
            let list = stop_words::lookup(code);
            assert!(list.is_some_and(|list| list.len() > 30), "{lang}");
            assert!(JOINTS.get(code).is_some_and(|joints| !joints.is_empty()), "{lang}");
        }
    }

    #[test]
    fn a_text_is_read_in_its_language_and_in_english() {
        for (text, empty, joint) in [
            ("Kannst du bitte das Licht im Flur ausschalten?", "das", " und "),
            ("¿Puedes apagar la luz de la cocina, por favor?", "la", " y "),
            ("Kan du slukke lyset i køkkenet, før vi går?", "før", " og "),
            ("Включи свет на кухне и в спальне", "на", " и "),
        ] {
            let tongue = Tongue::of(text);
            assert!(tongue.is_empty(empty) && tongue.is_empty("the"), "{text}");
            assert!(tongue.joints().any(|one| one == joint), "{text}");
            assert!(tongue.joints().any(|one| one == " and "), "{text}");
            assert!(is_foreign(text), "{text}");
        }
        assert!(!Tongue::of("Turn off the lights in the hall").is_empty("das"));
    }

    #[test]
    fn a_short_english_text_is_not_foreign() {
        for text in [
            "Our train left an hour late",
            "We got a kitten, and it sleeps in my shoe.",
            "hurry up",
        ] {
            assert!(!is_foreign(text), "{text}");
        }
    }
}
