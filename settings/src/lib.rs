//! What the owner has set for the agent. The only place that reads the environment.

mod bridge;
mod browser;
mod choice;
mod chosen;
mod clock;
mod customers;
mod display;
mod fallback;
mod first;
mod http;
mod keys;
mod llm;
mod memory;
mod secrets;
mod sets;
mod telegram;
mod terminal;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use broker::redis::QueuePlace;
use drive::TaskBudget;
use home::{
    CHANNEL_KEY_NAMES, ConfigError, ConfigFile, EnvError, EnvFile, Home, MODEL_KEY_NAMES,
    SHARED_NAMES, Variables,
};
use model::ApiKeys;
use protocol::{ActionName, SetName};
use schedule::Zone;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use supervisor::Supervisor;

pub use self::llm::{keep, keep_trusted};
pub use ::llm::{BaseUrl, ProviderName, Target, TargetError};
pub use bridge::Bridge;
pub use browser::{Browser, BrowserPlace};
pub use business::{Allowance, BotMode, ChatMode};
pub use clock::{ClockSettings, Quiet, ZoneName};
pub use customers::keep_bot_mode;
pub use display::{reads_aloud, rings, shows_motion, shows_styles, shows_unicode, words};
pub use http::{Http, HttpError, HttpSetUp, Site};
pub use keys::{Asker, Change, KEYS, Key, KeyError, Models};
pub use memory::MemoryDays;
pub use model::{Llm, Vision, WayWish, Window};
pub use secrets::own_names;
pub use secrets::own_secrets;
pub use sets::keep_sets;
pub use telegram::{Telegram, keep_allowed};
pub use terminal::Terminal;

/// What is written to agent/config.json when there is none.
pub const CONFIG_INITIAL: &str = include_str!("../config_initial.json");

/// agent/config.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentConfig {
    /// The language model.
    pub llm: Llm,
    /// How old a message may be and how long a reply is waited for, in seconds.
    pub timeout: Timeout,
    /// How often the model may think, act and observe within one turn.
    pub max_steps: Steps,
    /// How much a task at the workbench may take before a person is asked.
    pub workbench: TaskBudget,
    /// The sets of actions that are offered. At first it is the clock's alone.
    pub sets: BTreeSet<SetName>,
    /// The actions whose results are read apart from the conversation.
    pub apart: BTreeSet<ActionName>,
    /// What the browser may reach.
    pub browser: Browser,
    /// Who talks with the agent over Telegram.
    pub telegram: Telegram,
    /// The channel for programs and the page.
    pub http: Http,
    /// Whom the bot is for.
    pub bot_mode: BotMode,
    /// How much customers may take.
    pub customers: Allowance,
    /// The clock.
    pub clock: ClockSettings,
    /// How long conversations are kept.
    pub memory: MemoryDays,
    /// Where the first SafeClaw set its channels.
    pub channels: Elsewhere,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            llm: Llm::default(),
            timeout: Timeout(10),
            max_steps: Steps(6),
            workbench: TaskBudget::default(),
            sets: sets::at_first(),
            apart: BTreeSet::new(),
            browser: Browser::default(),
            telegram: Telegram::default(),
            http: Http::default(),
            bot_mode: BotMode::default(),
            customers: Allowance::default(),
            clock: ClockSettings::default(),
            memory: MemoryDays::default(),
            channels: Elsewhere::default(),
        }
    }
}

/// What is set elsewhere by now: nothing may stand here, so that nobody waits for a channel that is not on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Elsewhere {}

/// Seconds, from 1 to 3,600.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Timeout(u64);

impl Timeout {
    /// As a span of time.
    #[must_use]
    pub fn span(self) -> Duration {
        Duration::from_secs(self.0)
    }
}

impl TryFrom<u64> for Timeout {
    type Error = String;
    fn try_from(seconds: u64) -> Result<Self, String> {
        match seconds {
            1..=3_600 => Ok(Self(seconds)),
            _ => Err("a number of seconds from 1 to 3600".to_owned()),
        }
    }
}

