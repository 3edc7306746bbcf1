//! The words that the agent and the router speak to each other.
//!
//! Everything that crosses the queue is defined here and checked here, once, at the edge: a value of one
//! of these types is well-formed by construction. The crate does no I/O.
//!
//! The wire is JSON and compatible in both directions with the first SafeClaw, whose commands carry only
//! `message_id`, `action` and `params`, and whose replies carry only `status`, `action` and the result's
//! fields. Everything else is optional, and absence means the first version's behaviour.

pub mod json;
mod names;
pub mod sign;

mod card;
mod command;
mod event;
mod frame;
mod grant_terms;
mod outcome;
mod own_words;
mod pin;
mod queue;
mod reads;
mod reply;
mod slash;
mod time;
mod trace;
mod trust;

pub use card::{ActionCard, Catalog, Effect, Example};
pub use command::{
    Command, Envelope, Malformed, Priority, SAID_LONGEST, TYPED_LONGEST, TYPED_MOST,
};
pub use event::{Event, EventKind};
pub use frame::Frame;
pub use grant_terms::{GrantTerms, TermsError};
pub use names::{
    ActionName, MessageId, NameError, OWNER, Principal, RESERVED_NAMES, SessionKey, SetName,
};
pub use outcome::{Code, Done, Outcome, Status, Stopped};
pub use own_words::{OwnWords, texts};
pub use pin::Pin;
pub use queue::{
    CATALOG_TTL_MS, DEFAULT_COMMAND_QUEUE, DEFAULT_RESPONSE_PREFIX, EVENTS_KEPT, EVENTS_TTL_MS,
    QueueNames, REPLY_TTL_MS, WAITING_MOST,
};
pub use reads::Reads;
pub use reply::Reply;
pub use slash::slash;
pub use time::Millis;
pub use trace::{NoTrace, Trace};
pub use trust::Taint;

/// The version of the wire that this crate writes. The first SafeClaw wrote none.
pub const WIRE_VERSION: u32 = 2;

/// A JSON object, in the order in which its keys were written.
pub type Object = serde_json::Map<String, serde_json::Value>;
