//! The networks that this machine is in. An address there is inside the house, also one that is globally routable: homes have
//! such addresses in IPv6.

use std::net::IpAddr;

use nix::ifaddrs::getifaddrs;
use nix::sys::socket::SockaddrStorage;

use crate::address::{special_purpose, unmapped};

/// How much of an address the machines of one network of IPv6 share at least (RFC 4291, 2.5.4).
const SHARED_V6: u32 = 64;

/// The widest networks of a house that are believed, in bits of the prefix. An interface that claims more is a way out, and only its
/// own address is inside.
const WIDEST: (u32, u32) = (16, 48);

/// An address of this machine, and how many bits of it its network shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Attachment {
    address: IpAddr,
    bits: u32,
}

/// What an address is for when it is inside the house, as a word for people; none when it is outside. The networks are read each
/// time, because a machine moves.
#[must_use]
pub fn inside(address: IpAddr) -> Option<&'static str> {
    special_purpose(address).or_else(|| within(address, attachments().as_deref()))
}

/// The same by the networks of this machine; without knowing them nothing is outside.
fn within(address: IpAddr, attached: Result<&[Attachment], &nix::Error>) -> Option<&'static str> {
    match attached {
        Ok(attached) => {
            attached.iter().any(|one| one.shares(address)).then_some("in your own network")
        }
        Err(_) => {
            Some("perhaps in your own network: what this machine is attached to can't be read")
        }
    }
}

impl Attachment {
    fn shares(&self, address: IpAddr) -> bool {
        match (self.address, unmapped(address)) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let bits = if self.bits < WIDEST.0 { 32 } else { self.bits.min(32) };
                (own.to_bits() ^ other.to_bits()).leading_zeros() >= bits
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let bits = if self.bits < WIDEST.1 { SHARED_V6 } else { self.bits.min(SHARED_V6) };
                (own.to_bits() ^ other.to_bits()).leading_zeros() >= bits
            }
            _ => false,
        }
    }
}

fn attachments() -> nix::Result<Vec<Attachment>> {
    let attachment = |address: Option<SockaddrStorage>, mask: Option<SockaddrStorage>| {
        let address = ip(&address?)?;
        let bits = match mask.as_ref().and_then(ip) {
            Some(IpAddr::V4(mask)) => mask.to_bits().leading_ones(),
            Some(IpAddr::V6(mask)) => mask.to_bits().leading_ones(),
            // A network of its own.
            None => u32::MAX,
        };
        Some(Attachment { address, bits })
    };
    Ok(getifaddrs()?.filter_map(|one| attachment(one.address, one.netmask)).collect())
}

fn ip(address: &SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|address| address.ip().into());
    v4.or_else(|| Some(address.as_sockaddr_in6()?.ip().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `address/bits`.
    fn attached(list: &str) -> Vec<Attachment> {
        let one = |text: &str| {
            let (address, bits) = text.split_once('/').unwrap();
            Attachment { address: address.parse().unwrap(), bits: bits.parse().unwrap() }
        };
        list.split(' ').map(one).collect()
    }

    fn is_within(address: &str, list: &str) -> bool {
        within(address.parse().unwrap(), Ok(&attached(list))).is_some()
    }

    #[test]
    fn what_shares_a_network_with_this_machine_is_inside() {
        let home = "192.168.1.5/24 2003:ab:cd:1:a:b:c:d/64 fe80::1/64";
        for address in ["2003:ab:cd:1::1", "2003:ab:cd:1:a:b:c:d", "2003:ab:cd:1:ffff::"] {
            assert!(is_within(address, home), "{address}");
        }
        for address in ["2003:ab:cd:2::1", "2003:ab:cc:1::1", "93.184.216.34", "2606:4700::1111"] {
            assert!(!is_within(address, home), "{address}");
        }
        let rented = "93.184.216.34/24";
        assert!(is_within("93.184.216.1", rented) && is_within("::ffff:93.184.216.34", rented));
        assert!(!is_within("93.184.217.1", rented));
    }

    #[test]
    fn one_address_alone_has_its_network_in_ipv6() {
        assert!(is_within("2003:ab:cd:1::1", "2003:ab:cd:1::5/128"));
        assert!(is_within("2003:ab:cd:ff::1", "2003:ab:cd:1::5/56"));
        assert!(is_within("93.184.216.34", "93.184.216.34/32"));
        assert!(!is_within("93.184.216.35", "93.184.216.34/32"));
    }

    #[test]
    fn an_interface_that_claims_the_internet_is_no_house() {
        for (own, other) in [
            ("93.184.216.34/0", "8.8.8.8"),
            ("93.184.216.34/8", "93.1.1.1"),
            ("2003:ab:cd:1::5/0", "2606:4700::1111"),
            ("2003:ab:cd:1::5/32", "2003:ab:ce::1"),
        ] {
            assert!(!is_within(other, own), "{own} {other}");
            assert!(is_within(own.split_once('/').unwrap().0, own), "{own}");
        }
    }

    #[test]
    fn what_can_not_be_read_lets_nothing_through() {
        let said = within("8.8.8.8".parse().unwrap(), Err(&nix::Error::EPERM));
        assert!(said.unwrap().contains("can't be read"));
    }

    #[test]
    fn this_machine_has_a_loopback() {
        let loopback = Attachment { address: [127, 0, 0, 1].into(), bits: 8 };
        assert!(attachments().unwrap().contains(&loopback));
        for own in attachments().unwrap() {
            assert!(inside(own.address).is_some(), "{own:?}");
        }
        assert_eq!(inside([127, 0, 0, 1].into()), Some("loopback"));
    }
}
