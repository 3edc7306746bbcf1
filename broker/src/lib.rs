//! Carries commands, replies, events and the catalogue between the agent and the router.
//!
//! ```text
//!            Requester                                             Responder
//!   agent ── request() ──► command ──►  redis | pipe | memory  ──► receive() ── router
//!         ◄─────────────── reply   ◄──                         ◄── Request::reply()
//!            Feed                                                  Publisher
//!         ◄── catalogue, events    ◄──                         ◄── catalog(), event()
//! ```
//!
//! The agent's half and the router's half are traits; a transport implements all four. What holds for
//! every transport is in one suite of tests, `tests/conformance/`.

mod requester;
mod responder;

mod clock;
pub mod failpoint;
mod store;
mod unrun;

pub mod memory;
pub mod pipe;
pub mod redis;

pub use clock::Clock;
pub use requester::{Feed, RequestError, Requester, Subscriber};
pub use responder::{Publisher, Request, Responder};
pub use store::{Store, StoreFault, Table};
