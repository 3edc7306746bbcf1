//! The browser that looks at pages: it is found, not set.

use super::{Draft, Init, InitError, Person, Question, settings};

pub(super) struct Browser;

impl Question for Browser {
    fn name(&self) -> &'static str {
        "browser"
    }

    fn take(&self, _: &Init, _: &Draft, _: &mut Person) -> Result<bool, InitError> {
        Ok(true)
    }

    fn ask(&self, _: &Draft, _: &mut Person) -> Result<(), InitError> {
        Ok(())
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        let check = agent::doctor::browser(&settings(draft)?);
        Ok(match check.mend.as_str() {
            "" => check.seen,
            mend => format!("{}; {mend}", check.seen),
        })
    }
}
