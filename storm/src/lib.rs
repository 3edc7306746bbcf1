//! A storm: several minds and a person around one question, in the files and the prompts of AIStorm.
//!
//! ```text
//!   <id>.ini.md ──► Premise ─┐
//!   Agents/*.md ──► Cast ────┼──► prompt ──► (a model answers) ──► prefix ──► Message ──► <id>.log.md
//!   <id>.log.md ──► Log ─────┘
//! ```
//!
//! Everything here is a function of texts: no file is read, no model is asked and no clock is looked at.
//! The formats and the prompts are those of AIStorm's specification, to the letter. Its later layout, one
//! `<id>.session.md` for everything, is read as well.

mod name;
mod stamp;

mod escape;
mod segment;

mod agent_file;
mod cast;
mod log;
mod premise;
mod session;

mod export;

mod prefix;
mod prompt;

pub use agent_file::{AgentFile, AgentFileError};
pub use cast::{Agent, Cast, CastError};
pub use export::{Format, export};
pub use log::{Entry, Log, LogError, Message, Warning};
pub use name::{HUMAN, NAME_LIMIT, Name, NameError, USER, is_person};
pub use prefix::{Opening, cleaned};
pub use premise::{PREMISE_LIMIT, Premise, PremiseError};
pub use prompt::{Role, Spoken, prompt};
pub use segment::{Properties, Segment};
pub use session::{Session, SessionError};
pub use stamp::{NotUtc, Stamp};
