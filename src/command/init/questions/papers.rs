//! The folder whose papers the library may take in from a chat.

use std::path::Path;

use router::cli::set_up;

use super::{Draft, Init, InitError, Person, Question};

/// What opens none, as people write it.
const OFF: &str = "off";

pub(super) struct Papers;

impl Question for Papers {
    fn name(&self) -> &'static str {
        "papers"
    }

    fn take(&self, given: &Init, draft: &Draft, _: &mut Person) -> Result<bool, InitError> {
        let Some(wanted) = &given.papers else { return Ok(false) };
        set(wanted, draft)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let open = folder(draft)?;
        let mut choices = vec!["no".to_owned(), "yes, those in a folder".to_owned()];
        choices.extend(open.iter().map(|open| format!("yes, those in {open}")));
        let current = if open.is_some() { 2 } else { 0 };
        let question = "Should it find passages in papers of yours, and answer with file and page?";
        let wanted = match person.choose(question, &choices, current)? {
            0 => OFF.to_owned(),
            1 => person.ask("Which folder", &usual(), &[])?,
            _ => return Ok(()),
        };
        match set(&wanted, draft) {
            Err(InitError::Router(why)) => {
                person.tell(&format!("{why:#}"));
                self.ask(draft, person)
            }
            done => done,
        }
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        Ok(folder(draft)?.map_or_else(
            || OFF.to_owned(),
            |open| format!("{open}; `/index FILE admin` in a chat takes a paper from it"),
        ))
    }
}

/// The folder in which most people keep papers.
fn usual() -> String {
    home::with_tilde("~/Documents").display().to_string()
}

/// The folder that is open.
fn folder(draft: &Draft) -> Result<Option<String>, InitError> {
    set_up::papers(draft.home()).map_err(InitError::Router)
}

/// Opens it, once it was seen to be a folder that may be read.
fn set(wanted: &str, draft: &Draft) -> Result<(), InitError> {
    let now = folder(draft)?;
    let wanted = (wanted != OFF).then(|| home::with_tilde(wanted));
    if now.as_deref().map(Path::new) == wanted.as_deref() {
        return Ok(());
    }
    set_up::set_papers(draft.home(), draft.real(), wanted.as_deref()).map_err(InitError::Router)
}
