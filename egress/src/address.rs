//! Which addresses are globally routable. Every other one is inside somebody's house.
//!
//! The ranges are those of the IANA registries of special-purpose addresses (RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The ranges of IPv4 that are not globally routable: network, bits of its prefix, and a word for it.
const SPECIAL_V4: [(Ipv4Addr, u32, &str); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this machine"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by a provider"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local, where clouds keep credentials"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "reserved"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "for documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a 6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::BROADCAST, 32, "broadcast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// The only range of IPv6 that is handed out for global use; outside it, [`OUTSIDE_V6`] has the words.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// The ranges inside [`GLOBAL_V6`] that are not globally routable all the same.
const SPECIAL_V6: [(Ipv6Addr, u32, &str); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "reserved"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "for documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "for documentation"),
];

/// Words for well-known ranges outside [`GLOBAL_V6`]. They explain; it is the lack of global use that
/// refuses.
const OUTSIDE_V6: [(Ipv6Addr, u32, &str); 5] = [
    (Ipv6Addr::LOCALHOST, 128, "loopback"),
    (Ipv6Addr::UNSPECIFIED, 128, "this machine"),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "private"),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
];

/// The prefixes of 96 bits behind which an IPv4 address stands: mapped (RFC 4291) and NAT64 (RFC 6052).
const V4_INSIDE_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0)];

/// Whether an address is globally routable.
#[must_use]
pub(crate) fn is_public(address: IpAddr) -> bool {
    special_purpose(address).is_none()
}

/// What an address is for when it is not globally routable, as a word for people; none when it is public.
#[must_use]
pub(crate) fn special_purpose(address: IpAddr) -> Option<&'static str> {
    match unmapped(address) {
        IpAddr::V4(v4) => word_v4(v4),
        IpAddr::V6(v6) if within_v6(v6, GLOBAL_V6.0, GLOBAL_V6.1) => word_v6(v6, &SPECIAL_V6),
        IpAddr::V6(v6) => Some(word_v6(v6, &OUTSIDE_V6).unwrap_or("reserved")),
    }
}

/// The IPv4 address that an IPv6 address stands for, or the address itself.
pub(crate) fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) if V4_INSIDE_V6.iter().any(|prefix| within_v6(v6, *prefix, 96)) => {
            let [.., a, b, c, d] = v6.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        _ => address,
    }
}

fn word_v4(address: Ipv4Addr) -> Option<&'static str> {
    let within = |network: Ipv4Addr, bits: u32| {
        (address.to_bits() ^ network.to_bits()).checked_shr(32 - bits) == Some(0)
    };
    SPECIAL_V4.iter().find(|(network, bits, _)| within(*network, *bits)).map(|(_, _, word)| *word)
}

fn word_v6(address: Ipv6Addr, ranges: &[(Ipv6Addr, u32, &'static str)]) -> Option<&'static str> {
    let range = ranges.iter().find(|(network, bits, _)| within_v6(address, *network, *bits));
    range.map(|(_, _, word)| *word)
}

fn within_v6(address: Ipv6Addr, network: Ipv6Addr, bits: u32) -> bool {
    (address.to_bits() ^ network.to_bits()).checked_shr(128 - bits) == Some(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The first and the last address of every range that is refused, and the neighbours that are not.
    #[test]
    fn ranges_end_where_the_registries_say() {
        let inside = [
            "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0",
            "127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255",
            "192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0",
            "192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0",
            "203.0.113.255 224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255",
            ":: ::1 ::127.0.0.1 fc00:: fdff:: fe80:: febf:: fec0:: ff02::1 100:: 64:ff9b:1:: 1fff:: 4000::",
            "2001:: 2001:1ff:ffff:: 2001:db8:: 2001:db8:ffff:: 2002:: 2002:ffff:: 3fff:: 3fff:fff::",
            "::ffff:127.0.0.1 ::ffff:10.1.2.3 ::ffff:169.254.169.254 64:ff9b::192.168.1.1 64:ff9b::7f00:1",
        ];
        let outside = [
            "1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0",
            "169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0",
            "192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0",
            "198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 8.8.8.8",
            "2000:: 2001:200:: 2001:db7:: 2001:db9:: 2003:: 2606:4700::1111 3ffe:: 3fff:1000::",
            "::ffff:8.8.8.8 64:ff9b::8.8.8.8",
        ];
        let each = |lists: &[&'static str]| -> Vec<IpAddr> {
            lists
                .iter()
                .flat_map(|list| list.split(' '))
                .map(|text| text.parse().unwrap())
                .collect()
        };
        for address in each(&inside) {
            assert!(!is_public(address), "{address} must be refused");
        }
        for address in each(&outside) {
            assert!(is_public(address), "{address} must be allowed");
        }
    }

    #[test]
    fn the_word_says_what_the_address_is_for() {
        let word = |text: &str| special_purpose(text.parse().unwrap());
        assert_eq!(word("127.0.0.1"), Some("loopback"));
        assert_eq!(word("::1"), Some("loopback"));
        assert_eq!(word("::ffff:192.168.1.1"), Some("private"));
        assert_eq!(word("169.254.169.254"), Some("link-local, where clouds keep credentials"));
        assert_eq!(word("255.255.255.255"), Some("broadcast"));
        assert_eq!(word("64:ff9b:1::1"), Some("reserved"));
        assert_eq!(word("1.1.1.1"), None);
    }

    proptest! {
        #[test]
        fn an_ipv4_address_behind_a_prefix_is_judged_as_itself(bits: u32) {
            let v4 = Ipv4Addr::from_bits(bits);
            for prefix in V4_INSIDE_V6 {
                let v6 = Ipv6Addr::from_bits(prefix.to_bits() | u128::from(bits));
                prop_assert_eq!(special_purpose(v6.into()), special_purpose(v4.into()));
            }
        }
    }
}
