//! The way to a Redis: one server or a cluster, in the clear or over TLS.
//!
//! Nothing but the URL says where it is. Whether one server or a cluster stands there is asked when
//! connecting, so that moving from one to the other is a new URL and nothing else. A user with rules of its own needs
//! PING, and on a cluster CLUSTER SLOTS, which says who has which key.

mod address;
mod back_off;
mod ca;
mod connection;
mod dial;
mod explain;
mod line;
mod server;
mod topology;

#[cfg(test)]
mod tests;

use std::time::Duration;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(2);

/// How long an answer to a command that does not block may take.
const ANSWER: Duration = Duration::from_secs(5);

/// How long one blocking read lasts at the server before it is asked again.
pub(super) const BLOCK: Duration = Duration::from_secs(1);

pub use address::{AddressError, RedisAddress};
pub(super) use back_off::BackOff;
pub(super) use ca::Ca;
pub(super) use connection::Connection;
pub(super) use server::read_clock;
