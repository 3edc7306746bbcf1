//! What is told about each request, for the log and the audit.

use crate::carried::Carried;

/// A request that was decided on.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The host, in its one spelling; the beginning of what was asked for when that is no target.
    pub host: String,
    /// The port; none when what was asked for is no target.
    pub port: Option<u16>,
    /// What was decided.
    pub decision: Decision,
    /// What goes over its connection, counted as it goes.
    pub carried: Carried,
}

/// What becomes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may go to its target. Whether it arrives is not known yet; [`Decision::Lost`] tells if it does not.
    Allowed {
        /// The names of the secrets that it is given.
        injected: Vec<String>,
    },
    /// The rules say no.
    Refused {
        /// The words that the client gets.
        reason: String,
    },
    /// It could not be decided on, because the name has no address.
    Failed {
        /// The words that the client gets.
        reason: String,
    },
    /// It was allowed, and did not arrive or was not answered.
    Lost {
        /// The words that the client gets.
        reason: String,
    },
}
