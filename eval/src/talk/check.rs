//! What is wrong with an answer to a chat, as far as a program can tell.

use std::fmt;

use serde::{Deserialize, Serialize};
use whatlang::{Lang as Known, detect};

use super::Chat;
use crate::utterance::Lang;

/// Words that are the machinery's and nobody's: of the forms of an answer, and of a prompt's marks.
const MACHINERY: [&str; 8] = [
    "tool_code",
    "\"thought\"",
    "\"actions\"",
    "<message-",
    "<results-",
    "<memory-",
    "<history-",
    "You have already acted",
];

/// From how many words on a language is told.
const TOLD: usize = 8;

/// How long an answer must be, in bytes, that can have been copied.
const COPIED: usize = 12;

/// What came of a chat.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Said {
    /// What people read.
    pub words: String,
    /// The actions that were asked for.
    pub actions: Vec<String>,
    /// Whether it was cut off.
    pub is_cut: bool,
    /// What of the prompt stays from turn to turn, its examples included.
    pub rules: String,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// Nobody asked for that action.
    Acted,
    /// It says nothing.
    Empty,
    /// It was cut off.
    Cut,
    /// It stands in the prompt.
    Copied,
    /// It shows what is the machinery's.
    Machinery,
    /// It has another language.
    Language,
    /// Something is missing.
    Misses(String),
    /// Something stands there that should not.
    Has(String),
    /// It is too short or too long; the words that it has.
    Length(usize),
    /// No block of code stands in it.
    NoCode,
}

/// All that is wrong with `said` as an answer to `chat`.
#[must_use]
pub fn wrong(chat: &Chat, said: &Said) -> Vec<Wrong> {
    let words = said.words.trim();
    let lower = words.to_lowercase();
    let has = |list: &str| list.split('|').any(|part| lower.contains(&part.to_lowercase()));
    let count = count(words, chat.lang);
    let is_long = chat.most.is_some_and(|most| count > most);
    let faults = [
        (!said.actions.is_empty()).then_some(Wrong::Acted),
        (words.is_empty() && said.actions.is_empty()).then_some(Wrong::Empty),
        said.is_cut.then_some(Wrong::Cut),
        (words.len() >= COPIED && said.rules.contains(words)).then_some(Wrong::Copied),
        MACHINERY.iter().any(|mark| words.contains(mark)).then_some(Wrong::Machinery),
        (!is_in(words, chat.lang)).then_some(Wrong::Language),
        (count < chat.least || is_long).then_some(Wrong::Length(count)),
        (chat.code && !words.contains("```")).then_some(Wrong::NoCode),
    ];
    let missing = chat.has.iter().filter(|list| !has(list)).cloned().map(Wrong::Misses);
    let there = chat.lacks.iter().filter(|list| has(list)).cloned().map(Wrong::Has);
    let faults = faults.into_iter().flatten().chain(missing).chain(there).collect::<Vec<_>>();
    // Who acts or says nothing has missed the rest by that.
    match faults.first() {
        Some(first @ (Wrong::Acted | Wrong::Empty)) => vec![first.clone()],
        _ => faults,
    }
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

/// How many words it has; of Chinese, how many characters.
fn count(words: &str, lang: Lang) -> usize {
    match lang {
        Lang::Zh => words.chars().filter(|c| is_han(*c)).count(),
        _ => words.split_whitespace().count(),
    }
}

/// Whether what stands outside of code is in this language, as far as one can tell.
fn is_in(words: &str, lang: Lang) -> bool {
    let prose: String = words.split("```").step_by(2).collect();
    let letters = prose.chars().filter(|c| c.is_alphabetic()).count();
    let han = prose.chars().filter(|c| is_han(*c)).count();
    let expected = match lang {
        Lang::Zh => return letters == 0 || 3 * han >= letters,
        Lang::En => Known::Eng,
        Lang::De => Known::Deu,
        Lang::Es => Known::Spa,
        Lang::Fr => Known::Fra,
        Lang::Ru => Known::Rus,
    };
    let told = detect(&prose).filter(|guess| guess.is_reliable());
    3 * han < letters.max(1)
        && (prose.split_whitespace().count() < TOLD
            || told.is_none_or(|guess| guess.lang() == expected))
}

/// In a few words, for people who count.
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acted => f.write_str("an action nobody asked for"),
            Self::Empty => f.write_str("no words"),
            Self::Cut => f.write_str("cut off"),
            Self::Copied => f.write_str("copied from the prompt"),
            Self::Machinery => f.write_str("machinery shown"),
            Self::Language => f.write_str("another language"),
            Self::Misses(what) => write!(f, "without {what}"),
            Self::Has(what) => write!(f, "with {what}"),
            Self::Length(words) => write!(f, "{words} words"),
            Self::NoCode => f.write_str("no block of code"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::talk::all;

    fn found(id: &str, said: Said) -> String {
        let chats = all().unwrap();
        let chat = chats.iter().find(|chat| chat.id == id).unwrap();
        let faults: Vec<String> = wrong(chat, &said).iter().map(Wrong::to_string).collect();
        faults.join(", ")
    }

    fn said(words: &str) -> Said {
        Said { words: words.to_owned(), ..Said::default() }
    }

    #[test]
    fn good_answers_pass() {
        for (id, words) in [
            ("capital", "The capital of Norway is Oslo."),
            ("fluss-de", "Durch Hamburg fließt die Elbe, und auch die Alster."),
            ("capital-es", "La capital de Perú es Lima, una ciudad de la costa."),
            ("changcheng-zh", "长城全长约21196公里。"),
            ("my-pets", "You have a cat called Tom and two goldfish."),
            ("pai-xu-zh", "下面是代码：\n```python\ndef bubble(a):  # 排序\n    return a\n```"),
        ] {
            assert_eq!(found(id, said(words)), "", "{id}");
        }
    }

    #[test]
    fn each_fault_is_found() {
        let acted = Said { actions: vec!["HELLO_WORLD {}".to_owned()], ..said("") };
        let copied =
            Said { rules: "..\"message\":\"Seven minutes.\"".to_owned(), ..said("Seven minutes.") };
        let cut = Said { is_cut: true, ..said("Oslo, the") };
        let german =
            "Das ist die Hauptstadt von Norwegen, und sie heißt Oslo, wie du sicher weißt.";
        for (id, said, expected) in [
            ("capital", acted, "an action nobody asked for"),
            ("capital", said(" "), "no words"),
            ("capital", cut, "cut off"),
            ("dozen", copied, "copied from the prompt, without 36|thirty-six"),
            ("capital", said("{\"actions\": []} Oslo"), "machinery shown"),
            ("capital", said(german), "another language"),
            (
                "cha-zh",
                said("Green tea is not fermented."),
                "another language, 0 words, without 茶",
            ),
            (
                "use-it",
                said("Roast chicken with rice and a salad, quick and good."),
                "with chicken|beef|pork|salmon|tuna|bacon",
            ),
            ("thanks", said(&"You are welcome. ".repeat(20)), "60 words"),
            ("bash-lines", said("# wc -l *.txt"), "no block of code"),
        ] {
            assert_eq!(found(id, said), expected, "{id}");
        }
    }
}
