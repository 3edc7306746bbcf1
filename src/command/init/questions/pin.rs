//! The PIN before what reaches the owner's machine.

use protocol::Pin;
use router::PinWish;

use super::{Draft, Init, InitError, Person, Question};

/// What it stands before.
const GUARDED: &str = "/exec, /read, /index, changes by /mode, and the same when a model wants it";

pub(super) struct OwnersPin;

impl Question for OwnersPin {
    fn name(&self) -> &'static str {
        "PIN"
    }

    /// Whoever lists the processes of a machine reads their options, so none holds a PIN.
    fn take(&self, _: &Init, _: &Draft, _: &mut Person) -> Result<bool, InitError> {
        Ok(false)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let (kept, removed) = match PinWish::is_there(draft.real()) {
            Ok(true) => ("keep the one that is set", Some("none: take it away")),
            Ok(false) => ("none", None),
            Err(error) => {
                person.tell(&error.to_string());
                ("leave that as it is", Some("none: take it away"))
            }
        };
        let choices: Vec<String> = [Some(kept), Some("a new one, of 4 to 6 digits"), removed]
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect();
        let question = format!("A PIN, entered in each chat once a day, before {GUARDED}?");
        draft.wish_pin(match person.choose(&question, &choices, 0)? {
            0 => None,
            1 => Some(PinWish::Set(typed_twice(person)?)),
            _ => Some(PinWish::Remove),
        });
        Ok(())
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        let set = home::router_command("pin set");
        Ok(match (draft.pin(), PinWish::is_there(draft.real())) {
            (Some(PinWish::Set(_)), _) => "a new one".to_owned(),
            (None, Ok(true)) => "one is set".to_owned(),
            (Some(PinWish::Remove), _) | (None, Ok(false)) => format!("none; `{set}` sets one"),
            (None, Err(error)) => error.to_string(),
        })
    }
}

/// The PIN that a person has typed twice, unseen.
fn typed_twice(person: &mut Person) -> Result<Pin, InitError> {
    loop {
        let first = Pin::typed(&person.ask_secret("New PIN")?).filter(Pin::is_whole);
        let Some(pin) = first else {
            person.tell("A PIN is 4 to 6 digits and nothing else.");
            continue;
        };
        if Pin::typed(&person.ask_secret("The same once more")?) == Some(pin) {
            return Ok(pin);
        }
        person.tell("The two were not the same.");
    }
}
