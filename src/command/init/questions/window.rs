//! The router's own page.

use std::net::TcpListener;

use router::cli::set_up;
use window::Address;

use super::{Draft, Init, InitError, Person, Question};

/// What turns it off, as people write it.
const OFF: &str = "off";

pub(super) struct Window;

impl Question for Window {
    fn name(&self) -> &'static str {
        "window"
    }

    fn take(&self, given: &Init, draft: &Draft, _: &mut Person) -> Result<bool, InitError> {
        let Some(wanted) = &given.window else { return Ok(false) };
        set(read(wanted)?, draft)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let set_now = address(draft)?;
        let at = set_now.unwrap_or(Address::USUAL);
        let choices = ["no".to_owned(), format!("yes, at {at}"), "yes, elsewhere".to_owned()];
        let question = "A page of the router's own, to watch it and answer its questions?";
        let wanted = match person.choose(question, &choices, usize::from(set_now.is_some()))? {
            0 => Ok(None),
            1 => Ok(Some(at)),
            _ => read(&person.ask("Where", &at.to_string(), &[])?),
        };
        match wanted.and_then(|wanted| set(wanted, draft)) {
            Err(error @ (InitError::Window(..) | InitError::NoWindow(..))) => {
                person.tell(&format!("{:#}", anyhow::Error::new(error)));
                self.ask(draft, person)
            }
            done => done,
        }
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        Ok(address(draft)?.map_or_else(
            || OFF.to_owned(),
            |at| format!("http://{at}; `{}` prints a link into it", home::router_command("window")),
        ))
    }
}

fn read(wanted: &str) -> Result<Option<Address>, InitError> {
    if wanted == OFF {
        return Ok(None);
    }
    let no_address = |error: window::AddressError| InitError::NoWindow(error.to_string());
    wanted.parse().map(Some).map_err(no_address)
}

/// Where it is set to be.
fn address(draft: &Draft) -> Result<Option<Address>, InitError> {
    set_up::window(draft.home()).map_err(InitError::Router)
}

/// Sets it, once its port was seen to be free.
fn set(wanted: Option<Address>, draft: &Draft) -> Result<(), InitError> {
    // A router that runs has the port that is set.
    if wanted == address(draft)? {
        return Ok(());
    }
    if let Some(at) = wanted {
        TcpListener::bind(at.socket()).map_err(|error| InitError::Window(at.to_string(), error))?;
    }
    set_up::set_window(draft.home(), wanted).map_err(InitError::Router)
}
