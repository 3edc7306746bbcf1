//! Why a request does not reach its target: refused by rule, or failed on the network.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use crate::endpoint::Endpoint;
use crate::target_error::TargetError;

/// Why a request does not reach its target.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The rules say no. Asking again does not help.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The network, or the other side, did not do its part.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl Error {
    /// Whether the other side can have put words into it, as into a certificate.
    #[must_use]
    pub fn has_words_of_others(&self) -> bool {
        match self {
            Self::Refused(_) => false,
            Self::Failed(failure) => match failure {
                Failure::Resolve { .. }
                | Failure::Connect { .. }
                | Failure::Slow { .. }
                | Failure::Unrecorded => false,
                Failure::Tls { .. } | Failure::Http { .. } | Failure::Unfit { .. } => true,
            },
        }
    }
}

/// What the rules say no to. Who declared the hosts, or the owner, can act.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// What is asked for can't be a target.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The host is not declared, or not with this port.
    #[error("{0} is not declared: add it to hosts under [net] in the skill's skill.toml")]
    Undeclared(Endpoint),
    /// An address of the host is not public.
    #[error(
        "{endpoint} leads to {address}, which is not public ({purpose}): if you trust this host, add \
         \"{endpoint}\" to allow_private in router/config.json"
    )]
    Private {
        /// What was asked for.
        endpoint: Endpoint,
        /// The first address that is not public.
        address: IpAddr,
        /// What the address is for.
        purpose: &'static str,
    },
    /// A secret would leave the house unencrypted.
    #[error(
        "a secret would go to {endpoint} in plain text: set an https:// URL, or, for a host at home, add \
         \"{endpoint}\" to allow_private in router/config.json"
    )]
    PlainSecret {
        /// Where it would go.
        endpoint: Endpoint,
    },
}

/// What went wrong on the way, or on the other side. Trying again later may help.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The name has no address.
    #[error("{endpoint} can't be resolved: check the name and the network")]
    Resolve {
        /// What was asked for.
        endpoint: Endpoint,
        /// What the resolver said.
        #[source]
        source: io::Error,
    },
    /// No connection, on any of its addresses.
    #[error("{endpoint} can't be connected to")]
    Connect {
        /// What was asked for.
        endpoint: Endpoint,
        /// What the last address answered.
        #[source]
        source: io::Error,
    },
    /// No TLS, or a certificate that is not trusted.
    #[error("{endpoint} can't be spoken to over TLS")]
    Tls {
        /// What was asked for.
        endpoint: Endpoint,
        /// What broke the handshake.
        #[source]
        source: io::Error,
    },
    /// The other side hung up, or does not speak HTTP.
    #[error("{endpoint} did not answer as a web server does")]
    Http {
        /// What was asked for.
        endpoint: Endpoint,
        /// Where the exchange broke.
        #[source]
        source: hyper::Error,
    },
    /// The other side took too long.
    #[error("{endpoint} was silent for {} seconds", limit.as_secs_f32())]
    Slow {
        /// What was asked for.
        endpoint: Endpoint,
        /// How long it was waited for.
        limit: Duration,
    },
    /// The answer can't be passed on.
    #[error("the answer of {endpoint} can't be passed on: {why}")]
    Unfit {
        /// What was asked for.
        endpoint: Endpoint,
        /// What is wrong with the answer.
        why: String,
    },
    /// Nobody is there any more to record what is done, so nothing is.
    #[error("the proxy is closing")]
    Unrecorded,
}

impl Failure {
    /// Whether time ran out, as against a thing that broke.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Slow { .. })
    }

    /// Whether it failed before anything of the request was sent: whatever it wanted can't have happened.
    #[must_use]
    pub fn is_before_sending(&self) -> bool {
        matches!(
            self,
            Self::Resolve { .. } | Self::Connect { .. } | Self::Tls { .. } | Self::Unrecorded
        )
    }

    /// The failure behind an error of the HTTP connection to `endpoint`, which is silent for `idle` at most.
    pub(crate) fn http(endpoint: &Endpoint, source: hyper::Error, idle: Duration) -> Self {
        let endpoint = endpoint.clone();
        if timed_out(&source) {
            Self::Slow { endpoint, limit: idle }
        } else {
            Self::Http { endpoint, source }
        }
    }
}

/// Whether an error began with a clock that ran out.
fn timed_out(error: &(dyn std::error::Error + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|io| io.kind() == io::ErrorKind::TimedOut)
        || error.source().is_some_and(timed_out)
}

/// An error with all its causes, as one line.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        // Some libraries repeat their cause in their own words.
        if !line.contains(&words) {
            line = format!("{line}: {words}");
        }
        next = cause.source();
    }
    line
}
