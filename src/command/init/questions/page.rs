//! The page for the owner's browser.

use agent::cli::configure;

use super::place::{self, OFF};
use super::{Draft, Init, InitError, Person, Question, settings};

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
        let now = address(draft)?;
        let question = "A page to talk on in your browser, for this machine alone?";
        let set = |wanted: &str, person: &mut Person| set(wanted, draft, person);
        place::ask(question, (now.as_deref(), USUAL), person, set)
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
        place::is_free(wanted, "--page")?;
    }
    configure(draft.home(), "http", Some(wanted), person)?;
    Ok(())
}
