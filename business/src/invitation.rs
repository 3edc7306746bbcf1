//! A code by which somebody is known: it is hard to guess, and whoever guesses is heard no more.

use std::collections::HashMap;
use std::time::Duration;

/// How many wrong codes one sender may send.
const TRIES: usize = 5;

/// How many wrong codes of all senders end it.
const MOST_TRIES: usize = 50;

/// How many characters a code has, of which each is one of 32: a hit in fifty tries is one in 10^10.
const LENGTH: usize = 8;

/// Digits and letters that nobody takes for another one.
const LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// A code that waits for its person.
#[derive(Debug)]
pub struct Invitation {
    code: String,
    /// How many wrong codes have come, and from whom.
    wrong: HashMap<u64, usize>,
}

/// What a message is to an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeTry {
    /// The code.
    Right,
    /// Another code. Its sender has so many tries left.
    Wrong(usize),
    /// No code, or that of somebody who has no try left.
    Other,
}

impl Invitation {
    /// How long a code can be sent.
    pub const LIVES: Duration = Duration::from_secs(600);

    /// How many wrong codes one sender may send.
    pub const TRIES: usize = TRIES;

    /// How many wrong codes of all senders end it.
    pub const MOST_TRIES: usize = MOST_TRIES;

    /// One with a code that nobody knows yet.
    #[must_use]
    pub fn begin() -> Self {
        let random = uuid::Uuid::new_v4().into_bytes();
        // Two of the bytes have bits that are always the same.
        let bytes = random[..6].iter().chain(&random[9..]).take(LENGTH);
        let letter = |byte: &u8| char::from(LETTERS[usize::from(byte % 32)]);
        Self { code: bytes.map(letter).collect(), wrong: HashMap::new() }
    }

    /// The code as people read it.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// What `text` is. `/start`, which Telegram says by itself, is no try; a link may send the code behind it.
    pub fn hear(&mut self, user: u64, text: &str) -> CodeTry {
        let started = protocol::slash(text).filter(|(name, _)| name == "/start");
        let said = started.map_or(text.trim(), |(_, rest)| rest);
        let of_letters = said.bytes().all(|byte| LETTERS.contains(&byte.to_ascii_uppercase()));
        let tries = self.wrong.get(&user).copied().unwrap_or(0);
        if said.len() != LENGTH || !of_letters || tries >= TRIES {
            return CodeTry::Other;
        }
        if said.eq_ignore_ascii_case(&self.code) {
            return CodeTry::Right;
        }
        self.wrong.insert(user, tries + 1);
        CodeTry::Wrong(TRIES - tries - 1)
    }

    /// Whether so many wrong ones have come that it counts no more.
    #[must_use]
    pub fn is_guessed(&self) -> bool {
        self.wrong.values().sum::<usize>() >= MOST_TRIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invitation() -> Invitation {
        Invitation { code: "ABCD2345".to_owned(), wrong: HashMap::new() }
    }

    #[test]
    fn codes_differ_and_can_be_read() {
        let (one, other) = (Invitation::begin(), Invitation::begin());
        assert_ne!(one.code, other.code);
        assert!(one.code.len() == LENGTH && one.code.bytes().all(|b| LETTERS.contains(&b)));
    }

    #[test]
    fn what_looks_like_a_code_is_a_try() {
        let mut invitation = invitation();
        for other in ["/start", "hello there", "", "ABCD-2345", "tomorrow", "anything"] {
            assert_eq!(invitation.hear(7, other), CodeTry::Other, "{other}");
        }
        assert_eq!(invitation.hear(7, "ABCD2346"), CodeTry::Wrong(4));
        for code in [" abcd2345 ", "/start ABCD2345", "/Start@my_bot  abcd2345"] {
            assert_eq!(invitation.hear(7, code), CodeTry::Right, "{code}");
        }
    }

    #[test]
    fn who_guesses_is_heard_no_more_and_everybody_else_is() {
        let mut invitation = invitation();
        for left in (0..TRIES).rev() {
            assert_eq!(invitation.hear(7, "mustache"), CodeTry::Wrong(left));
        }
        assert_eq!(invitation.hear(7, "ABCD2345"), CodeTry::Other);
        assert_eq!(invitation.hear(8, "ABCD2345"), CodeTry::Right);
    }

    #[test]
    fn too_many_wrong_ones_end_it() {
        let mut invitation = invitation();
        for user in 0..9 {
            for left in (0..TRIES).rev() {
                assert_eq!(invitation.hear(user, "mustache"), CodeTry::Wrong(left));
            }
        }
        assert!(!invitation.is_guessed());
        for left in (0..TRIES).rev() {
            assert_eq!(invitation.hear(9, "mustache"), CodeTry::Wrong(left));
        }
        assert!(invitation.is_guessed());
    }
}
