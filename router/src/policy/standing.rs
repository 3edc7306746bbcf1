//! How a session stands when it asks.

use std::collections::BTreeMap;

use protocol::{Millis, Taint};

use super::grant::Grant;

/// What the router knows of a session beside the call itself. The default is a session in which nothing has happened,
/// in 1970.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// What has entered the session: by what the router served, and by what the agent claims beyond that.
    pub taint: Taint,
    /// The call reaches an address that nobody typed and that stood in no result of the session.
    pub foreign_url: bool,
    /// What a person has allowed for a while.
    pub grants: Vec<Grant>,
    /// Rule id -> how often it has allowed something ([`super::Spend::Rule`]).
    pub used: BTreeMap<String, u32>,
    /// The time, by the broker's clock.
    pub now: Millis,
}
