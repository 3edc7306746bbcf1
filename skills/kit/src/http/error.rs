//! Why a request got no usable answer, split by who can act.

use std::io;
use std::time::Duration;

/// Why a request got no usable answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The skill's author or the settings' owner gave a URL that cannot be asked.
    #[error("{url:?} cannot be asked: {reason}")]
    BadUrl {
        /// The URL as it was given.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The skill's author gave a header that HTTP does not allow.
    #[error("the header {name:?} has characters that HTTP does not allow")]
    BadHeader {
        /// The header's name as it was given.
        name: String,
    },
    /// The manifest declares no network, or this is a dry run.
    #[error(
        "this call has no network: skill.toml declares none under [net] hosts, or it is a dry run"
    )]
    NoNetwork,
    /// The wall refused: its words say which host, and what to declare.
    #[error("{0}")]
    Refused(String),
    /// The wall let the request out, but the host could not be reached: nothing of it was sent.
    #[error("{0}")]
    Unreached(String),
    /// The wall let the request out, and the host gave no answer that can be passed on.
    #[error("{0}")]
    Failed(String),
    /// The router's proxy itself did not take the request.
    #[error("the router's proxy cannot be reached")]
    Proxy(#[source] io::Error),
    /// No whole answer came in time.
    #[error("{host} gave no answer within {} s", after.as_secs_f32())]
    Timeout {
        /// The host that was asked.
        host: String,
        /// How long it had.
        after: Duration,
    },
    /// The connection ended in the middle, or what came was no HTTP.
    #[error("the connection to {host} broke")]
    Broken {
        /// The host that was asked.
        host: String,
        /// What broke it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The answer is larger than the skill wants.
    #[error("the answer of {host} is larger than {limit} bytes")]
    TooLarge {
        /// The host that was asked.
        host: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// The hosts send the request round.
    #[error("{host} redirected more than {} times", super::MAX_REDIRECTS)]
    TooManyRedirects {
        /// The host of the last redirect.
        host: String,
    },
    /// The API answered with a status that is not 2xx.
    #[error("{host} answered {status}: {words}")]
    Answered {
        /// The host that was asked.
        host: String,
        /// The HTTP status.
        status: u16,
        /// The API's own words.
        words: String,
    },
    /// The API's answer has not the form that the skill expects.
    #[error("the answer of {host} cannot be understood")]
    BadBody {
        /// The host that was asked.
        host: String,
        /// Where it differs.
        #[source]
        source: serde_json::Error,
    },
}

impl Error {
    /// Whether the host may have acted on the request although no answer says so, or one that leaves it open. After such an error it
    /// is for a person to look before the same is sent again.
    #[must_use]
    pub fn may_have_arrived(&self) -> bool {
        match self {
            Self::Failed(_)
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLarge { .. }
            | Self::BadBody { .. } => true,
            Self::Answered { status, .. } => is_unsure(*status),
            Self::BadUrl { .. }
            | Self::BadHeader { .. }
            | Self::NoNetwork
            | Self::Refused(_)
            | Self::Unreached(_)
            | Self::Proxy(_)
            | Self::TooManyRedirects { .. } => false,
        }
    }
}

/// Whether an answer of this status leaves it open that the host has acted: it gave up in the middle, or a server
/// between here and there waited no longer for it (RFC 9110, sections 15.5.9 and 15.6).
pub(super) fn is_unsure(status: u16) -> bool {
    matches!(status, 408 | 500 | 502 | 503 | 504)
}
