//! What the address of a server tells: whose it is, and how near.

use url::{Host, Url};

/// Whether OpenAI itself is at `url`.
#[must_use]
pub fn is_openai(url: &Url) -> bool {
    url.host_str() == Some("api.openai.com")
}

/// Whether what is sent to `url` stays on this machine.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Whether `url` is on this machine or in its own network.
pub(crate) fn is_near(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
        }
        // A name without a dot is one of this network, such as that of a container.
        Some(Host::Domain(name)) => {
            let ends = [".localhost", ".local", ".lan", ".internal", ".home.arpa"];
            !name.contains('.') || ends.iter().any(|end| name.ends_with(end))
        }
        None => false,
    }
}
