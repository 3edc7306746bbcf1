//! `http` in agent/config.json: where programs and the owner's browser reach the agent. What programs show stands in `.env` as
//! SAFECLAW_HTTP_TOKEN.

use std::io;
use std::net::SocketAddr;
use std::path::Path;

use home::{ConfigError, ConfigFile, EnvError, EnvFile};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use super::bridge::Bridge;
use super::keys::{Change, KeyError};
use super::{AgentConfig, Asker};

/// What turns the channel off, as people write it.
const OFF: &str = "off";

/// Where it listens unless somebody says otherwise.
const USUAL: &str = "127.0.0.1:8787";

/// Where programs and the owner's browser reach the agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Http {
    /// An address of this machine alone; none keeps the channel off.
    pub listen: Option<Loopback>,
    /// The further addresses at which the page is opened: those of a proxy of the owner's, such as `tailscale serve`.
    pub sites: Vec<Site>,
    /// The programs that carry the talk of other people in.
    pub bridges: Vec<Bridge>,
}

impl Http {
    /// Every address at which the page is opened; none while the channel is off.
    #[must_use]
    pub fn all_sites(&self) -> Vec<Site> {
        let own = self.listen.and_then(|listen| Site::at(&listen.address().to_string()));
        own.into_iter().chain(self.sites.iter().cloned()).collect()
    }
}

/// The address of a page: a scheme, a host and perhaps a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Site(String);

impl Site {
    /// Plain HTTP at `authority`, a host with its port.
    #[must_use]
    pub fn at(authority: &str) -> Option<Self> {
        Self::try_from(format!("http://{authority}")).ok()
    }

    /// It as a browser writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host, and the port unless it is the usual one.
    #[must_use]
    pub fn authority(&self) -> &str {
        self.0.split_once("://").map_or("", |(_, authority)| authority)
    }

    /// Whether it is reached over TLS alone.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.0.starts_with("https://")
    }
}

impl TryFrom<String> for Site {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let bare = |url: &Url| {
            matches!(url.scheme(), "http" | "https")
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
                && url.username().is_empty()
                && url.password().is_none()
        };
        let site =
            Url::parse(&text).ok().filter(bare).map(|url| url.origin().ascii_serialization());
        site.map(Self).ok_or_else(|| {
            "the address of a page without a path, such as https://laptop.example.ts.net".to_owned()
        })
    }
}

impl From<Site> for String {
    fn from(site: Site) -> String {
        site.0
    }
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
            self.asker.tell("neither programs nor the page are served any more");
            return Ok(());
        }
        let listen = [("http.listen", json!(answer))];
        self.file.as_if(listen.clone())?;
        // First: wherever this is cut off, no channel is on without a token.
        if self.token.is_none() {
            EnvFile::set(self.env_file, "SAFECLAW_HTTP_TOKEN", &token())?;
        }
        self.file.set_all(listen)?;
        self.asker.tell(&format!(
            "programs reach the agent at http://{answer} while it runs; they show SAFECLAW_HTTP_TOKEN of {}",
            self.env_file.display()
        ));
        let web = home::agent_command("web");
        self.asker.tell(&format!("your browser does, too: `{web}` gives a link that signs it in"));
        Ok(())
    }
}

/// An empty list, as people write it.
const NONE: &str = "none";

impl Change<'_> {
    /// Takes the further addresses of the page from `given`, or asks for them.
    pub(super) fn http_sites(&mut self, given: Option<&str>) -> Result<(), KeyError> {
        let sites = &self.file.settings().http.sites;
        let current = sites.iter().map(Site::as_str).collect::<Vec<_>>().join(", ");
        let current = if current.is_empty() { NONE } else { &current };
        let answer = match given {
            Some(given) => given.to_owned(),
            None => self.asker.ask("http.sites", current, &[])?,
        };
        let sites = answer.split([',', ' ']).filter(|site| !site.is_empty() && *site != NONE);
        Ok(self.file.set("http.sites", sites.map(|site| json!(site)).collect())?)
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
    fn a_site_is_what_a_browser_calls_an_origin() {
        let site = |text: &str| Site::try_from(text.to_owned()).ok().map(String::from);
        let known = |text| Some(String::from(text));
        assert_eq!(site("https://Laptop.example.ts.net/"), known("https://laptop.example.ts.net"));
        assert_eq!(site("https://a.example:443"), known("https://a.example"));
        assert_eq!(site("http://[::1]:8787"), known("http://[::1]:8787"));
        for wrong in
            ["laptop.example", "https://a/b", "https://u:p@a", "ftp://a", "https://a?b", ""]
        {
            assert_eq!(site(wrong), None, "{wrong}");
        }
        let site = Site::try_from("https://a.example:8443".to_owned()).unwrap();
        assert_eq!((site.authority(), site.is_https()), ("a.example:8443", true));
    }

    /// Whoever is told something and asked nothing.
    struct Nobody;

    impl Asker for Nobody {
        fn ask(&mut self, _: &str, _: &str, _: &[String]) -> io::Result<String> {
            Err(io::ErrorKind::UnexpectedEof.into())
        }

        fn ask_secret(&mut self, _: &str) -> io::Result<String> {
            Err(io::ErrorKind::UnexpectedEof.into())
        }

        fn confirm(&mut self, _: &str) -> io::Result<Option<bool>> {
            Ok(None)
        }

        fn tell(&mut self, _: &str) {}
    }

    #[test]
    fn no_channel_is_on_while_its_token_can_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let (config, env) = (folder.path().join("config.json"), folder.path().join(".env"));
        std::fs::create_dir(&env).unwrap();
        let set_up = |env: &Path, address| {
            let file = &mut ConfigFile::open(&config, "{}").unwrap();
            let set_up = HttpSetUp { env_file: env, file, token: None, asker: &mut Nobody };
            set_up.run(Some(address))
        };
        assert!(matches!(set_up(&env, USUAL), Err(HttpError::Env(_))));
        assert_eq!(std::fs::read_to_string(&config).unwrap(), "{}");
        // Nor is a token made for an address that nobody can listen on.
        std::fs::remove_dir(&env).unwrap();
        assert!(matches!(set_up(&env, "0.0.0.0:80"), Err(HttpError::Config(_))));
        assert!(!env.exists());
        set_up(&env, USUAL).unwrap();
        assert!(std::fs::read_to_string(&config).unwrap().contains(USUAL) && env.is_file());
    }

    #[test]
    fn no_two_tokens_are_the_same() {
        let (one, other) = (token(), token());
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
    }
}
