//! What the owner has set for the router. The only place that reads the environment.

use std::collections::BTreeMap;

use broker::redis::{AddressError, RedisAddress};
use home::{ConfigError, ConfigFile, EnvError, EnvFile, Home, Variables};
use protocol::{DEFAULT_COMMAND_QUEUE, DEFAULT_RESPONSE_PREFIX, QueueNames};
use serde::{Deserialize, Serialize};

use crate::secrets::Secrets;

/// What is written to router/config.json when there is none.
pub const CONFIG_INITIAL: &str = include_str!("../config_initial.json");

/// The names in `.env` at the root of the home that mean something, to whichever process.
const SHARED_NAMES: [&str; 5] =
    ["REDIS_URL", "COMMAND_QUEUE", "RESPONSE_PREFIX", "REMOTE_BROWSER_SERVER", "OLLAMA_HOST"];

/// router/config.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RouterConfig {
    /// How many skills may run at a time.
    pub max_parallel: usize,
    /// The owner's wishes for each skill, by action.
    pub skills: BTreeMap<String, SkillConfig>,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self { max_parallel: 8, skills: BTreeMap::new() }
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
}

impl Default for SkillConfig {
    fn default() -> Self {
        Self { enabled: true, dry_run: false, settings: BTreeMap::new(), allow_private: Vec::new() }
    }
}

/// Everything that is set, checked.
#[derive(Debug)]
pub struct Settings {
    /// router/config.json.
    pub config: RouterConfig,
    /// Where the queue is; `None` when nothing says so.
    pub redis: Option<RedisAddress>,
    /// The names of the keys on it.
    pub names: QueueNames,
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
    /// REDIS_URL.
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl Settings {
    /// Reads `.env`, router/.env, router/config.json and the environment of the process. A value of
    /// router/.env wins over one of `.env`, and the environment over both.
    ///
    /// # Errors
    /// [`SettingsError`] names the file, the key and what would be right.
    pub fn read(home: &Home) -> Result<Self, SettingsError> {
        let shared = EnvFile::read(&home.env_file())?;
        let own = EnvFile::read_private(&home.router_env())?;
        #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
        let variables = Variables::merge(&[&shared, &own], std::env::vars_os());
        let get = |name: &str, default: &str| variables.get(name).unwrap_or(default).to_owned();
        Ok(Self {
            config: read_config(home)?,
            redis: variables.get("REDIS_URL").map(RedisAddress::new).transpose()?,
            names: QueueNames::new(
                get("COMMAND_QUEUE", DEFAULT_COMMAND_QUEUE),
                get("RESPONSE_PREFIX", DEFAULT_RESPONSE_PREFIX),
            ),
            secrets: Secrets::new(own.iter().filter(|(name, _)| !SHARED_NAMES.contains(name))),
            warnings: shared.unknown(&SHARED_NAMES).iter().map(ToString::to_string).collect(),
        })
    }
}

/// Reads router/config.json, which is written first when it is missing.
///
/// # Errors
/// [`ConfigError`] names the key and what would be right.
pub fn read_config(home: &Home) -> Result<RouterConfig, ConfigError> {
    Ok(ConfigFile::<RouterConfig>::open(&home.router_config(), CONFIG_INITIAL)?.settings().clone())
}

/// What to log, from RUST_LOG, such as `debug` or `router=debug`.
pub(crate) fn log_filter() -> Option<String> {
    #[expect(clippy::disallowed_methods, reason = "this is the place that reads it")]
    std::env::var("RUST_LOG").ok().filter(|filter| !filter.is_empty())
}
