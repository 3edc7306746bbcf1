//! Who thinks.

use agent::cli::choose_model;

use super::{Draft, Init, InitError, Person, Question, settings};

pub(super) struct Model;

impl Question for Model {
    fn name(&self) -> &'static str {
        "model"
    }

    fn take(&self, given: &Init, draft: &Draft, person: &mut Person) -> Result<bool, InitError> {
        let Some(model) = &given.model else { return Ok(false) };
        draft.note_silent(choose_model(draft.home(), Some(model), given.fetch, person)?);
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        draft.note_silent(choose_model(draft.home(), None, false, person)?);
        Ok(())
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        let target = settings(draft)?.config.llm.target();
        Ok(match draft.silent() {
            Some(why) => format!("{target}, which does not answer: {why}"),
            None => target.to_string(),
        })
    }
}
