//! The questions that wait in a chat, and what answers them: a button that was made for one question, one chat and one
//! person, or the code that a question wants.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bot::{Mark, Styled};
use markup::harmless;
use teloxide_core::types::{ChatId, InlineKeyboardButton, InlineKeyboardMarkup, MessageId, UserId};
use words::Words;

use super::people::Place;
use conversation::question::{Choice, Decision, Question};

/// How many open questions have buttons: more than a router lets wait.
const MOST: usize = 64;

/// The open questions of all chats.
#[derive(Debug, Default)]
pub(super) struct Questions(Mutex<Vec<Open>>);

/// A question that waits in a chat.
#[derive(Debug, Clone)]
struct Open {
    question: Question,
    chat: ChatId,
    /// Whose answer counts.
    approver: UserId,
    /// What its buttons know it by: as good as a password, and gone with this process.
    nonce: String,
    /// Where its buttons are, once they are.
    message: Option<MessageId>,
}

/// What a press of a button is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Press {
    /// An answer, the first to its question in this chat.
    Answer(Decision),
    /// Nothing: the button is of an earlier time, of somebody else, or was pressed before.
    Dead,
}

impl Questions {
    /// Has a question wait for `approver` in `chat`; gives its buttons, by whose mark [`Self::posted`] knows
    /// it, and the message whose buttons have to go where it was put before.
    pub(super) fn open(
        &self,
        question: &Question,
        chat: ChatId,
        approver: UserId,
    ) -> (String, InlineKeyboardMarkup, Option<MessageId>) {
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let buttons = buttons(question, &nonce, settings::words());
        let mut open = self.lock();
        // Under one lock: a PIN that is typed while its question is put again is known for one.
        let before = open.iter().position(|it| it.question.id == question.id && it.chat == chat);
        let before = before.and_then(|at| open.remove(at).message);
        let too_many = (open.len() + 1).saturating_sub(MOST);
        open.drain(..too_many);
        let (question, message) = (question.clone(), None);
        open.push(Open { question, chat, approver, nonce: nonce.clone(), message });
        (nonce, buttons, before)
    }

    /// The buttons of a question stand below `message`.
    pub(super) fn posted(&self, nonce: &str, message: MessageId) {
        if let Some(open) = self.lock().iter_mut().find(|open| open.nonce == nonce) {
            open.message = Some(message);
        }
    }

    /// Takes the press of a button. The first one that counts is the last one: the question has no buttons any more.
    pub(super) fn press(&self, data: &str, from: UserId, at: (ChatId, MessageId)) -> Press {
        let mut open = self.lock();
        let Some((choice, nonce)) = data.split_once(':') else { return Press::Dead };
        let found = open.iter().position(|open| {
            // A quick person's press may overtake Telegram's word that the buttons are there.
            let is_there = open.chat == at.0 && open.message.is_none_or(|message| message == at.1);
            open.nonce == nonce && open.approver == from && is_there
        });
        let Some(found) = found else { return Press::Dead };
        let question = &open[found].question;
        let choice = match choice {
            "yes" if !question.wants_code && !question.wants_pin => Choice::Yes,
            "always" if !question.wants_code && question.grant.is_some() => Choice::ALWAYS,
            "no" => Choice::No,
            _ => return Press::Dead,
        };
        let id = open.remove(found).question.id;
        Press::Answer(Decision { id, choice, code: None })
    }

    /// Whether a question waits for the PIN of `from`, in whichever chat.
    pub(super) fn wants_pin_of(&self, from: UserId) -> bool {
        self.lock().iter().any(|open| open.question.wants_pin && open.approver == from)
    }

    /// What `text` answers, if it is the code of a question that waits for `from` in `chat`, or the PIN of one that was asked from
    /// this `place`. A wrong one is the router's to count, so the question stays.
    pub(super) fn typed(
        &self,
        text: &str,
        (from, place): (UserId, &Place),
        chat: ChatId,
    ) -> Option<Decision> {
        let open = self.lock();
        let mut decisions = open
            .iter()
            .rev()
            .filter(|open| {
                (open.message.is_some() && open.question.wants_code)
                    || open.question.wants_pin_of(&place.session, &place.principal)
            })
            .filter(|open| open.chat == chat && open.approver == from)
            .filter_map(|open| Some((open, open.question.answered_by(text)?)));
        let first = decisions.next()?;
        let is_its_code = |open: &Open, decision: &Decision| {
            decision.code.as_ref().is_some_and(|code| open.question.text.contains(code))
        };
        let (_, decision) = std::iter::once(first.clone())
            .chain(decisions)
            .find(|(open, decision)| is_its_code(open, decision))
            .unwrap_or(first);
        Some(decision)
    }

