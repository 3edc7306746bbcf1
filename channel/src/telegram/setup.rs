//! `config telegram`: a bot's token, proven, and its owner, found by a code.

use std::io;
use std::path::Path;

use bot::{Client, Fault, PairError, Pairing};
use home::{ConfigError, ConfigFile, EnvError, EnvFile};
use protocol::Millis;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tokio::runtime::Runtime;

use settings::{AgentConfig, Asker};

use super::JOURNAL;
use super::journal::Journal;

/// What the conversation needs.
pub struct SetUp<'a> {
    /// `.env`, where the token goes.
    pub env_file: &'a Path,
    /// The folder where the channel writes down what it has taken.
    pub workspace: &'a Path,
    /// agent/config.json, where the owner goes.
    pub file: &'a mut ConfigFile<AgentConfig>,
    /// The token that is known already.
    pub token: Option<SecretString>,
    /// Whoever answers.
    pub asker: &'a mut (dyn Asker + Send),
    /// Where Telegram is asked.
    pub runtime: &'a Runtime,
}

/// Why there is no bot, or no owner.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// It can be no token.
    #[error(
        "that is no bot's token; @BotFather gives one like 123456789:AAE-and-33-more-characters"
    )]
    NoToken,
    /// It came where others read it.
    #[error(
        "a token does not belong on the command line, where others read it; say `{}` alone",
        home::agent_command("config telegram")
    )]
    Given,
    /// It does not work.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// `.env` can't be written.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The owner is as before.
    #[error("the bot is set, and its owner is not")]
    Pair(#[from] PairError),
    /// agent/config.json can't be written.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nobody answers.
    #[error("no answer could be read")]
    Answer(#[from] io::Error),
}

impl SetUp<'_> {
    /// Asks for the token, proves it, and waits for the owner.
    ///
    /// # Errors
    /// [`SetUpError`] says what is set and what is not.
    pub fn run(mut self) -> Result<(), SetUpError> {
        let (token, is_new) = self.ask()?;
        let client = Client::new(token.clone(), self.file.settings().telegram.api_url.as_ref())?;
        let me = self.runtime.block_on(client.me())?;
        if is_new {
            EnvFile::set(self.env_file, "TELEGRAM_BOT_TOKEN", token.expose_secret())?;
        }
        let pairing = Pairing::begin();
        let (name, code) = (&me.username, pairing.code());
        self.asker.tell(&format!(
            "The bot is @{name}. Who sends it this code within ten minutes becomes its owner: {code}\n\
             https://t.me/{name}?start={code} does so at once."
        ));
        let asker = &mut *self.asker;
        let mut tell = |line: &str| asker.tell(line);
        let paired = self.runtime.block_on(pairing.wait(&client, &mut tell))?;
        self.file.set("telegram.owner", json!(paired.user))?;
        let (journal, _) =
            Journal::open(self.workspace.join(JOURNAL), me.id, Millis::of_this_machine());
        if let Err(error) = journal.skip(paired.update, Millis::of_this_machine()) {
            self.asker.tell(&format!("{error}; the agent may take the code for a message"));
        }
        // A name is its person's own choice, and may hold anything.
        let name: String = paired.name.chars().filter(|c| !c.is_control()).collect();
        self.asker.tell(&format!("The owner is {name} (user {}).", paired.user));
        Ok(())
    }

    /// The token, and whether it is another than before.
    fn ask(&mut self) -> Result<(SecretString, bool), SetUpError> {
        self.asker.tell(match &self.token {
            Some(_) => "Paste the token of another bot, or nothing to keep the one that is set.",
            None => "Have @BotFather make a bot (/newbot), and paste the token that it gives you.",
        });
        let answer = self.asker.ask_secret("token")?;
        match (answer.trim(), self.token.take()) {
            ("", Some(token)) => Ok((token, false)),
            (answer, _) if is_token(answer) => Ok((SecretString::from(answer), true)),
            _ => Err(SetUpError::NoToken),
        }
    }
}

/// Whether it looks like a token: the bot's id, and a secret.
fn is_token(text: &str) -> bool {
    let is_secret = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    text.split_once(':').is_some_and(|(id, secret)| {
        !id.is_empty()
            && id.bytes().all(|b| b.is_ascii_digit())
            && secret.len() >= 20
            && secret.bytes().all(is_secret)
    })
}
