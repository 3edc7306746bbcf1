//! Why an agent does not start, or ends before it was asked to.

use broker::redis::{AddressError, KeyFileError};
use channel::ChannelError;
use home::{ConfigError, FileError, HomeError, LockError};
use mind::storm::StormError;
use model::ModelError;
use prompt::TemplateError;
use settings::{KeyError, SettingsError};

/// An error of the agent as a program. Every text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no queue to ask a router through.
    #[error(
        "REDIS_URL is not set: put it into .env or the environment \
         (REDIS_URL=redis://localhost:6379), or run `safeclaw`, which needs no Redis"
    )]
    NoRedis,
    /// The queue's address can't be used.
    #[error("{0}")]
    Queue(String),
    /// REDIS_URL can't be read.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The file of SAFECLAW_KEY_FILE can't be used.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// Nobody could be asked.
    #[error("this is no terminal, so nothing was asked and nothing removed; say --yes to go ahead")]
    NotAsked,
    /// The home can't be used.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// What the owner has set can't be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// agent/config.json can't be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What the browser may reach can't be read.
    #[error("agent/config.json can't be used")]
    Network(#[from] eyes::NetworkError),
    /// The address of the browser elsewhere.
    #[error(
        "REMOTE_BROWSER_SERVER is {0:?}: give the address of a WebDriver server, such as http://127.0.0.1:4444"
    )]
    Browser(String),
    /// A setting can't be changed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The channel for programs was not set up.
    #[error(transparent)]
    Http(#[from] settings::HttpError),
    /// The Telegram bot is not set, or has no owner.
    #[cfg(feature = "telegram")]
    #[error(transparent)]
    Telegram(#[from] channel::telegram::SetUpError),
    /// This binary can't do that.
    #[error("this agent was built without {0}; build it with `--features {0}`")]
    NotBuilt(&'static str),
    /// There is no page to sign in on.
    #[error(
        "the page is off; turn it on with `{}`",
        home::agent_command("config http 127.0.0.1:8787")
    )]
    NoPage,
    /// No bridge has this name.
    #[error("there is no bridge {name:?}; `{mend}` names it", mend = home::agent_command(&format!("config http.bridges {name}")))]
    NoBridge {
        /// What was asked for.
        name: String,
    },
    /// Nobody has this id.
    #[error("no browser is signed in as {0:?}; `{web}` lists them", web = home::agent_command("web sessions"))]
    NotSignedIn(String),
    /// Who is signed in could not be written down.
    #[error("nobody was signed out")]
    SignOut(#[source] document::SaveError),
    /// Another agent works here.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The same where people want to talk.
    #[error("{taken}; {beside}")]
    Taken {
        /// Who works here.
        taken: LockError,
        /// What people can do all the same.
        beside: String,
    },
    /// A file can't be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A storm does not do what it was told.
    #[error(transparent)]
    Storm(#[from] StormError),
    /// The model can't be used at all.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The built-in template of the prompt, which a test keeps whole.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A constant name, which a test keeps well-formed.
    #[error(transparent)]
    Name(#[from] protocol::NameError),
    /// The console has failed.
    #[error(transparent)]
    Channel(#[from] ChannelError),
    /// The system refuses something basic: threads, signals, the terminal.
    #[error(transparent)]
    System(#[from] std::io::Error),
}
