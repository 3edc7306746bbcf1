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
        choose_model(draft.home(), Some(model), given.fetch, person)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        Ok(choose_model(draft.home(), None, false, person)?)
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        Ok(settings(draft)?.config.llm.target().to_string())
    }
}
