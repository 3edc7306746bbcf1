//! What a person is asked before an action runs, and how a person decides.

use std::fmt::Display;

use answer::sanitize::one_line;
use protocol::{GrantTerms, MessageId, Object, Pin, Principal, SessionKey};
use serde::Serialize;
use serde_json::Value;
use words::Words;

/// How many characters of an id stand for it where people read and type it.
const SHORT: usize = 8;

/// What a person types who says yes, no, or always: the same in each language that the console speaks.
const YES: [&str; 7] = ["y", "yes", "j", "ja", "sí", "si", "是"];
const NO: [&str; 4] = ["n", "no", "nein", "否"];
const ALWAYS: [&str; 5] = ["a", "always", "immer", "siempre", "总是"];

/// How many lines are seen at once beside the answer.
const LONG: usize = 12;

/// A question of the router's. Its words are the router's own, made from what would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// Exactly what would run.
    #[serde(rename = "question")]
    pub text: String,
    /// The beginning of the digest of what would run; an old router sends none.
    pub digest: Option<String>,
    /// How long it waits, in seconds from when the router said so.
    pub seconds: Option<u64>,
    /// A yes counts only with the code that stands in the text.
    pub wants_code: bool,
    /// A yes is the owner's PIN.
    pub wants_pin: bool,
    /// What `always` would allow for a while; none if that is not offered.
    pub grant: Option<String>,
    /// The question that is just like it and was asked first: `always` there answers this one as well.
    pub beside: Option<String>,
    /// What would be done and to whom, in one line; an old router sends none.
    pub brief: Option<String>,
    /// The command that waits for the answer; an old router does not say.
    #[serde(skip)]
    pub waits: Option<MessageId>,
    /// The session that asked, and in whose name; an old router does not say.
    #[serde(skip)]
    asker: Option<Box<(SessionKey, Principal)>>,
}

impl Question {
    /// The question in the `approval` of a reply, or one of `approvals`; `None` if it is none.
    #[must_use]
    pub fn read(approval: &Value) -> Option<Self> {
        let text = |key: &str| Some(approval.get(key)?.as_str()?.to_owned());
        Some(Self {
            id: text("id")?,
            text: text("question")?,
            digest: text("digest"),
            seconds: approval.get("seconds").and_then(Value::as_u64),
            // Whoever forgets to say so does not want one, but whatever is said in doubt is a yes.
            wants_code: !matches!(
                approval.get("code"),
                None | Some(Value::Null | Value::Bool(false))
            ),
            wants_pin: approval.get("pin") == Some(&Value::Bool(true)),
            grant: text("grant"),
            brief: text("brief"),
            beside: text("beside"),
            waits: text("message_id").and_then(|id| MessageId::new(id).ok()),
            asker: text("session")
                .and_then(|key| SessionKey::new(key).ok())
                .zip(text("principal").and_then(|principal| Principal::new(principal).ok()))
                .map(Box::new),
        })
    }

    /// Whether digits that `principal` types alone in `session` are meant for it: it wants the PIN of this very chat.
    #[must_use]
    pub fn wants_pin_of(&self, session: &SessionKey, principal: &Principal) -> bool {
        let asker = self.asker.as_ref();
        let is_theirs =
            |asker: &(SessionKey, Principal)| asker.0 == *session && asker.1 == *principal;
        self.wants_pin && asker.is_some_and(|asker| is_theirs(asker))
    }

    /// The beginning of its id: what people type.
    #[must_use]
    pub fn short(&self) -> &str {
        short(&self.id)
    }

    /// How it ended without an answer of this session's people, in one line.
    #[must_use]
    pub fn ended(&self, how: &str) -> String {
        let how = one_line(how);
        format!("question {} is open no more: {how}", self.short())
    }

    /// One line, where a question that is just like it was asked before.
    #[must_use]
    pub fn told_beside(&self, words: &Words) -> Option<String> {
        let (first, brief) = (self.beside.as_ref()?, self.brief.as_ref()?);
        let (id, first) = (self.short(), short(first));
        Some(words.fill("card.beside", &[("first", &first), ("brief", brief), ("id", &id)]))
    }

    /// Exactly what would run, and at the end of a long text once more what is done to whom: there the answer is given.
    #[must_use]
    pub fn shown(&self, words: &Words) -> String {
        let is_long = self.text.lines().count() > LONG;
        match self.brief.as_ref().filter(|_| is_long) {
            Some(brief) => {
                format!("{}\n\n{}", self.text, words.fill("card.inShort", &[("brief", brief)]))
            }
            None => self.text.clone(),
        }
    }

