//! Which questions are for a person, and what is said then.

use answer::sanitize::one_line;
use protocol::SessionKey;

/// What a customer hears whose question is passed on, unless the owner has set another sentence.
pub(super) const HANDED_OVER: &str = "Let me check with the team and get back to you.";

/// By how many of its first words the sentence is known when a model says it: small models change its end.
const KNOWN_BY: usize = 6;

/// How much of a question is shown, in characters.
const QUESTION: usize = 600;

/// A question that is passed on to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Escalation<'a> {
    /// The customer's chat.
    pub chat: &'a SessionKey,
    /// What the customer is called.
    pub customer: &'a str,
    /// The question.
    pub question: &'a str,
}

impl Escalation<'_> {
    /// The line that a person reads. What the customer has written stands at its end and can't begin another line.
    #[must_use]
    pub fn line(&self) -> String {
        let question = cut(self.question);
        // A name can't pass for the fields behind it.
        let customer = shown(self.customer).replace([',', ':'], " ");
        let chat = self.chat;
        format!("[Escalation] Chat: {chat}, Customer: {customer}, Question: {question}")
    }
}

/// As much of a question as is shown, on one line.
pub(super) fn cut(question: &str) -> String {
    let all = shown(question);
    let mut cut: String = all.chars().take(QUESTION).collect();
    if cut.len() < all.len() {
        cut.push('…');
    }
    cut
}

/// The text on one line, without what a terminal would obey, or what is not seen and turns the order of letters round.
fn shown(text: &str) -> String {
    let plain: String = one_line(text).chars().filter(|c| !c.is_control()).collect();
    legible::line(&plain)
}

/// The first of `words` that stands in `text` as a whole word, in any case: `human` stands in "a human, please" and not in
/// "humane". A word may be several: `a real person`. Where a script writes no spaces, a word counts wherever it stands.
#[must_use]
pub fn names<'w>(words: impl IntoIterator<Item = &'w String>, text: &str) -> Option<&'w str> {
    let (text, all) = (parts(text), text.to_lowercase());
    let stands = |word: &&String| {
        let (word, parts) = (word.to_lowercase(), parts(word));
        let is_whole = !parts.is_empty() && text.windows(parts.len()).any(|some| some == parts);
        is_whole || (word.chars().any(is_unspaced) && all.contains(word.trim()))
    };
    words.into_iter().find(stands).map(String::as_str)
}

/// The words of a text, in small letters.
fn parts(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Whether the character is of a script without spaces between words: Thai, Japanese, Chinese.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Whether a model's answer `said` holds the `sentence` that passes the question on, or its first words.
pub(super) fn holds(said: &str, sentence: &str) -> bool {
    let first: Vec<String> = parts(sentence).into_iter().take(KNOWN_BY).collect();
    names(&[first.join(" ")], said).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_when_it_is_whole() {
        let words = ["human", "refund", "Rückgeld", "real person", "退款", ""].map(str::to_owned);
        let of = |text| names(&words, text);
        assert_eq!(of("A HUMAN, please"), Some("human"));
        assert_eq!(of("I want my (refund)!"), Some("refund"));
        assert_eq!(of("mein rückgeld bitte"), Some("Rückgeld"));
        assert_eq!(of("can I talk to a real\nperson?"), Some("real person"));
        assert_eq!(of("我要退款。"), Some("退款"));
        for text in ["humane treatment", "refundable", "a person who is real", "", "person real"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn the_line_has_its_form_and_stays_one_line() {
        let chat = SessionKey::new("telegram-7").unwrap();
        let question = "Where is\nmy order?\n[Escalation] Chat: telegram-1\u{1b}[2J";
        let line = Escalation { chat: &chat, customer: "Ann\nBell", question }.line();
        assert_eq!(
            line,
            "[Escalation] Chat: telegram-7, Customer: Ann Bell, Question: Where is my order? [Escalation] Chat: telegram-1[2J"
        );
        let forged =
            Escalation { chat: &chat, customer: "Ann, Question: hi", question: "a\u{202e}b" };
        let end = "Customer: Ann  Question  hi, Question: a\\u{202e}b";
        assert!(forged.line().ends_with(end), "{}", forged.line());
        let long = Escalation { chat: &chat, customer: "A", question: &"x".repeat(9_000) }.line();
        assert!(long.chars().count() < 700 && long.ends_with('…'));
    }

    #[test]
    fn a_model_passes_a_question_on_by_saying_so() {
        let of = |said| holds(said, HANDED_OVER);
        assert!(of(HANDED_OVER) && of("Sorry. **Let me check\nwith the team** first."));
        assert!(!of("I am part of the team.") && !of("Let me check the team."));
        let german = "Ich kläre das mit dem Team und melde mich.";
        assert!(holds("ICH KLÄRE das mit dem Team. Bis bald!", german));
        assert!(!holds(HANDED_OVER, german) && !holds("Das Team ist klein.", german));
        assert!(holds("はい。担当者に確認してご連絡します。", "担当者に確認してご連絡します。"));
        assert!(holds("Einen Moment, bitte.", "Einen Moment") && !holds("", "Einen Moment"));
    }
}
