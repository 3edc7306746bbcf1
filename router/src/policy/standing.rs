//! How a session stands when it asks.

use std::collections::BTreeMap;

use protocol::{Millis, Taint};

use super::grant::Grant;

/// A way out of the house that nobody has judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayOut {
    /// An address that nobody typed and that no result showed as a link.
    Address,
    /// Words of the model for a host that a skill names, once private data has entered.
    Words,
    /// A known address, after so many that the choice among them could tell what the model knows.
    Links,
}

/// What the router knows of a session beside the call itself. The default is a session in which nothing has happened,
/// in 1970.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// What has entered the session: by what the router served, and by what the agent claims beyond that.
    pub taint: Taint,
    /// How the call gets out of what the session knows.
    pub way_out: Option<WayOut>,
    /// What a person has allowed for a while.
    pub grants: Vec<Grant>,
    /// Rule id -> how often it has allowed something ([`super::Spend::Rule`]).
    pub used: BTreeMap<String, u32>,
    /// The time, by the broker's clock.
    pub now: Millis,
}
