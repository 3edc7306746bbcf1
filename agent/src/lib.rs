//! The mind: it talks with people, asks the model, and may only ask the router.
//!
//! ```text
//!   channel ──► session ──► turn ──► prompt ──► model ──► answer ──► action ──► broker ──► the router
//!      ▲                     │ ▲                                       │
//!      └──── words ──────────┘ └───────────── observations ────────────┘
//! ```
//!
//! Every word of the drawing is a crate; the turn stands in the crate `mind`. This one puts them together: it starts the agent,
//! keeps the register of its conversations, and answers on the command line.

pub mod cli;
pub mod doctor;
mod error;
mod log;
pub mod registry;
mod start;
mod watching;

pub use error::StartError;
pub use eyes::launch::WORD as EYES_WORD;
pub use log::start as start_log;
pub use mind::storm::StormError;
pub use start::{Known, open_eyes, runtime, talk};