    /// It as it waits, with the commands that answer it.
    #[must_use]
    pub fn pending(&self, words: &Words) -> String {
        if let Some(told) = self.told_beside(words) {
            return told + &words.fill("card.alone", &[("id", &self.short())]);
        }
        if self.wants_pin {
            let gaps: [(&str, &dyn Display); 3] = [
                ("named", &self.named(words)),
                ("shown", &self.shown(words)),
                ("id", &self.short()),
            ];
            return words.fill("card.pendingPin", &gaps);
        }
        let (id, wanted) = (self.short(), if self.wants_code { " CODE" } else { "" });
        let always = self.grant.as_ref().map(|grant| {
            let (answer, terms) = (format!("{id} always{wanted}"), self.terms(words));
            words.fill(
                "card.alwaysLater",
                &[("answer", &answer), ("grant", grant), ("terms", &terms)],
            )
        });
        words.fill(
            "card.pending",
            &[
                ("named", &self.named(words)),
                ("shown", &self.shown(words)),
                ("code", &if self.wants_code { words.get("card.code") } else { "" }),
                ("answer", &format!("{id}{wanted}")),
                ("id", &id),
                ("always", &always.unwrap_or_default()),
            ],
        )
    }

    /// What is typed to answer it.
    #[must_use]
    pub fn keys<'w>(&self, words: &'w Words) -> &'w str {
        words.get(match (self.wants_pin, self.wants_code) {
            (true, _) => "card.keysPin",
            (_, true) => "card.keysCode",
            _ => "card.keys",
        })
    }

    /// It as it is put to a person who can answer at once; it is the question `at` of so many.
    #[must_use]
    pub fn put(&self, words: &Words, at: usize, of: usize) -> String {
        let which = words.fill("card.which", &[("at", &at), ("of", &of)]);
        let which = if of > 1 { which } else { String::new() };
        if let Some(told) = self.told_beside(words) {
            return which + &told;
        }
        let always = self.grant.as_ref().map(|grant| {
            let key = if self.wants_code { "card.alwaysCode" } else { "card.always" };
            words.fill(key, &[("grant", grant), ("terms", &self.terms(words))])
        });
        words.fill(
            "card.ask",
            &[
                ("which", &which),
                ("named", &self.named(words)),
                ("shown", &self.shown(words)),
                ("keys", &self.keys(words)),
                ("always", &always.unwrap_or_default()),
            ],
        )
    }

    /// What may stand behind "always"; what wants a code is allowed for no while by a router of today.
    fn terms<'w>(&self, words: &'w Words) -> &'w str {
        if self.wants_code { "" } else { words.get("card.terms") }
    }

    /// By what people tell it from others, and how long it waits.
    pub fn named(&self, words: &Words) -> String {
        // The router's text names it already.
        let digest = self.digest.as_ref().filter(|digest| !self.text.contains(digest.as_str()));
        let digest = digest.map(|digest| words.fill("card.digest", &[("digest", digest)]));
        let minutes = self.seconds.map(|seconds| seconds.div_ceil(60));
        let minutes = minutes.map(|minutes| words.fill("card.minutes", &[("minutes", &minutes)]));
        let (digest, minutes) = (digest.unwrap_or_default(), minutes.unwrap_or_default());
        let gaps: [(&str, &dyn Display); 3] =
            [("id", &self.short()), ("digest", &digest), ("minutes", &minutes)];
        words.fill("card.named", &gaps) + "\n"
    }

    /// What a person means who types `typed` right after the question was put; `None` if it is a message. The words of every
    /// language count, whichever the question was put in.
    #[must_use]
    pub fn answered_by(&self, typed: &str) -> Option<Decision> {
        if self.wants_pin
            && let Some(pin) = Pin::typed(typed)
        {
            return Some(self.answered_with(pin));
        }
        let typed = typed.trim().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let (choice, code) = match (&words[..], self.wants_code) {
            ([no], _) if NO.contains(no) => (Choice::No, None),
            _ if self.wants_pin => return None,
            ([yes], false) if YES.contains(yes) => (Choice::Yes, None),
            ([code], true) if self.is_code(code) => (Choice::Yes, Some(*code)),
            ([yes, code], true) if YES.contains(yes) && self.is_code(code) => {
                (Choice::Yes, Some(*code))
            }
            ([always, code], true)
                if ALWAYS.contains(always) && self.grant.is_some() && self.is_code(code) =>
            {
                (Choice::ALWAYS, Some(*code))
            }
            ([always, terms @ ..], false) if ALWAYS.contains(always) && self.grant.is_some() => {
                (Choice::Always(GrantTerms::read(terms.iter().copied()).ok()?), None)
            }
            _ => return None,
        };
        Some(Decision { id: self.id.clone(), choice, code: code.map(str::to_ascii_uppercase) })
    }

    /// The answer that a PIN is to it.
    #[must_use]
    pub fn answered_with(&self, pin: Pin) -> Decision {
        Decision { id: self.id.clone(), choice: Choice::Pin(pin), code: None }
    }

    /// Whether it looks like a code: four letters or digits that are no word, or stand in the question. The
    /// router knows whether it is the right one.
    fn is_code(&self, word: &str) -> bool {
        let of_four = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let stands_there = || {
            let mut words = self.text.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|there| there == word.to_ascii_uppercase())
        };
        of_four && (word.bytes().any(|byte| byte.is_ascii_digit()) || stands_there())
    }
}

