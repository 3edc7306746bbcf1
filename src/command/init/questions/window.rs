//! The router's own page.

use router::cli::set_up;
use window::Address;

use super::place::{self, OFF};
use super::{Draft, Init, InitError, Person, Question};

pub(super) struct Window;

impl Question for Window {
    fn name(&self) -> &'static str {
        "window"
    }

    fn take(&self, given: &Init, draft: &Draft, _: &mut Person) -> Result<bool, InitError> {
        let Some(wanted) = &given.window else { return Ok(false) };
        set(wanted, draft)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let now = address(draft)?.map(|at| at.to_string());
        let question = "A page of the router's own, to watch it and answer its questions?";
        let usually = Address::USUAL.to_string();
        let set = |wanted: &str, _: &mut Person| set(wanted, draft);
        place::ask(question, (now.as_deref(), &usually), person, set)
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        Ok(address(draft)?.map_or_else(
            || OFF.to_owned(),
            |at| format!("http://{at}; `{}` prints a link into it", home::router_command("window")),
        ))
    }
}

/// Where it is set to be.
fn address(draft: &Draft) -> Result<Option<Address>, InitError> {
    set_up::window(draft.home()).map_err(InitError::Router)
}

/// Sets it, once its port was seen to be free.
fn set(wanted: &str, draft: &Draft) -> Result<(), InitError> {
    let wanted: Option<Address> = match wanted {
        OFF => None,
        address => Some(address.parse()?),
    };
    // A router that runs has the port that is set.
    if wanted == address(draft)? {
        return Ok(());
    }
    if let Some(at) = wanted {
        place::is_free(&at.to_string(), "--window")?;
    }
    set_up::set_window(draft.home(), wanted).map_err(InitError::Router)
}
