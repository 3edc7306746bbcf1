//! `http` in agent/config.json: where programs reach the agent. What they show stands in `.env` as SAFECLAW_HTTP_TOKEN.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use home::{ConfigError, ConfigFile, EnvError, EnvFile};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{AgentConfig, Asker};

/// What turns the channel off, as people write it.
const OFF: &str = "off";

/// Where it listens unless somebody says otherwise.
const USUAL: &str = "127.0.0.1:8787";

/// Where programs reach the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Http {
    /// An address of this machine alone; none keeps the channel off.
    pub listen: Option<Loopback>,
}

/// An address that is reached from this machine alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Loopback(SocketAddr);

impl Loopback {
    /// As an address.
    #[must_use]
    pub fn address(self) -> SocketAddr {
        self.0
    }
}

impl TryFrom<String> for Loopback {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        match text.parse::<SocketAddr>() {
            Ok(address) if address.ip().is_loopback() => Ok(Self(address)),
            _ => Err(format!("an address of this machine alone, such as {USUAL}")),
        }
    }
}

impl From<Loopback> for String {
    fn from(listen: Loopback) -> String {
        listen.0.to_string()
    }
}

/// Why the channel was not set up. Nothing is changed then.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// `.env`
    #[error(transparent)]
    Env(#[from] EnvError),
    /// The address does not fit, or the file can't be written.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Nobody answers.
    #[error("no answer could be read")]
    Answer(#[from] io::Error),
}

/// What setting the channel up needs.
pub struct HttpSetUp<'a> {
    /// `.env`, where the token is written if there is none.
    pub env_file: &'a Path,
    /// agent/config.json.
    pub file: &'a mut ConfigFile<AgentConfig>,
    /// What programs have to show by now.
    pub token: Option<SecretString>,
    /// Whoever answers.
    pub asker: &'a mut dyn Asker,
}

impl HttpSetUp<'_> {
    /// Sets the address to `given`, or asks for it, and makes a token if there is none.
    ///
    /// # Errors
    /// [`HttpError`].
    pub fn run(self, given: Option<&str>) -> Result<(), HttpError> {
        let current = self.file.settings().http.listen.map_or(USUAL.to_owned(), String::from);
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask("http (where it listens, or off)", &current, &[])?,
        };
        if answer == OFF {
            self.file.set("http.listen", Value::Null)?;
            self.asker.tell("programs are not served any more");
            return Ok(());
        }
        self.file.set("http.listen", json!(answer))?;
        if self.token.is_none() {
            EnvFile::set(self.env_file, "SAFECLAW_HTTP_TOKEN", &token())?;
        }
        self.asker.tell(&format!(
            "programs reach the agent at http://{answer} while it runs; they show SAFECLAW_HTTP_TOKEN, which stands in {}",
            self.env_file.display()
        ));
        Ok(())
    }
}

/// 244 random bits, written in hexadecimal digits.
fn token() -> String {
    [Uuid::new_v4(), Uuid::new_v4()].map(|half| half.simple().to_string()).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine_alone_are_taken() {
        for right in ["127.0.0.1:8787", "[::1]:1", "127.1.2.3:9"] {
            let listen = Loopback::try_from(right.to_owned());
            assert_eq!(listen.map(String::from).as_deref(), Ok(right));
        }
        for wrong in ["0.0.0.0:8787", "192.168.1.2:80", "127.0.0.1", "localhost:80", "[::]:80", ""]
        {
            assert!(Loopback::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_two_tokens_are_the_same() {
        let (one, other) = (token(), token());
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
    }
}
