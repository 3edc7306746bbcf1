//! Agent and router as processes that share a Redis (or what speaks like one).
//!
//! Commands are pushed on the left of one list and taken from its right; each reply is a list of its own.
//! Names and formats are [`protocol::QueueNames`] and are those of the first SafeClaw.

mod link;
mod place;
mod requester;
mod responder;

pub use link::{AddressError, RedisAddress};
pub use place::QueuePlace;
pub use requester::RedisRequester;
pub use responder::{RedisPublisher, RedisResponder, responder};
