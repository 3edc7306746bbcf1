//! Why a text names no target.

/// What is asked for can't be a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// It is no absolute URL.
    #[error("{shown:?} is no absolute URL: write it as https://host/path")]
    NotUrl {
        /// The beginning of what was given.
        shown: String,
    },
    /// It is of another scheme.
    #[error("{shown}: is not reached: only http: and https: are")]
    Scheme {
        /// The scheme.
        shown: String,
    },
    /// It carries a user name or a password. They are not repeated, for one of them is a secret.
    #[error("a URL with a user name or a password in it is not reached: leave them out")]
    Userinfo,
    /// Its host is none.
    #[error("{shown:?} is no host: write a name such as api.example.com, or an address")]
    Host {
        /// The beginning of what was given.
        shown: String,
    },
    /// Its port is missing, or none.
    #[error("{shown:?} has no port between 1 and 65535: write it as host:port")]
    Port {
        /// The beginning of what was given.
        shown: String,
    },
}

impl TargetError {
    pub(crate) fn not_url(given: &str) -> Self {
        Self::NotUrl { shown: beginning(given) }
    }

    pub(crate) fn host(given: &str) -> Self {
        Self::Host { shown: beginning(given) }
    }

    pub(crate) fn port(given: &str) -> Self {
        Self::Port { shown: beginning(given) }
    }
}

/// The beginning of what was given, so that an error stays readable for any input.
pub(crate) fn beginning(text: &str) -> String {
    text.chars().take(80).collect()
}