fn short(id: &str) -> &str {
    &id[..id.floor_char_boundary(SHORT)]
}

/// What a person wants to become of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The question's id, or its beginning if no other's begins so.
    pub id: String,
    /// Which way.
    pub choice: Choice,
    /// The code from the question's text, if it wants one.
    pub code: Option<String>,
}

/// The ways to answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It may run, once.
    Yes,
    /// It may not.
    No,
    /// It may run, and so may what the question's `grant` says, as often and as long as these say.
    Always(GrantTerms),
    /// It goes on if this is the owner's PIN.
    Pin(Pin),
}

impl Choice {
    /// For an hour, as often as is asked.
    pub const ALWAYS: Self = Self::Always(GrantTerms::HOUR);
}

impl Decision {
    /// It in one line, once it counts.
    #[must_use]
    pub fn settled(&self, by: &Principal) -> String {
        let said = match self.choice {
            Choice::Yes => "said yes".to_owned(),
            Choice::No => "said no".to_owned(),
            Choice::Always(terms) => format!("said yes, {terms}"),
            Choice::Pin(_) => "entered the PIN".to_owned(),
        };
        format!("question {}: {by} {said}", short(&self.id))
    }

    /// The parameters of the command that carries it.
    pub fn params(&self) -> Object {
        let (choice, terms) = match self.choice {
            Choice::Yes | Choice::Pin(_) => ("yes", None),
            Choice::No => ("no", None),
            Choice::Always(terms) => ("always", Some(terms)),
        };
        let pin = match self.choice {
            Choice::Pin(pin) => Some(pin.param()),
            _ => None,
        };
        let code = self.code.as_ref().map(|code| ("code".to_owned(), code.as_str().into()));
        [("id".to_owned(), self.id.as_str().into()), ("answer".to_owned(), choice.into())]
            .into_iter()
            .chain(code)
            .chain(pin)
            .chain(terms.into_iter().flat_map(GrantTerms::params))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn english() -> &'static Words {
        words::CONSOLE.wanted([])
    }

    #[test]
    fn questions_of_old_and_new_routers() {
        let old = Question::read(&json!({"id": "q-1", "question": "POST {}", "seconds": 600}));
        let old = old.unwrap();
        assert!(!old.wants_code && old.grant.is_none() && old.short() == "q-1");
        let new = json!({"id": "0123456789", "question": "x", "digest": "abc", "seconds": 9, "code": true, "grant": "POST to X"});
        let new = Question::read(&new).unwrap();
        assert_eq!((new.wants_code, new.short()), (true, "01234567"));
        assert_eq!(new.grant.as_deref(), Some("POST to X"));
        assert_eq!(new.named(english()), "(question 01234567, digest abc, for 1 minutes)\n");
        let twice = Question { text: "x\ndigest abc".to_owned(), ..new };
        assert_eq!(twice.named(english()), "(question 01234567, for 1 minutes)\n");
        for none in [json!({}), json!({"id": 1, "question": "x"}), json!("q")] {
            assert_eq!(Question::read(&none), None);
        }
    }

