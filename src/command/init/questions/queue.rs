//! Whether mind and wall run on one machine, or meet at a Redis.

use home::EnvFile;

use super::{Draft, Init, InitError, Person, Question, settings};

/// The variable that says where it is.
const NAME: &str = "REDIS_URL";

/// What makes it one machine again, as people write it.
const OFF: &str = "off";

/// Where a Redis usually is.
const USUAL: &str = "redis://127.0.0.1:6379";

pub(super) struct Queue;

impl Question for Queue {
    fn name(&self) -> &'static str {
        "router"
    }

    fn take(&self, given: &Init, draft: &Draft, _: &mut Person) -> Result<bool, InitError> {
        let Some(url) = &given.redis else { return Ok(false) };
        set(url, draft)?;
        Ok(true)
    }

    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError> {
        let is_apart = settings(draft)?.queue.is_set();
        let choices = [
            "beside the chat, on this machine".to_owned(),
            "apart: over a Redis, on this machine or another".to_owned(),
        ];
        let question = "Where should the router run?";
        let wanted = match person.choose(question, &choices, usize::from(is_apart))? {
            0 => OFF.to_owned(),
            // It may hold a password.
            _ if is_apart => return Ok(()),
            _ => person.ask("Address of the Redis", USUAL, &[])?,
        };
        match set(&wanted, draft) {
            Err(InitError::Redis(why)) => {
                person.tell(&why);
                set(OFF, draft)?;
                self.ask(draft, person)
            }
            done => done,
        }
    }

    fn now(&self, draft: &Draft) -> Result<String, InitError> {
        let settings = settings(draft)?;
        let address =
            settings.queue.address().map_err(|error| InitError::Redis(error.to_string()))?;
        Ok(match address {
            None => "beside the chat, on this machine".to_owned(),
            Some(address) => format!(
                "apart, over {}: start it with `{}`, and the chat with `{}`",
                address.shown(),
                home::router_command(""),
                home::agent_command("")
            ),
        })
    }
}

/// Sets it, once it has answered.
fn set(url: &str, draft: &Draft) -> Result<(), InitError> {
    let file = draft.home().env_file();
    let failed =
        |error: home::EnvError| InitError::Redis(format!("{:#}", anyhow::Error::new(error)));
    if url == OFF {
        return EnvFile::remove(&file, NAME).map_err(failed);
    }
    EnvFile::set(&file, NAME, url).map_err(failed)?;
    let address = settings(draft)?.queue.address();
    let address = address.map_err(|error| InitError::Redis(error.to_string()))?;
    let Some(address) = address else { return Ok(()) };
    let runtime = agent::runtime().map_err(agent::StartError::from)?;
    runtime.block_on(address.check()).map_err(InitError::Redis)
}