    /// The question waits no more in `chat`: the message whose buttons have to go.
    pub(super) fn settled(&self, id: &str, chat: ChatId) -> Option<MessageId> {
        let mut open = self.lock();
        let at = open.iter().position(|open| open.question.id == id && open.chat == chat)?;
        open.remove(at).message
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn buttons(question: &Question, nonce: &str, words: &Words) -> InlineKeyboardMarkup {
    let button = |text: &str, choice: &str| {
        InlineKeyboardButton::callback(text.to_owned(), format!("{choice}:{nonce}"))
    };
    let mut row = Vec::new();
    if !question.wants_code && !question.wants_pin {
        row.push(button(words.get("buttons.yes"), "yes"));
        let always = || button(words.get("buttons.always"), "always");
        row.extend(question.grant.as_ref().map(|_| always()));
    }
    row.push(button(words.get("buttons.no"), "no"));
    InlineKeyboardMarkup::new([row])
}

/// The text of a question: exactly what would run stands in a block, where nothing becomes a link or a name.
pub(super) fn text(question: &Question, words: &Words) -> Styled {
    if let Some(told) = question.told_beside(words) {
        return Styled::plain(harmless(&told));
    }
    let named = question.named(words);
    let mut text = Styled::plain(words.fill("buttons.ask", &[("named", &named)]));
    text.push(harmless(&question.shown(words)).trim(), Some(Mark::Block));
    let mut add = |line: &str| text.push(&format!("\n{line}"), None);
    if let Some(grant) = &question.grant {
        add(&words.fill("buttons.grant", &[("grant", &harmless(grant))]));
    }
    if question.wants_pin {
        add(words.get("buttons.pin"));
    }
    if question.wants_code {
        add(words.get("buttons.code"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CHAT: ChatId = ChatId(42);
    const OWNER: UserId = UserId(42);
    const HERE: MessageId = MessageId(5);

    fn question(id: &str, code: Option<&str>) -> Question {
        let text = format!("POST {{\"a\": \"b\"}} {}", code.unwrap_or_default());
        let asked =
            json!({"id": id, "question": text, "code": code.is_some(), "grant": "POST to X"});
        Question::read(&asked).unwrap()
    }

    fn english() -> &'static Words {
        words::CONSOLE.wanted(["en"])
    }

    #[test]
    fn a_question_and_its_buttons_are_in_the_language_of_the_words() {
        let german = words::CONSOLE.wanted(["de"]);
        let question = question("q", None);
        let text = text(&question, german).text;
        assert!(
            text.starts_with("Darf das laufen?") && text.contains("Eine Stunde lang"),
            "{text}"
        );
        let buttons = buttons(&question, "n", german).inline_keyboard.concat();
        let texts: Vec<&str> = buttons.iter().map(|button| button.text.as_str()).collect();
        assert_eq!(texts, ["Ja", "Ja, eine Stunde lang", "Nein"]);
    }

    fn place(principal: &str) -> Place {
        let principal = protocol::Principal::new(principal).unwrap();
        Place { session: protocol::SessionKey::owner(), principal }
    }

    fn posted(questions: &Questions, question: &Question) -> String {
        let (nonce, ..) = questions.open(question, CHAT, OWNER);
        questions.posted(&nonce, HERE);
        nonce
    }

    #[test]
    fn a_button_counts_once_and_for_one_person_at_one_place() {
        let questions = Questions::default();
        let nonce = posted(&questions, &question("q", None));
        let press = |data: &str, from, at| questions.press(&format!("{data}:{nonce}"), from, at);
        assert_eq!(press("yes", UserId(7), (CHAT, HERE)), Press::Dead, "a stranger");
        assert_eq!(press("yes", OWNER, (ChatId(7), HERE)), Press::Dead, "another chat");
        assert_eq!(press("yes", OWNER, (CHAT, MessageId(6))), Press::Dead, "another message");
        assert_eq!(press("maybe", OWNER, (CHAT, HERE)), Press::Dead);
        assert_eq!(questions.press("yes:other", OWNER, (CHAT, HERE)), Press::Dead);
        let yes = Decision { id: "q".to_owned(), choice: Choice::Yes, code: None };
        assert_eq!(press("yes", OWNER, (CHAT, HERE)), Press::Answer(yes));
        assert_eq!(press("no", OWNER, (CHAT, HERE)), Press::Dead, "again");
    }

    #[test]
    fn what_is_just_like_another_question_is_told_in_a_line() {
        let asked = json!({
            "id": "0123456789", "question": "SEND\na long text", "brief": "SEND to anna", "beside": "9876543210",
        });
        let told = text(&Question::read(&asked).unwrap(), english()).text;
        assert!(told.contains("SEND to anna") && told.contains("98765432"), "{told}");
        assert!(!told.contains("a long text") && told.lines().count() == 1, "{told}");
    }

    #[test]
    fn a_quick_press_counts() {
        let questions = Questions::default();
        let (nonce, ..) = questions.open(&question("q", None), CHAT, OWNER);
        let pressed = questions.press(&format!("no:{nonce}"), OWNER, (CHAT, HERE));
        assert!(matches!(pressed, Press::Answer(_)));
    }

    #[test]
    fn what_wants_a_code_is_allowed_by_no_button() {
        let questions = Questions::default();
        let nonce = posted(&questions, &question("q", Some("K7QX")));
        for choice in ["yes", "always"] {
            let pressed = questions.press(&format!("{choice}:{nonce}"), OWNER, (CHAT, HERE));
            assert_eq!(pressed, Press::Dead);
        }
        let no = questions.press(&format!("no:{nonce}"), OWNER, (CHAT, HERE));
        assert!(matches!(no, Press::Answer(Decision { choice: Choice::No, .. })));
    }

    #[test]
    fn a_code_answers_the_question_that_it_stands_in() {
        let questions = Questions::default();
        posted(&questions, &question("a", Some("K7QX")));
        posted(&questions, &question("b", Some("A2BC")));
        posted(&questions, &question("c", None));
        let typed = |text: &str, from| {
            let decision = questions.typed(text, (from, &place("telegram:42")), CHAT)?;
            Some((decision.id, decision.code.unwrap_or_default()))
        };
        assert_eq!(typed("k7qx", OWNER), Some(("a".to_owned(), "K7QX".to_owned())));
        assert_eq!(typed("A2BC", OWNER), Some(("b".to_owned(), "A2BC".to_owned())));
        assert_eq!(typed("Z9ZZ", OWNER), Some(("b".to_owned(), "Z9ZZ".to_owned())), "a wrong one");
        assert_eq!(typed("K7QX", UserId(7)), None);
        assert_eq!(typed("hello", OWNER), None);
        questions.settled("a", CHAT);
        questions.settled("b", CHAT);
        assert_eq!(typed("K7QX", OWNER), None, "nothing waits");
    }

    #[test]
    fn a_pin_is_written_and_no_button_stands_for_it() {
        let questions = Questions::default();
        let asked = |by: &str| json!({"id": by, "question": "EXEC {}", "code": false, "pin": true, "session": "owner", "principal": by});
        let nonce = posted(&questions, &Question::read(&asked("telegram:42")).unwrap());
        // The same conversation has another question, which another chat of the owner's has asked.
        posted(&questions, &Question::read(&asked("console:owner")).unwrap());
        let pressed = questions.press(&format!("yes:{nonce}"), OWNER, (CHAT, HERE));
        assert_eq!(pressed, Press::Dead);
        assert!(questions.wants_pin_of(OWNER) && !questions.wants_pin_of(UserId(7)));
        let typed = |text, from| questions.typed(text, (from, &place("telegram:42")), CHAT);
        let given = typed("493817", OWNER).unwrap();
        assert!(matches!(given.choice, Choice::Pin(_)) && given.code.is_none());
        assert_eq!(given.id, "telegram:42");
        assert_eq!(typed("yes", OWNER), None);
        assert_eq!(typed("493817", UserId(7)), None);
    }

    #[test]
    fn settled_says_once_whose_buttons_go() {
        let questions = Questions::default();
        posted(&questions, &question("q", None));
        assert_eq!(questions.settled("other", CHAT), None);
        assert_eq!(questions.settled("q", ChatId(7)), None);
        assert_eq!(questions.settled("q", CHAT), Some(HERE));
        assert_eq!(questions.settled("q", CHAT), None);
    }

    #[test]
    fn a_question_shows_what_would_run_to_the_letter() {
        let long = json!({"id": "0123456789", "digest": "abc", "seconds": 600, "grant": "POST to X", "code": true,
            "question": "POST {\"text\": \"**see** http://a.example @b\u{202e}\"}"});
        let text = text(&Question::read(&long).unwrap(), english());
        let (block, _) = text.marks[0].clone();
        assert_eq!(&text.text[block], "POST {\"text\": \"**see** http://a.example @b\"}");
        insta::assert_snapshot!(text.text, @r#"
        May this run? (question 01234567, digest abc, for 10 minutes)
        POST {"text": "**see** http://a.example @b"}
        For an hour would be allowed: POST to X
        To allow it, write the code that stands above.
        "#);
    }
}
