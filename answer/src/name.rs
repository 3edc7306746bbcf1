//! Finds the card that a name means, however it is written.

use protocol::{ActionCard, ActionName};

use super::error::{ActionError, shown};

/// What some models put in front of the names of all their tools.
const PREFIXES: [&str; 3] = ["functions.", "default_api.", "tools."];

/// How many names an error tells.
const TOLD: usize = 8;

/// The local cards, then the router's.
pub(super) type Cards<'a> = [&'a [ActionCard]; 2];

/// The card that `given` names: exactly, or else in another case or with other separators, if it is the only one.
///
/// # Errors
/// [`ActionError::Unknown`] with the names that are most like it.
pub(super) fn card<'a>(given: &str, cards: Cards<'a>) -> Result<&'a ActionCard, ActionError> {
    find(given, cards)
        .ok_or_else(|| ActionError::Unknown { shown: shown(given), near: near(given, cards) })
}

/// The same, without a word on why there is none.
pub(super) fn find<'a>(given: &str, cards: Cards<'a>) -> Option<&'a ActionCard> {
    let given = given.trim();
    let given = PREFIXES.iter().find_map(|prefix| given.strip_prefix(prefix)).unwrap_or(given);
    let all = || cards.into_iter().flatten();
    if let Some(exact) = all().find(|card| card.name.as_str() == given) {
        return Some(exact);
    }
    let wanted = plain(given)?;
    let mut alike = all().filter(|card| plain(card.name.as_str()).as_ref() == Some(&wanted));
    alike.next().filter(|_| alike.next().is_none())
}

/// Whether `given` has the form of an action's name, so that it can hardly mean anything else.
pub(super) fn is_shouted(given: &str) -> bool {
    ActionName::new(given).is_ok() && given.trim_start_matches('_').contains('_')
}

/// The letters and digits of a name in capitals; `None` if it holds anything that no separator is.
///
/// Only ASCII counts: a letter of another script that looks the same is another name.
pub(super) fn plain(name: &str) -> Option<String> {
    let mut plain = String::new();
    for c in name.chars().take(128) {
        match c {
            _ if c.is_ascii_alphanumeric() => plain.push(c.to_ascii_uppercase()),
            '_' | '-' | ' ' => {}
            // A Markdown writer's underscore.
            '\\' => {}
            _ => return None,
        }
    }
    (!plain.is_empty()).then_some(plain)
}

fn near(given: &str, cards: Cards<'_>) -> String {
    let names: Vec<&str> = cards.into_iter().flatten().map(|card| card.name.as_str()).collect();
    if names.is_empty() {
        return "there are no actions at the moment; answer in words".to_owned();
    }
    let told = names.iter().take(TOLD).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > TOLD { ", ..." } else { "" };
    match home::nearest(given, names.iter().copied()) {
        Some(near) => format!("did you mean {near}? there are {told}{more}"),
        None => format!("there are {told}{more}; use one of them, or answer in words"),
    }
}
