//! The mind: it talks with people, asks the model, and may only ask the router.
//!
//! ```text
//!   channel ──► session ──► turn ──► prompt ──► model ──► answer ──► action ──► broker ──► the router
//!      ▲                     │ ▲                                       │
//!      └──── words ──────────┘ └───────────── observations ────────────┘
//! ```
//!
//! The modules stand in the order in which a message meets them.

pub mod cli;
pub mod doctor;
mod error;
mod log;

mod start;

pub mod channel;

pub mod session;

mod answering;
pub mod registry;

pub mod persona;

pub mod links;
pub mod mind;
pub mod slash;
mod storm;
pub mod turn;
mod watching;

pub mod action;

pub use ::{business, model, prompt};
pub use conversation::{message, observation, question, workspace};
pub use error::StartError;
pub use eyes::launch::WORD as EYES_WORD;
pub use log::start as start_log;
pub use settings as config;
pub use start::{Known, open_eyes, runtime, talk};
pub use storm::StormError;

#[cfg(test)]
mod testing;