impl From<Timeout> for u64 {
    fn from(timeout: Timeout) -> u64 {
        timeout.0
    }
}

/// A number of steps, from 1 to 50.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Steps(u64);

impl Steps {
    /// As a count.
    #[must_use]
    pub fn count(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl TryFrom<u64> for Steps {
    type Error = String;
    fn try_from(steps: u64) -> Result<Self, String> {
        match steps {
            1..=50 => Ok(Self(steps)),
            _ => Err("a number of steps from 1 to 50".to_owned()),
        }
    }
}

impl From<Steps> for u64 {
    fn from(steps: Steps) -> u64 {
        steps.0
    }
}

/// Everything that is set, checked.
#[derive(Debug)]
pub struct Settings {
    /// agent/config.json.
    pub config: AgentConfig,
    /// Where the queue is.
    pub queue: QueuePlace,
    /// Where Ollama is, as OLLAMA_HOST has it.
    pub ollama_host: Option<String>,
    /// Where a browser can be found.
    pub browser: BrowserPlace,
    /// The keys of the models' providers.
    pub keys: ApiKeys,
    /// The token of the Telegram bot.
    pub telegram_token: Option<SecretString>,
    /// What programs have to show, if there is one.
    pub http_token: Option<SecretString>,
    /// Whether people see actions by their names, as SAFECLAW_ACTIONS has it.
    pub by_name: bool,
    /// The time zone that people's times are read and shown in.
    pub zone: Zone,
    /// Where agent/config.json is.
    pub file: PathBuf,
    /// Where what is chosen in a chat is noted.
    pub chosen: PathBuf,
    /// What looks wrong but does not stop the start.
    pub warnings: Vec<String>,
}

/// Settings that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// `.env`.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// agent/config.json.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A secret in agent/config.json, which others read, too. Its value is not shown.
    #[error(
        "{}: {key} looks like a secret, which does not belong there: remove it, and put it into .env or the \
         environment as {OWN_NAMES}", path.display()
    )]
    Secret {
        /// The file.
        path: PathBuf,
        /// The path of the key.
        key: String,
    },
}

/// Which variable holds whose key, for people.
const OWN_NAMES: &str = "OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, whichever the provider is, or \
     TELEGRAM_BOT_TOKEN or SAFECLAW_HTTP_TOKEN";

impl Settings {
    /// Reads `.env`, agent/config.json and the environment of the process, which wins over `.env`. What was chosen in a chat is
    /// taken over into agent/config.json first.
    ///
    /// # Errors
    /// [`SettingsError`] names the file, the key and what would be right.
    pub fn read(home: &Home) -> Result<Self, SettingsError> {
        let mut file = open(&home.agent_config())?;
        let wrong = chosen::take_over(home, &mut file);
        let mut settings = Self::with(home, file.settings().clone())?;
        settings.warnings.extend(wrong);
        Ok(settings)
    }

    /// The same, and writes nothing: where there is no agent/config.json, each key has its default, and what was chosen in a
    /// chat counts as if it had been taken over.
    ///
    /// # Errors
    /// As for [`Settings::read`].
    pub fn look(home: &Home) -> Result<Self, SettingsError> {
        let config =
            ConfigFile::<AgentConfig>::look(&home.agent_config()).map_err(hiding_secrets)?;
        let (config, wrong) = chosen::looked_over(home, &config);
        let mut settings = Self::with(home, config)?;
        settings.warnings.extend(wrong);
        Ok(settings)
    }

    /// Takes what was chosen in a chat over into the agent/config.json of `home`; gives what went wrong, for people.
    ///
    /// # Errors
    /// As for [`Settings::read`].
    pub fn take_choices(home: &Home) -> Result<Option<String>, SettingsError> {
        Ok(chosen::take_over(home, &mut open(&home.agent_config())?))
    }

