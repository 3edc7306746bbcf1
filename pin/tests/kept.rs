//! How often a PIN may be tried and how long it counts, by a clock that is given.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::time::Duration;

use pin::{Hashed, Kept, LASTS, LOCKED, Locked, Pin};
use protocol::{Millis, Principal};

const NOW: Millis = Millis(1_000_000);

fn kept() -> Kept {
    Kept::new(Hashed::of(&Pin::read("4711").unwrap()).unwrap())
}

fn owner(name: &str) -> Principal {
    Principal::new(name).unwrap()
}

#[test]
fn a_pin_has_four_to_six_digits() {
    for right in ["1234", "12345", "000000", " 1234 "] {
        assert!(Pin::read(right).is_ok(), "{right}");
    }
    for wrong in ["", "123", "1234567", "12a4", "abcd", "١٢٣٤", "12 34", "-123", "1234\u{0}"] {
        let said = Pin::read(wrong).unwrap_err().to_string();
        assert_eq!(said, "a PIN has 4 to 6 digits and nothing else", "{wrong}");
    }
}

#[test]
fn a_pin_is_kept_as_a_salted_hash_and_shown_nowhere() {
    let pin = Pin::read("4711").unwrap();
    let (one, other) = (Hashed::of(&pin).unwrap(), Hashed::of(&pin).unwrap());
    assert_ne!(one, other);
    let text = serde_json::to_string(&one).unwrap();
    assert!(
        text.starts_with("\"$argon2id$v=19$m=32768,t=4,p=1$") && !text.contains("4711"),
        "{text}"
    );
    assert!(one.matches(&pin) && !one.matches(&Pin::read("4712").unwrap()));
    assert!(!one.matches(&Pin::read("04711").unwrap()));
    let broken: Hashed = serde_json::from_str("\"4711\"").unwrap();
    assert!(!broken.matches(&pin));
    assert!(!format!("{pin:?} {one:?}").contains("4711"));
}

#[test]
fn the_third_wrong_try_locks_for_an_hour_and_a_restart_forgets_nothing() {
    let mut kept = kept();
    for left in [2, 1] {
        assert_eq!(kept.begin(NOW), Ok(()));
        assert_eq!((kept.left(), kept.locked_until(NOW)), (left, None));
    }
    assert_eq!(kept.begin(NOW), Ok(()));
    let until = NOW.after(LOCKED);
    assert_eq!(kept.locked_until(NOW), Some(until));
    // As the next router reads it.
    let mut kept: Kept = serde_json::from_value(serde_json::to_value(&kept).unwrap()).unwrap();
    let just_before = Millis(until.0 - 1);
    assert_eq!(kept.begin(just_before), Err(Locked(until)));
    assert_eq!(kept.begin(until), Ok(()));
    assert_eq!((kept.left(), kept.locked_until(until)), (2, None));
}

#[test]
fn a_right_one_forgives_the_wrong_ones_and_counts_a_day_for_who_typed_it() {
    let mut kept = kept();
    for _ in 0..3 {
        kept.begin(NOW).unwrap();
    }
    kept.succeed(&owner("console:owner"), NOW);
    assert_eq!((kept.left(), kept.locked_until(NOW)), (3, None));
    assert!(kept.is_proven(&owner("console:owner"), NOW));
    assert!(!kept.is_proven(&owner("telegram:42"), NOW));
    let (last, over) = (NOW.after(LASTS - Duration::from_millis(1)), NOW.after(LASTS));
    assert!(kept.is_proven(&owner("console:owner"), last));
    assert!(!kept.is_proven(&owner("console:owner"), over));
    // A clock that was set back proves nothing.
    assert!(!kept.is_proven(&owner("console:owner"), Millis(NOW.0 - 1)));
}
