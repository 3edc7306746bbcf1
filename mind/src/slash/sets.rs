//! `/sets [on|off NAME]`: shows the sets of actions, and turns one on or off.

use std::fmt::Write;
use std::sync::Arc;

use action::known_sets;
use async_trait::async_trait;
use home::{counted, nearest};
use protocol::SetName;

use super::perform::{At, Perform, Read};
use crate::Mind;

#[derive(Debug)]
enum SetWish {
    Show,
    Turn { set: SetName, is_on: bool },
}

pub(super) fn read(rest: &str) -> Read {
    let usage = "it is /sets, /sets on NAME or /sets off NAME";
    let wish = match rest.split_whitespace().collect::<Vec<_>>()[..] {
        [] => SetWish::Show,
        [word @ ("on" | "off"), name] => {
            let set = SetName::new(name.to_lowercase()).map_err(|error| error.to_string())?;
            SetWish::Turn { set, is_on: word == "on" }
        }
        _ => return Err(usage.to_owned()),
    };
    Ok(Arc::new(wish))
}

#[async_trait]
impl Perform for SetWish {
    async fn perform(&self, at: At<'_>) {
        match self {
            Self::Show => at.text(shown(at.mind)),
            Self::Turn { set, is_on } => match turned(at.mind, set, *is_on) {
                Ok(told) => at.text(told),
                Err(why) => at.notice(why),
            },
        }
    }
}

fn shown(mind: &Mind) -> String {
    let (known, on) = (known_sets(&mind.cards()), mind.sets.on());
    if known.is_empty() {
        return "All actions are offered; none comes in a set.".to_owned();
    }
    let mut text = "Actions that are offered together:".to_owned();
    for (set, count) in known {
        let state = if on.contains(&set) { "on" } else { "off" };
        // Writing to a String can't fail.
        let _ =
            write!(text, "\n  {:<14} {state:<4} {}", set.as_str(), counted(count as u64, "action"));
    }
    text.push_str("\n/sets on NAME offers one, /sets off NAME takes it back.");
    text
}

fn turned(mind: &Mind, set: &SetName, is_on: bool) -> Result<String, String> {
    let known = known_sets(&mind.cards());
    if is_on && !known.contains_key(set) {
        let near = nearest(set.as_str(), known.keys().map(SetName::as_str));
        let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        return Err(format!("there is no set {set}{hint} (/sets lists them)"));
    }
    mind.sets.turn(set.clone(), is_on).map_err(|error| format!("nothing was changed: {error}"))?;
    let state = if is_on { "on: its actions are offered" } else { "off" };
    Ok(format!("The set {set} is {state}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_turned_by_its_name() {
        for right in ["", "on library", "off Library"] {
            assert!(read(right).is_ok(), "{right}");
        }
        for wrong in ["library", "on", "on a b", "on ../x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
