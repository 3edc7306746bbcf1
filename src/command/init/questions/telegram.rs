//! Whether people talk with it over Telegram.

use agent::cli::configure;

use super::{Draft, Init, InitError, Person, Question, settings};

pub(super) struct Telegram;

impl Question for Telegram {
    fn name(&self) -> &'static str {
        "Telegram"
    }

    /// A bot's owner is found in a conversation, so no option can say it.
    fn take(&self, _: &Init, _: &Draft, _: &mut Person) -> Result<bool, InitError> {
        Ok(false)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let question = match settings(draft)?.telegram_token {
            Some(_) => "A Telegram bot is set. Set one up anew?",
            None => "Talk with it over Telegram as well?",
        };
        if person.confirm(question)? == Some(true)
            && let Err(error) = configure(draft.home(), "telegram", None, person)
        {
            person.tell(&format!("{:#}", anyhow::Error::new(error)));
            let later = home::agent_command("config telegram");
            person.tell(&format!("Telegram can be set up later: `{later}`."));
        }
        Ok(())
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        let settings = settings(draft)?;
        Ok(match (settings.telegram_token, settings.config.telegram.owner) {
            (None, _) => "off".to_owned(),
            (Some(_), None) => "a bot without an owner: nobody can talk with it yet".to_owned(),
            (Some(_), Some(owner)) => format!("on, for user {owner}"),
        })
    }
}
