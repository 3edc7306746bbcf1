//! The page for the owner's browser.

use std::net::TcpListener;

use agent::cli::configure;

use super::{Draft, Init, InitError, Person, Question, settings};

/// What turns it off, as people write it.
const OFF: &str = "off";

/// Where it is unless somebody says otherwise.
const USUAL: &str = "127.0.0.1:8787";

pub(super) struct Page;

impl Question for Page {
    fn name(&self) -> &'static str {
        "page"
    }

    fn take(&self, given: &Init, draft: &Draft, person: &mut Person) -> Result<bool, InitError> {
        let Some(address) = &given.page else { return Ok(false) };
        set(address, draft, person)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let set_now = address(draft)?;
        let at = set_now.clone().unwrap_or_else(|| USUAL.to_owned());
        let choices = ["no".to_owned(), format!("yes, at {at}"), "yes, elsewhere".to_owned()];
        let current = usize::from(set_now.is_some());
        let question = "A page to talk on in your browser, for this machine alone?";
        let wanted = match person.choose(question, &choices, current)? {
            0 => OFF.to_owned(),
            1 => at,
            _ => person.ask("Where", &at, &[])?,
        };
        if set_now.as_deref().unwrap_or(OFF) == wanted {
            return Ok(());
        }
        match set(&wanted, draft, person) {
            Err(error @ (InitError::Page(..) | InitError::Agent(_))) => {
                person.tell(&format!("{:#}", anyhow::Error::new(error)));
                self.ask(draft, person)
            }
            done => done,
        }
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        Ok(address(draft)?.map_or_else(
            || OFF.to_owned(),
            |at| format!("http://{at}; `{}` signs your browser in", home::agent_command("web")),
        ))
    }
}

/// Where it is set to be.
fn address(draft: &Draft) -> Result<Option<String>, InitError> {
    Ok(settings(draft)?.config.http.listen.map(String::from))
}

/// Sets it, once its port was seen to be free.
fn set(wanted: &str, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
    // An agent that runs has the port that is set.
    if wanted != OFF && address(draft)?.as_deref() != Some(wanted) {
        TcpListener::bind(wanted).map_err(|error| InitError::Page(wanted.to_owned(), error))?;
    }
    Ok(configure(draft.home(), "http", Some(wanted), person)?)
}