    #[test]
    fn what_is_typed_is_an_answer_or_a_message() {
        let question = |more: Value| {
            let mut approval = json!({"id": "q", "question": "POST {\n \"a\": \"b\"}\nCode: KQXZ"});
            approval.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            Question::read(&approval).unwrap()
        };
        let said = |question: &Question, typed: &str| {
            question.answered_by(typed).map(|decision| (decision.choice, decision.code))
        };
        let plain = question(json!({}));
        assert_eq!(said(&plain, " Y "), Some((Choice::Yes, None)));
        assert_eq!(said(&plain, "no"), Some((Choice::No, None)));
        for message in ["a", "", "yes please", "what is this?", "KQXZ", "/approve q"] {
            assert_eq!(said(&plain, message), None, "{message}");
        }
        let granted = question(json!({"grant": "x"}));
        assert!(
            granted.put(english(), 1, 1).contains("a = always for an hour: x (behind it 5x for")
        );
        assert!(
            granted.pending(english()).contains("always allows for an hour: x (behind it 5x for")
        );
        assert_eq!(said(&granted, "a"), Some((Choice::ALWAYS, None)));
        // In each language, whichever the question was put in.
        for (typed, choice) in [
            ("j", Choice::Yes),
            ("Ja", Choice::Yes),
            ("SÍ", Choice::Yes),
            ("是", Choice::Yes),
            ("nein", Choice::No),
            ("否", Choice::No),
            ("immer", Choice::ALWAYS),
            ("siempre", Choice::ALWAYS),
        ] {
            assert_eq!(said(&granted, typed), Some((choice, None)), "{typed}");
        }
        let terms = GrantTerms::read(["5x", "2h"]).unwrap();
        assert_eq!(said(&granted, "Always 2h 5x"), Some((Choice::Always(terms), None)));
        for message in ["a cat", "a 1x", "always 5", "a 5x 5x"] {
            assert_eq!(said(&granted, message), None, "{message}");
        }
        let coded = question(json!({"code": true, "grant": "x"}));
        let code = Some("KQXZ".to_owned());
        assert_eq!(said(&coded, "kqxz"), Some((Choice::Yes, code.clone())));
        assert_eq!(said(&coded, "a KQXZ"), Some((Choice::ALWAYS, code)));
        assert_eq!(said(&coded, "k7qx"), Some((Choice::Yes, Some("K7QX".to_owned()))));
        for message in ["y", "yes", "a", "help", "stop"] {
            assert_eq!(said(&coded, message), None, "{message}");
        }
    }

    #[test]
    fn a_pin_answers_its_question_alone_and_is_told_to_nobody() {
        let asked = json!({"id": "q", "question": "EXEC {}", "code": false, "pin": true});
        let question = Question::read(&asked).unwrap();
        let decision = question.answered_by(" 493817 ").unwrap();
        assert_eq!(decision.params()["pin"], "493817");
        let by = Principal::new("console:owner").unwrap();
        let told = format!("{decision:?} {} {:?}", decision.settled(&by), decision.code);
        assert!(!told.contains("4938"), "{told}");
        assert_eq!(question.answered_by("n").unwrap().choice, Choice::No);
        // A slip is no message either.
        assert!(question.answered_by("123").is_some() && question.answered_by("1234567").is_some());
        for message in ["y", "yes", "a", "12", "493817 please", "4938a7"] {
            assert_eq!(question.answered_by(message), None, "{message}");
        }
        // It is of the chat that asked, and of no other.
        let (key, other_key) = (SessionKey::owner(), SessionKey::new("telegram-7").unwrap());
        let elsewhere = Principal::new("telegram:42").unwrap();
        assert!(!question.wants_pin_of(&key, &by), "nobody knows whose it is");
        let mut asked = asked;
        (asked["session"], asked["principal"]) = (json!("owner"), json!("console:owner"));
        let theirs = Question::read(&asked).unwrap();
        assert!(theirs.wants_pin_of(&key, &by));
        assert!(!theirs.wants_pin_of(&key, &elsewhere) && !theirs.wants_pin_of(&other_key, &by));
        let other = Question::read(&json!({"id": "q", "question": "EXEC {}"})).unwrap();
        assert_eq!(other.answered_by("493817"), None);
        let words = english();
        assert!(question.pending(words).contains("type your PIN"), "{question:?}");
        assert!(question.put(words, 1, 1).contains("your PIN = go on"));
    }

    #[test]
    fn a_question_is_shown_with_the_ways_to_answer_it() {
        let plain =
            Question::read(&json!({"id": "0123456789", "question": "POST {}", "seconds": 600}));
        let all = json!({"id": "q", "question": "POST {}", "digest": "abc", "code": true, "grant": "POST to X"});
        let shown: Vec<String> = [plain, Question::read(&all)]
            .into_iter()
            .flatten()
            .flat_map(|question| {
                let words = english();
                [question.put(words, 1, 1), question.put(words, 2, 3), question.pending(words)]
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n\n"));
    }

    #[test]
    fn a_decision_carries_no_code_unless_there_is_one() {
        let mut decision = Decision { id: "q".into(), choice: Choice::ALWAYS, code: None };
        assert_eq!(Value::from(decision.params()), json!({"id": "q", "answer": "always"}));
        decision.code = Some("K7QX".into());
        assert_eq!(decision.params()["code"], "K7QX");
        decision.choice = Choice::Always(GrantTerms::read(["5x"]).unwrap());
        assert_eq!(decision.params()["times"], 5);
    }
}
