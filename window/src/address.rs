//! Where the window listens: a loopback address that is not the agent's.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};

/// An address of this machine alone and of no other page: 127.0.0.2 to 127.255.255.255, and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Address(SocketAddr);

/// A text that is no such address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0} is no address for the window: it is one such as 127.0.0.2:8799, on this machine alone and not 127.0.0.1, \
    where the agent's own page may be"
)]
pub struct AddressError(String);

impl Address {
    /// Where it listens unless its owner says otherwise.
    pub const USUAL: Self = Self(SocketAddr::new(IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)), 8799));

    /// As a socket has it.
    #[must_use]
    pub fn socket(self) -> SocketAddr {
        self.0
    }

    /// The site that a browser calls it.
    #[must_use]
    pub fn site(self) -> String {
        format!("http://{}", self.0)
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let refused = || AddressError(text.to_owned());
        let address: SocketAddr = text.trim().parse().map_err(|_| refused())?;
        match address.ip() {
            // A browser takes 127.0.0.1 and every other address for different hosts, and shares no cookie between them.
            IpAddr::V4(ip) if ip.is_loopback() && ip != Ipv4Addr::LOCALHOST => Ok(Self(address)),
            _ => Err(refused()),
        }
    }
}

impl TryFrom<String> for Address {
    type Error = AddressError;
    fn try_from(text: String) -> Result<Self, AddressError> {
        text.parse()
    }
}

impl From<Address> for String {
    fn from(address: Address) -> Self {
        address.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_has_a_loopback_host_of_its_own() {
        assert_eq!("127.0.0.2:8799".parse(), Ok(Address::USUAL));
        assert!("127.1.2.3:1".parse::<Address>().is_ok());
        for wrong in [
            "127.0.0.1:8799",
            "[::1]:8799",
            "localhost:8799",
            "0.0.0.0:8799",
            "192.168.1.2:8799",
            "8799",
            "",
        ] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }
}
