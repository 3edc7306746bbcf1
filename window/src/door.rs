//! Who has opened the window. It is kept in memory alone: when the router ends, everybody is out.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loopback::{CodeError, Codes, Tries};
use protocol::Millis;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use uuid::Uuid;

/// How long the window stays open for a page, whatever it does.
const LASTS: Duration = Duration::from_secs(12 * 60 * 60);

/// How many pages may have it open. The next one closes the one that was opened first.
const MOST: usize = 8;

/// Lets in who has opened it.
#[derive(Debug)]
pub(crate) struct Door {
    codes: Codes,
    tries: Tries,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    open: VecDeque<Open>,
    /// The numbers of the codes that were used, and when each ends.
    used: Vec<(String, Millis)>,
}

/// A page that has it open.
#[derive(Debug)]
struct Open {
    /// SHA-256 of its token.
    hash: [u8; 32],
    until: Millis,
}

/// Why it stays shut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shut {
    /// The code is not good.
    Code(CodeError),
    /// The code is unknown, and too many such were tried of late.
    TooMany,
}

impl Door {
    pub(crate) fn new(codes: Codes) -> Self {
        Self { codes, tries: Tries::default(), inside: Mutex::default() }
    }

    /// Opens it with a link's code, which is used up then, and gives the token that the page shows from now on.
    pub(crate) fn open(&self, code: &str, now: Millis) -> Result<String, Shut> {
        let sign = self.codes.read(code, now).map_err(|error| match error {
            // A code that was made here is never counted: whoever guesses must not keep its bearer out.
            CodeError::Unknown if !self.tries.may_fail() => Shut::TooMany,
            _ => Shut::Code(error),
        })?;
        let mut inside = self.inside();
        inside.used.retain(|(_, until)| *until > now);
        if inside.used.iter().any(|(number, _)| *number == sign.number) {
            return Err(Shut::Code(CodeError::Used));
        }
        inside.used.push((sign.number, sign.until));
        let token = [Uuid::new_v4(), Uuid::new_v4()].map(|half| half.simple().to_string()).concat();
        if inside.open.len() >= MOST {
            inside.open.pop_front();
        }
        inside.open.push_back(Open { hash: hash(&token), until: now.after(LASTS) });
        Ok(token)
    }

    /// Whether a page that shows `token` has it open.
    pub(crate) fn is_open(&self, token: &str, now: Millis) -> bool {
        let hash = hash(token);
        let mut inside = self.inside();
        inside.open.retain(|open| open.until > now);
        inside.open.iter().any(|open| bool::from(open.hash.ct_eq(&hash)))
    }

    /// Forgets `token`.
    pub(crate) fn shut(&self, token: &str) {
        let hash = hash(token);
        self.inside().open.retain(|open| open.hash != hash);
    }

    // A std mutex, because it is never held across an await. Poisoned, the lists are still whole.
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Millis = Millis(1_800_000_000_000);

    fn codes() -> Codes {
        Codes::new("test", b"secret")
    }

    #[test]
    fn a_code_opens_it_once_and_the_token_lasts_twelve_hours() {
        let door = Door::new(codes());
        let code = codes().make(NOW);
        let token = door.open(&code, NOW).unwrap();
        assert_eq!(door.open(&code, NOW), Err(Shut::Code(CodeError::Used)));
        assert!(door.is_open(&token, NOW));
        assert!(!door.is_open("", NOW) && !door.is_open(&token[1..], NOW));
        assert!(!door.is_open(&token, NOW.after(LASTS)));
    }

    #[test]
    fn whoever_is_shut_out_is_out_and_the_ninth_page_shuts_the_first() {
        let door = Door::new(codes());
        let open = |door: &Door| door.open(&codes().make(NOW), NOW).unwrap();
        let first = open(&door);
        let second = open(&door);
        door.shut(&second);
        assert!(door.is_open(&first, NOW) && !door.is_open(&second, NOW));
        let last: Vec<String> = (0..MOST).map(|_| open(&door)).collect();
        assert!(!door.is_open(&first, NOW));
        assert!(last.iter().all(|token| door.is_open(token, NOW)));
    }

    #[test]
    fn after_five_unknown_codes_another_is_too_many_and_a_good_one_still_opens_it() {
        let door = Door::new(codes());
        for _ in 0..5 {
            assert_eq!(door.open("AAAA", NOW), Err(Shut::Code(CodeError::Unknown)));
        }
        assert_eq!(door.open("AAAA", NOW), Err(Shut::TooMany));
        let code = codes().make(NOW);
        assert!(door.open(&code, NOW).is_ok());
        assert_eq!(door.open(&code, NOW), Err(Shut::Code(CodeError::Used)));
    }

    #[test]
    fn a_code_of_another_life_of_the_router_opens_nothing() {
        let door = Door::new(Codes::new("test", b"another"));
        assert_eq!(door.open(&codes().make(NOW), NOW), Err(Shut::Code(CodeError::Unknown)));
    }
}
