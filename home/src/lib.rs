//! The house on disk: where its files live, and how they are read and written so that nothing is lost.
//!
//! The agent and the router share one folder, the home, and each has its own rooms in it. [`Home`] knows
//! the rooms. Every file in them is written whole or not at all ([`file`]), a process that must be alone
//! takes a [`Lock`], what the owner sets stands in `.env` files ([`EnvFile`], [`Variables`]) and in a
//! `config.json` of each process ([`ConfigFile`]).
//!
//! The crate never reads the process's environment for itself, the user's data folder excepted: the
//! binaries hand it in.

mod home;
mod owner;

pub mod file;
pub mod format;
mod lock;

mod env_file;
mod tilde;
mod variables;

mod config_file;
mod nearest;

mod invocation;
mod output;
mod program;

pub mod log;

mod check;

pub use check::{Check, Status};
pub use config_file::{ConfigError, ConfigFile};
pub use env_file::{
    CHANNEL_KEY_NAMES, EnvError, EnvFile, MODEL_KEY_NAMES, SHARED_NAMES, UnknownName, is_model_key,
};
pub use file::FileError;
pub use format::{FormatError, HomeFormat};
pub use home::{Home, HomeError};
pub use invocation::{
    CALLED, Invocation, agent_command, agent_command_by_name, command, resume_command,
    router_command, router_name,
};
pub use lock::{Lock, LockError};
pub use nearest::nearest;
pub use output::{counted, say_part, say_part_on_stderr};
pub use owner::make_for;
pub use program::program;
pub use tilde::with_tilde;
pub use variables::Variables;
