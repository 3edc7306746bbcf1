//! A PIN as a person typed it. It goes to the router and nowhere else.

use std::fmt;

use crate::{Object, slash};

/// The parameter of an answer that holds it.
const PARAM: &str = "pin";

/// How many digits look like a PIN that somebody has slipped in: it is not read as a message either.
const FEWEST: usize = 3;
const MOST: usize = 8;

/// Digits that a person typed where a PIN is asked for. It shows none of them, whoever prints it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    digits: [u8; MOST],
    count: usize,
}

impl Pin {
    /// Reads what was typed; `None` unless it is 3 to 8 digits and nothing else. Whether these can be a PIN,
    /// [`Pin::is_whole`] says.
    #[must_use]
    pub fn typed(text: &str) -> Option<Self> {
        let typed = text.trim().as_bytes();
        let fits = (FEWEST..=MOST).contains(&typed.len()) && typed.iter().all(u8::is_ascii_digit);
        let mut digits = [0; MOST];
        fits.then(|| digits[..typed.len()].copy_from_slice(typed))?;
        Some(Self { digits, count: typed.len() })
    }

    /// Whether `line` holds what may be a PIN where a person would type one: it is nothing else, or `/approve` stands before it.
    #[must_use]
    pub fn stands_in(line: &str) -> bool {
        let is_one = |word: &str| Self::typed(word).is_some();
        let given = slash(line).filter(|(name, _)| name == "/approve");
        is_one(line) || given.is_some_and(|(_, rest)| rest.split_whitespace().any(is_one))
    }

    /// Whether it has 4 to 6 digits, as each PIN has.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        (4..=6).contains(&self.count)
    }

    /// The digits, for whoever checks them.
    #[must_use]
    pub fn digits(&self) -> &[u8] {
        &self.digits[..self.count]
    }

    /// The parameter that carries it to the router.
    #[must_use]
    pub fn param(&self) -> (String, serde_json::Value) {
        (PARAM.to_owned(), String::from_utf8_lossy(self.digits()).into())
    }

    /// The one that `params` carry.
    #[must_use]
    pub fn of(params: &Object) -> Option<Self> {
        Self::typed(params.get(PARAM)?.as_str()?)
    }
}

impl fmt::Debug for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pin(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_alone_are_a_pin_and_nothing_shows_them() {
        for (typed, is_whole) in
            [("123", false), ("1234", true), (" 123456\n", true), ("12345678", false)]
        {
            let pin = Pin::typed(typed).unwrap();
            assert_eq!(pin.is_whole(), is_whole, "{typed}");
            assert!(!format!("{pin:?}").contains("123"));
            assert_eq!(Pin::of(&Object::from_iter([pin.param()])), Some(pin));
        }
        for line in ["493817", " 4938 ", "/approve ab12 493817", "/Approve@my_bot 4938"] {
            assert!(Pin::stands_in(line), "{line}");
        }
        for line in ["", "/approve ab12 K7QX", "/remember 4938", "it was 493817"] {
            assert!(!Pin::stands_in(line), "{line}");
        }
        for none in ["", "12", "123456789", "12a4", "12 34", "１２３４", "-123", "1234!"] {
            assert_eq!(Pin::typed(none), None, "{none}");
        }
    }
}
