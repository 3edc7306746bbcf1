//! What the owner has set for the router. The only place that reads the environment.

mod limits;
pub mod size;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use broker::redis::{KeyFileError, QueuePlace, Terms};
use home::{
    CHANNEL_KEY_NAMES, ConfigError, ConfigFile, EnvError, EnvFile, Home, MODEL_KEY_NAMES,
    SHARED_NAMES, Variables,
};
use secrets::Secrets;
use serde::{Deserialize, Serialize};
use supervisor::Supervisor;
use window::{Address, AddressError};
use words::{CONSOLE, Words};

pub use limits::{LimitsConfig, Size};

/// What is written to router/config.json when there is none.
pub const CONFIG_INITIAL: &str = include_str!("../config_initial.json");

/// router/config.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouterConfig {
    /// How many skills may run at a time.
    pub max_parallel: Parallel,
    /// How long commands may wait.
    pub queue: QueueConfig,
    /// Where the window is, if there is one.
    pub window: WindowPlace,
    /// The most that a manifest may ask for of the machine.
    pub limits: LimitsConfig,
    /// The owner's wishes for each skill, by action; what several actions share stands under the name of their process.
    pub skills: BTreeMap<String, SkillConfig>,
    /// Where the first SafeClaw set which private addresses skills reach.
    pub allow_private: ForEachSkill,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self {
            max_parallel: Parallel(8),
            queue: QueueConfig::default(),
            window: WindowPlace::default(),
            limits: LimitsConfig::default(),
            skills: BTreeMap::new(),
            allow_private: ForEachSkill,
        }
    }
}

/// What is set for each skill by now: an empty list, so that nobody waits for what is not in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ForEachSkill;

impl TryFrom<Vec<String>> for ForEachSkill {
    type Error = String;
    fn try_from(listed: Vec<String>) -> Result<Self, String> {
        match listed.as_slice() {
            [] => Ok(Self),
            _ => {
                Err("empty: each skill has a list of its own, skills.NAME.allow_private".to_owned())
            }
        }
    }
}

impl From<ForEachSkill> for Vec<String> {
    fn from(_: ForEachSkill) -> Self {
        Self::new()
    }
}

/// How long commands on Redis may wait, in whole seconds, and whether they must be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueueConfig {
    /// A command that says no deadline and has waited this long while no router lived is not run. 0 has it run however
    /// late it is, as the first SafeClaw did.
    pub stale_after: u64,
    /// A router that has not said for this long that it lives counts as dead, and what it had begun is taken over. All
    /// routers of a queue should agree.
    pub dead_after: DeadAfter,
    /// Whether commands that are not signed with a key of SAFECLAW_KEY_FILE are refused. The first SafeClaw's agents sign
    /// nothing.
    pub require_signature: bool,
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self { stale_after: 10, dead_after: DeadAfter(15), require_signature: false }
    }
}

/// Where the router's window is: `"off"`, or an address such as `"127.0.0.2:8799"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WindowPlace(pub Option<Address>);

impl TryFrom<String> for WindowPlace {
    type Error = AddressError;
    fn try_from(text: String) -> Result<Self, AddressError> {
        if text == "off" { Ok(Self(None)) } else { text.parse().map(|address| Self(Some(address))) }
    }
}

impl From<WindowPlace> for String {
    fn from(place: WindowPlace) -> Self {
        place.0.map_or_else(|| "off".to_owned(), |address| address.to_string())
    }
}

/// Seconds from 3, which is time for two signs of life to get lost, to 600.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct DeadAfter(u64);

impl TryFrom<u64> for DeadAfter {
    type Error = String;
    fn try_from(seconds: u64) -> Result<Self, String> {
        match seconds {
            3..=600 => Ok(Self(seconds)),
            _ => Err("a number of seconds from 3 to 600".to_owned()),
        }
    }
}

impl From<DeadAfter> for u64 {
    fn from(seconds: DeadAfter) -> u64 {
        seconds.0
    }
}

/// How many at a time, from 1 to 1,024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Parallel(u16);

impl Parallel {
    /// As a count.
    #[must_use]
    pub fn count(self) -> usize {
        self.0.into()
    }
}

impl TryFrom<u64> for Parallel {
    type Error = String;
    fn try_from(count: u64) -> Result<Self, String> {
        match u16::try_from(count) {
            Ok(count @ 1..=1_024) => Ok(Self(count)),
            _ => Err("a number from 1 to 1024".to_owned()),
        }
    }
}

impl From<Parallel> for u64 {
    fn from(parallel: Parallel) -> u64 {
        parallel.0.into()
    }
}

/// The owner's wishes for one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillConfig {
    /// Whether it may be run at all.
    pub enabled: bool,
    /// Whether every call is a dry run.
    pub dry_run: bool,
    /// Values for the `[settings]` of its manifest.
    pub settings: BTreeMap<String, String>,
    /// Private addresses that it may reach all the same, as `host:port`, for a home server.
    pub allow_private: Vec<String>,
    /// Whether its manifest may ask for every public host (`*`).
    pub any_host: bool,
    /// Folders of this machine for the `[folders]` of its manifest, by name.
    pub folders: BTreeMap<String, PathBuf>,
}

