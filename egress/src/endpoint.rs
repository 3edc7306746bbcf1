//! A host in its one spelling, and a host with a port.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::target_error::TargetError;

/// The longest name that DNS can carry (RFC 1035), without a trailing dot.
const LONGEST_NAME: usize = 253;

/// A host in the one spelling that everything compares: a lower-case ASCII name without a trailing dot,
/// or an address. An IPv4 address that is mapped into IPv6 is the IPv4 address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name, which has yet to be resolved.
    Name(String),
    /// An address as it stands.
    Address(IpAddr),
}

impl Host {
    /// Reads a host as the WHATWG URL standard does; an IPv6 address stands in brackets.
    ///
    /// # Errors
    /// [`TargetError::Host`] when no browser would take it for a host.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let host = url::Host::parse(text).map_err(|_| TargetError::host(text))?;
        Self::from_url(host)
    }

    /// The one spelling of a host that the `url` crate has read.
    pub(crate) fn from_url(host: url::Host<impl AsRef<str>>) -> Result<Self, TargetError> {
        match host {
            url::Host::Ipv4(v4) => Ok(Self::Address(v4.into())),
            url::Host::Ipv6(v6) => Ok(Self::Address(IpAddr::from(v6).to_canonical())),
            url::Host::Domain(name) => {
                let name = name.as_ref();
                let bare = name.strip_suffix('.').unwrap_or(name);
                let known = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
                let label = |label: &str| !label.is_empty() && label.bytes().all(known);
                if bare.len() <= LONGEST_NAME && bare.split('.').all(label) {
                    Ok(Self::Name(bare.to_ascii_lowercase()))
                } else {
                    Err(TargetError::host(name))
                }
            }
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(IpAddr::V4(v4)) => v4.fmt(f),
            Self::Address(IpAddr::V6(v6)) => write!(f, "[{v6}]"),
        }
    }
}

/// What one connects to: a host and a port, as in `nas.local:5000`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The host, in its one spelling.
    pub host: Host,
    /// The TCP port.
    pub port: u16,
}

impl Endpoint {
    /// Splits `host:port` at the port. The port is none when there is none in `text`.
    pub(crate) fn split(text: &str) -> Result<(Host, Option<u16>), TargetError> {
        match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let digits = port.bytes().all(|b| b.is_ascii_digit());
                let port = port.parse().ok().filter(|port| digits && *port != 0);
                Ok((Host::parse(host)?, Some(port.ok_or_else(|| TargetError::port(text))?)))
            }
            _ => Ok((Host::parse(text)?, None)),
        }
    }
}

impl FromStr for Endpoint {
    type Err = TargetError;

    /// Reads `host:port`, the form of CONNECT and of the owner's list of private hosts.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        let (host, port) = Self::split(text)?;
        Ok(Self { host, port: port.ok_or_else(|| TargetError::port(text))? })
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_a_host_ends_in_one_form() {
        let spellings = [
            (
                "127.0.0.1",
                "127.0.0.1 127.1 127.0.1 0177.0.0.1 0x7f.0.0.1 0x7f.1 2130706433 0x7f000001",
            ),
            (
                "127.0.0.1",
                "017700000001 127.0.0.1. 0x7F.0.0.0x1 [::ffff:127.0.0.1] [::ffff:7f00:1]",
            ),
            ("127.0.0.1", "１２７.０.０.１ 127。0。0。1 ①②⑦.⓪.⓪.① %31%32%37.0.0.1"),
            ("[::1]", "[::1] [0:0:0:0:0:0:0:1] [0000::0001]"),
            ("localhost", "localhost LOCALHOST localhost. lOcAlHoSt. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ %6cocalhost"),
            ("169.254.169.254", "169.254.169.254 0xa9fea9fe 2852039166 0251.0376.0251.0376"),
            ("xn--mnchen-3ya.de", "münchen.de MÜNCHEN.de xn--mnchen-3ya.de münchen。de"),
            ("a_b.example", "a_b.example"),
        ];
        for (form, list) in spellings {
            for text in list.split(' ') {
                assert_eq!(Host::parse(text).unwrap().to_string(), form, "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        let long = format!("{}.com", "a".repeat(300));
        let list = [
            "",
            ".",
            "..",
            "a..b",
            "a b",
            "a/b",
            "a\\b",
            "a@b",
            "a?b",
            "a#b",
            "a:b",
            "*.x.com",
            "x.com..",
            "1.2.3.4.5",
            "256.1.1.1",
            "0x1ffffffff",
            "[::1",
            "[fe80::1%eth0]",
            "a\0b",
            "a%00b",
            "{x}",
            &long,
        ];
        for text in list {
            assert!(Host::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_endpoint_needs_its_port() {
        let read = |text: &str| text.parse::<Endpoint>().map(|endpoint| endpoint.to_string());
        assert_eq!(read("NAS.local.:5000").unwrap(), "nas.local:5000");
        assert_eq!(read("[::1]:80").unwrap(), "[::1]:80");
        for text in [
            "a", "a:", "a:0", "a:+80", "a:65536", "a:8o", "[::1]", "::1:80", "u@a:80", "a:80/",
            ":80",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_host_or_an_error(text in "\\PC{0,40}") {
            if let Ok(host) = Host::parse(&text) {
                prop_assert_eq!(Host::parse(&host.to_string()).unwrap(), host);
            }
        }

        #[test]
        fn an_address_is_itself_in_every_radix(bits: u32) {
            let [a, b, c, d] = Ipv4Addr::from_bits(bits).octets();
            let wanted = Host::Address(Ipv4Addr::from_bits(bits).into());
            for text in [
                format!("{bits}"), format!("0x{bits:x}"), format!("0{bits:o}"), format!("{a}.{b}.{c}.{d}."),
                format!("0{a:o}.0x{b:x}.{c}.0{d:o}"), format!("{a}.{}", bits & 0x00ff_ffff),
                format!("{a}.{b}.{}", bits & 0xffff), format!("[::ffff:{a}.{b}.{c}.{d}]"),
            ] {
                prop_assert_eq!(&Host::parse(&text).unwrap(), &wanted, "{}", text);
            }
        }
    }
}
