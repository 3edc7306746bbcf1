//! What needs the owner's yes.

use std::path::PathBuf;

use home::file;
use router::policy::{DEFAULT, Then, external, with_external};

use super::super::Ask;
use super::{Draft, Init, InitError, Person, Question};

/// The largest policy, in bytes.
const LIMIT: u64 = 256 * 1024;

pub(super) struct Asks;

impl Ask {
    const ALL: [Self; 2] = [Self::Everything, Self::Tainted];

    fn then(self) -> Then {
        match self {
            Self::Everything => Then::Ask,
            Self::Tainted => Then::Allow,
        }
    }
}

/// What a policy with this ruling for what others can see asks for.
fn shown(then: Then) -> &'static str {
    match then {
        Then::Ask => "it asks before everything that others can see, such as a post or a message",
        Then::Allow => {
            "it asks only once text of others has come into the conversation, and before what can't be taken back"
        }
        Then::Refuse => "nothing may be seen by others: it is refused",
    }
}

impl Question for Asks {
    fn name(&self) -> &'static str {
        "your yes"
    }

    fn take(&self, given: &Init, draft: &Draft, _: &mut Person) -> Result<bool, InitError> {
        let Some(ask) = given.ask else { return Ok(false) };
        set(ask.then(), draft)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let now = external(&text(draft)?).map_err(|_| InitError::Policy)?;
        let mut all = Ask::ALL.map(Ask::then).to_vec();
        if !all.contains(&now) {
            all.push(now);
        }
        let choices: Vec<String> = all.iter().map(|then| shown(*then).to_owned()).collect();
        let current = all.iter().position(|then| *then == now).unwrap_or_default();
        let chosen = person.choose("When should it ask for your yes?", &choices, current)?;
        set(all[chosen], draft)
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        external(&text(draft)?).map(|then| shown(then).to_owned()).map_err(|_| InitError::Policy)
    }
}

fn path(draft: &Draft) -> PathBuf {
    draft.home().router().join("policy.toml")
}

/// The policy as it will be.
fn text(draft: &Draft) -> Result<String, InitError> {
    let bytes = file::read(&path(draft), LIMIT).map_err(super::super::DraftError::from)?;
    let bytes = bytes.unwrap_or_else(|| DEFAULT.as_bytes().to_vec());
    String::from_utf8(bytes).map_err(|_| InitError::Policy)
}

fn set(then: Then, draft: &Draft) -> Result<(), InitError> {
    let before = text(draft)?;
    if external(&before).map_err(|_| InitError::Policy)? == then {
        return Ok(());
    }
    let changed = with_external(&before, then).map_err(|_| InitError::Policy)?;
    Ok(file::write(&path(draft), changed.as_bytes()).map_err(super::super::DraftError::from)?)
}