impl Default for SkillConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            dry_run: false,
            settings: BTreeMap::new(),
            allow_private: Vec::new(),
            any_host: false,
            folders: BTreeMap::new(),
        }
    }
}

/// Everything that is set, checked.
#[derive(Debug)]
pub struct Settings {
    /// router/config.json.
    pub config: RouterConfig,
    /// Where the queue is.
    pub queue: QueuePlace,
    /// The skills' secrets.
    pub secrets: Secrets,
    /// What looks wrong but does not stop the start.
    pub warnings: Vec<String>,
}

/// Settings that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// One of the `.env` files.
    #[error(transparent)]
    Env(#[from] EnvError),
    /// router/config.json.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file of SAFECLAW_KEY_FILE.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// Signatures are asked for, and nothing could tell a right one.
    #[error(
        "queue.require_signature is set in router/config.json, but SAFECLAW_KEY_FILE is not: make a key file with \
        `{}` and name it there, or take require_signature back",
        home::router_command("keys new")
    )]
    NoKeys,
}

impl Settings {
    /// Reads `.env`, router/.env, router/config.json and the environment of the process. A value of
    /// router/.env wins over one of `.env`, and the environment over both.
    ///
    /// # Errors
    /// [`SettingsError`] names the file, the key and what would be right.
    pub fn read(home: &Home) -> Result<Self, SettingsError> {
        Self::with(home, read_config(home)?)
    }

    /// The same, and writes nothing: where there is no router/config.json, each key has its default.
    ///
    /// # Errors
    /// As for [`Settings::read`].
    pub fn look(home: &Home) -> Result<Self, SettingsError> {
        let config = ConfigFile::<RouterConfig>::look(&home.router_config())?.settings().clone();
        Self::with(home, config)
    }

    fn with(home: &Home, config: RouterConfig) -> Result<Self, SettingsError> {
        let shared = EnvFile::read(&home.env_file())?;
        let own = EnvFile::read_private(&home.router_env())?;
        #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
        let variables = Variables::merge(&[&shared, &own], std::env::vars_os());
        let known = [SHARED_NAMES.as_slice(), &MODEL_KEY_NAMES, &CHANNEL_KEY_NAMES].concat();
        Ok(Self {
            config,
            queue: QueuePlace::from_settings(|name| variables.get(name)),
            secrets: Secrets::new(secrets(&own)),
            warnings: shared.unknown(&known).iter().map(ToString::to_string).collect(),
        })
    }
}

/// The words for people, in the language of the messages: the first of LC_ALL, LC_MESSAGES and LANG that says one.
#[must_use]
pub fn words() -> &'static Words {
    static WORDS: LazyLock<&Words> = LazyLock::new(|| {
        #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
        let said = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| std::env::var(name).ok());
        let said = said.into_iter().flatten().find(|language| !language.is_empty());
        CONSOLE.wanted(said.as_deref())
    });
    &WORDS
}

/// The supervisor that the environment names, such as systemd.
pub fn supervisor() -> Supervisor {
    #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
    Supervisor::of(std::env::vars_os())
}

impl Settings {
    /// The terms on which this router serves the queue on Redis.
    ///
    /// # Errors
    /// [`SettingsError`] when signatures are asked for and the keys are not there, or can't be used.
    pub fn terms(&self) -> Result<Terms, SettingsError> {
        let QueueConfig { stale_after, dead_after, require_signature } = self.config.queue;
        let keys = self.queue.keys()?;
        if require_signature && keys.is_none() {
            return Err(SettingsError::NoKeys);
        }
        Ok(Terms {
            slots: self.config.max_parallel.count(),
            stale_after: Duration::from_secs(stale_after),
            dead_after: Duration::from_secs(dead_after.0),
            keys,
            require_signature,
            ..Terms::default()
        })
    }
}

/// The values of router/.env that are skills' secrets.
fn secrets(own: &EnvFile) -> impl Iterator<Item = (&str, &str)> {
    own.iter().filter(|(name, _)| !SHARED_NAMES.contains(name))
}

/// Reads router/.env again and hands on what the owner has changed there.
///
/// # Errors
/// [`EnvError`]; the secrets are as they were.
pub fn reread_secrets(home: &Home, known: &Secrets) -> Result<(), EnvError> {
    known.replace(secrets(&EnvFile::read_private(&home.router_env())?));
    Ok(())
}

/// Reads router/config.json, which is written first when it is missing.
///
/// # Errors
/// [`ConfigError`] names the key and what would be right.
pub fn read_config(home: &Home) -> Result<RouterConfig, ConfigError> {
    Ok(ConfigFile::<RouterConfig>::open(&home.router_config(), CONFIG_INITIAL)?.settings().clone())
}

/// What to log, from RUST_LOG, such as `debug` or `router=debug`.
pub fn log_filter() -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
    std::env::var("RUST_LOG").ok().filter(|filter| !filter.is_empty())
}
