//! A secret that is set as a header on its way out, so that whoever asks never holds it.

use std::fmt;

use hyper::header::{self, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::hosts::HostPattern;
use crate::target::{Origin, Scheme};

/// What stands for the secret in a format.
const PLACE: &str = "{}";

/// Headers that say how a message is framed and where it goes. A secret in one of them would break it.
const NOT_FOR_SECRETS: [HeaderName; 6] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
];

/// A header with a place for a secret, such as `Authorization: Bearer {}`. It can be checked before the
/// secret is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderTemplate {
    header: HeaderName,
    format: String,
}

impl HeaderTemplate {
    /// Checks the header's name, and that `format` has `{}` once, where the secret goes.
    ///
    /// # Errors
    /// [`InjectionError::Header`] and [`InjectionError::Format`].
    pub fn new(header: &str, format: &str) -> Result<Self, InjectionError> {
        let name = HeaderName::try_from(header).ok();
        let name = name.filter(|name| !NOT_FOR_SECRETS.contains(name));
        let name = name.ok_or_else(|| InjectionError::Header { header: header.to_owned() })?;
        let sendable = HeaderValue::from_str(format).is_ok();
        if format.matches(PLACE).count() != 1 || !sendable {
            return Err(InjectionError::Format { format: format.to_owned() });
        }
        Ok(Self { header: name, format: format.to_owned() })
    }
}

/// A secret, the hosts that it is for, and the header that carries it.
#[derive(Clone)]
pub struct Injection {
    name: String,
    host: HostPattern,
    header: HeaderName,
    value: HeaderValue,
    secret: SecretString,
    spellings: Vec<SecretString>,
}

impl Injection {
    /// Binds the secret called `name` to a host.
    ///
    /// # Errors
    /// [`InjectionError::AnyHost`] for the pattern `*`, [`InjectionError::Value`] for a secret that is empty or
    /// can't stand in a header.
    pub fn new(
        name: &str,
        host: HostPattern,
        template: &HeaderTemplate,
        secret: SecretString,
    ) -> Result<Self, InjectionError> {
        if host == HostPattern::Any {
            return Err(InjectionError::AnyHost { name: name.to_owned() });
        }
        let raw = secret.expose_secret();
        let value = HeaderValue::from_str(&template.format.replacen(PLACE, raw, 1)).ok();
        let value = value.filter(|_| !raw.is_empty() && raw.trim() == raw);
        let mut value = value.ok_or_else(|| InjectionError::Value { name: name.to_owned() })?;
        value.set_sensitive(true);
        let (name, header) = (name.to_owned(), template.header.clone());
        Ok(Self { name, host, header, value, secret, spellings: Vec::new() })
    }

    /// The same, where these other spellings of the secret are taken out of responses as well.
    #[must_use]
    pub fn spelled(self, spellings: Vec<String>) -> Self {
        let spellings = spellings.into_iter().filter(|one| !one.is_empty());
        Self { spellings: spellings.map(SecretString::from).collect(), ..self }
    }

    /// The name of the secret.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the secret belongs to `origin`. In plain text it belongs only to an origin that was declared
    /// with `http://`; every other pattern means TLS.
    pub(crate) fn belongs_to(&self, origin: &Origin) -> bool {
        let in_plain = self.host == HostPattern::Origin(origin.clone());
        self.host.covers(origin) && (origin.scheme == Scheme::Https || in_plain)
    }

    pub(crate) fn header(&self) -> (HeaderName, HeaderValue) {
        (self.header.clone(), self.value.clone())
    }

    /// The secret in all its spellings.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        std::iter::once(&self.secret).chain(&self.spellings)
    }
}

impl fmt::Debug for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Injection({} as {} for {})", self.name, self.header, self.host)
    }
}

/// A secret that can't be injected. No secret's value is ever part of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InjectionError {
    /// The header's name is none, or the header has another job.
    #[error("{header:?} is no header for a secret: use one such as Authorization")]
    Header {
        /// What was given.
        header: String,
    },
    /// The format has no place for the secret, or several, or can't stand in a header.
    #[error("the format {format:?} needs {{}} once, where the secret goes")]
    Format {
        /// What was given.
        format: String,
    },
    /// A secret for any host would be everybody's.
    #[error("the secret {name} needs a host of its own: * is none")]
    AnyHost {
        /// The name of the secret.
        name: String,
    },
    /// The value is empty, has white space around it, or holds a line break or another control character.
    #[error(
        "the value of {name} can't stand in a header: it is empty, or has line breaks or spaces around it"
    )]
    Value {
        /// The name of the secret.
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn injection(host: &str, secret: &str) -> Result<Injection, InjectionError> {
        let template = HeaderTemplate::new("Authorization", "Bearer {}").unwrap();
        Injection::new("X_TOKEN", host.parse().unwrap(), &template, secret.into())
    }

    #[test]
    fn the_secret_stands_in_its_place_and_is_never_printed() {
        let injection = injection("api.x.com", "s3cret").unwrap();
        let (header, value) = injection.header();
        assert_eq!((header.as_str(), value.to_str().unwrap()), ("authorization", "Bearer s3cret"));
        let shown =
            format!("{injection:?} {value:?} {:?}", injection.secrets().collect::<Vec<_>>());
        assert!(!shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn a_secret_that_would_break_the_request_is_refused_without_being_shown() {
        for bad in ["", "a\r\nX: y", "a\0", " a", "a\n"] {
            let error = injection("api.x.com", bad).unwrap_err();
            assert_eq!(error, InjectionError::Value { name: "X_TOKEN".to_owned() });
        }
        assert_eq!(
            injection("*", "s"),
            Err(InjectionError::AnyHost { name: "X_TOKEN".to_owned() })
        );
    }

    #[test]
    fn a_template_has_one_place_in_a_header_that_may_carry_it() {
        for header in ["Host", "content-length", "Transfer-Encoding", "a b", "", "X:"] {
            assert!(HeaderTemplate::new(header, "{}").is_err(), "{header}");
        }
        for format in ["", "Bearer", "{} {}", "{}\r\nX: y"] {
            assert!(HeaderTemplate::new("X-Key", format).is_err(), "{format:?}");
        }
    }

    impl PartialEq for Injection {
        fn eq(&self, other: &Self) -> bool {
            self.name == other.name
        }
    }
}
