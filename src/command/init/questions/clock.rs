//! The clock: the time zone is shown, and the hours in which watches tell nothing are set.

use agent::cli::configure;

use super::{Draft, Init, InitError, Person, Question, settings};

/// The key of these hours.
const KEY: &str = "clock.quiet";

/// What sets no such hours, as people write it.
const NONE: &str = "none";

/// When people usually sleep.
const USUAL: &str = "22:00-07:00";

pub(super) struct Clock;

impl Question for Clock {
    fn name(&self) -> &'static str {
        "clock"
    }

    fn take(&self, given: &Init, draft: &Draft, person: &mut Person) -> Result<bool, InitError> {
        let Some(quiet) = &given.quiet else { return Ok(false) };
        configure(draft.home(), KEY, Some(quiet), person)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let settings = settings(draft)?;
        if !settings.config.clock.enabled {
            return Ok(());
        }
        let set_now = quiet(draft)?;
        let usual = set_now.clone().unwrap_or_else(|| USUAL.to_owned());
        let choices = [NONE.to_owned(), usual.clone(), "other hours".to_owned()];
        let zone = settings.zone.name();
        person.tell(&format!(
            "Times are those of {zone}; `{}` sets another zone.",
            home::agent_command("config clock.zone")
        ));
        let question = "Hours in which watches tell you nothing?";
        let wanted = match person.choose(question, &choices, usize::from(set_now.is_some()))? {
            0 => NONE.to_owned(),
            1 => usual,
            _ => person.ask("From when to when", &usual, &[])?,
        };
        if set_now.as_deref().unwrap_or(NONE) == wanted {
            return Ok(());
        }
        match configure(draft.home(), KEY, Some(&wanted), person) {
            Err(error) => {
                person.tell(&format!("{:#}", anyhow::Error::new(error)));
                self.ask(draft, person)
            }
            Ok(_) => Ok(()),
        }
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        let settings = settings(draft)?;
        if !settings.config.clock.enabled {
            return Ok("off (clock.enabled)".to_owned());
        }
        let quiet = quiet(draft)?.map(|hours| format!(", watches are quiet {hours}"));
        Ok(format!("times are those of {}{}", settings.zone.name(), quiet.unwrap_or_default()))
    }
}

/// The hours that are set.
fn quiet(draft: &Draft) -> Result<Option<String>, InitError> {
    Ok(settings(draft)?.config.clock.quiet.map(String::from))
}