    fn with(home: &Home, config: AgentConfig) -> Result<Self, SettingsError> {
        let file = EnvFile::read(&home.env_file())?;
        let variables = environment(&file);
        let known = [SHARED_NAMES.as_slice(), &MODEL_KEY_NAMES, &CHANNEL_KEY_NAMES].concat();
        let mut warnings: Vec<String> =
            file.unknown(&known).iter().map(ToString::to_string).collect();
        warnings.extend(secrets::exposed(&home.env_file(), &file));
        let (zone, unknown) = clock::zone(&config.clock, variables.get("TZ"));
        warnings.extend(unknown);
        let by_name = match variables.get("SAFECLAW_ACTIONS") {
            None | Some("words") => false,
            Some("names") => true,
            Some(other) => {
                let other = other.escape_debug();
                warnings.push(format!("SAFECLAW_ACTIONS is {other}; it is words or names"));
                false
            }
        };
        Ok(Self {
            zone,
            by_name,
            queue: QueuePlace::from_settings(|name| variables.get(name)),
            ollama_host: variables.get("OLLAMA_HOST").map(str::to_owned),
            browser: BrowserPlace {
                remote: variables.get("REMOTE_BROWSER_SERVER").map(str::to_owned),
                search: variables.get("PATH").unwrap_or_default().into(),
            },
            keys: secrets::keys(&variables, &config.llm),
            telegram_token: secrets::telegram_token(&variables),
            http_token: secrets::http_token(&variables),
            file: home.agent_config(),
            chosen: home.choices(),
            config,
            warnings,
        })
    }
}

/// Opens agent/config.json at `path`, which is written first when it is missing.
///
/// # Errors
/// [`SettingsError`] names the key and what would be right.
pub fn open(path: &Path) -> Result<ConfigFile<AgentConfig>, SettingsError> {
    ConfigFile::open(path, CONFIG_INITIAL).map_err(hiding_secrets)
}

/// An unknown key that is named like a secret is told without its value.
fn hiding_secrets(error: ConfigError) -> SettingsError {
    match error {
        ConfigError::UnknownKey { path, key, .. } if secrets::is_named_like_one(&key) => {
            SettingsError::Secret { path, key }
        }
        other => other.into(),
    }
}

/// What to log to the terminal, from RUST_LOG, such as `debug` or `agent=debug`.
pub fn log_filter() -> Option<String> {
    environment(&EnvFile::default()).get("RUST_LOG").map(str::to_owned)
}

/// The supervisor that the environment names, such as systemd. It is reached now: a confined agent can't do that.
#[must_use]
pub fn supervisor() -> Supervisor {
    #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
    Supervisor::of(std::env::vars_os())
}

fn environment(file: &EnvFile) -> Variables {
    #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
    Variables::merge(&[file], std::env::vars_os())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_of_the_first_version_are_refused_without_showing_their_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        let opened = |text: &str| {
            std::fs::write(&path, text).unwrap();
            open(&path).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(opened(r#"{"channels": {}}"#), Ok(()));
        let error = opened(r#"{"channels": {"telegram": {"token": "hunter2"}}}"#).unwrap_err();
        assert!(error.contains("channels.telegram") && !error.contains("hunter2"), "{error}");
    }

    #[test]
    fn an_address_with_a_password_is_refused_without_showing_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.json");
        for text in [
            r#"{"llm": {"base_url": "https://user:hunter2@example.com/v1"}}"#,
            r#"{"llm": {"base_url": "https://example.com/v1?key=hunter2"}}"#,
            r#"{"llm": {"fallback": ["openai:m@https://user:hunter2@example.com/v1"]}}"#,
        ] {
            std::fs::write(&path, text).unwrap();
            let error = open(&path).unwrap_err();
            assert!(error.to_string().contains("without a name or password in it"), "{error}");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
