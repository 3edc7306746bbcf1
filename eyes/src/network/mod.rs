//! The network that a browser has: what a person could reach from outside, and nothing inside the house.
//!
//! A browser resolves nothing itself and opens no connection but to a proxy of ours, which is opened for one look and
//! closed after it. The proxy follows the rules of [`egress`]: a name is resolved once, each of its addresses is
//! checked, and what was checked is what is connected to. A redirect, a picture, a frame, a script's request and a
//! WebSocket are requests like any other.

mod door;
mod gate;
mod refusals;

use std::net::SocketAddr;

use egress::{Endpoint, Host, HostPattern, NoTls, Rules, Target, TargetError, Upstream, inside};
use url::Url;

use crate::look::LookError;

pub(crate) use gate::Gate;

/// How a browser gets at pages.
#[derive(Debug, Clone)]
pub struct Network {
    upstream: Upstream,
    allow_private: Vec<Endpoint>,
    way: Way,
}

/// Where a browser finds its proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// At a port of this machine: the browser runs here.
    Here,
    /// At an address that a browser elsewhere reaches: where the proxy listens, and what the browser calls it.
    Bound(SocketAddr, String),
    /// Nowhere: the owner trusts the remote browser's own network.
    Theirs,
    /// Not decided. Nothing is looked at then.
    Undecided,
}

/// A network that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// An entry of `allow_private` is no host with a port.
    #[error("browser.allow_private: {0}")]
    Allowed(#[source] TargetError),
    /// The address of the proxy is none.
    #[error("browser.proxy_bind: {0:?} is no address with a port, such as 10.0.0.5:3129")]
    Bind(String),
    /// This build can't speak TLS.
    #[error(transparent)]
    Tls(#[from] NoTls),
}

impl Network {
    /// The network of a browser on this machine, with those of its own hosts that the owner allows (`host:port`).
    ///
    /// # Errors
    /// [`NetworkError`] names the entry that is none.
    pub fn new(allow_private: &[String]) -> Result<Self, NetworkError> {
        let allowed = allow_private.iter().map(|text| text.parse());
        let allow_private = allowed.collect::<Result<_, _>>().map_err(NetworkError::Allowed)?;
        Ok(Self { upstream: Upstream::usual()?, allow_private, way: Way::Here })
    }

    /// The same, with another way to the outside: tests put their own resolver there.
    #[must_use]
    pub fn over(mut self, upstream: Upstream) -> Self {
        self.upstream = upstream;
        self
    }

    /// The network of a browser elsewhere: by a proxy that listens at `bind` and that the browser reaches there, or at
    /// `reached`; or, if `trusted`, the browser's own network. Without either nothing is looked at.
    ///
    /// # Errors
    /// [`NetworkError::Bind`].
    pub fn remote(
        mut self,
        bind: Option<&str>,
        reached: Option<&str>,
        trusted: bool,
    ) -> Result<Self, NetworkError> {
        let wrong = |text: &str| NetworkError::Bind(text.to_owned());
        self.way = match bind {
            Some(bind) => {
                let listens: SocketAddr = bind.parse().map_err(|_| wrong(bind))?;
                let reached = reached.unwrap_or(bind);
                reached.parse::<Endpoint>().map_err(|_| wrong(reached))?;
                Way::Bound(listens, reached.to_owned())
            }
            None if trusted => Way::Theirs,
            None => Way::Undecided,
        };
        Ok(self)
    }

    /// Checks an address before anything is opened: it is one of the web, and if it names an address, a public one.
    ///
    /// # Errors
    /// [`LookError::Refused`], and [`LookError::NoBrowser`] when it is not settled which network a remote browser has.
    pub(crate) fn check(&self, url: &Url) -> Result<(), LookError> {
        let refused = |why: String| LookError::Refused(shown(url), why);
        let target: Target =
            url.as_str().parse().map_err(|error: TargetError| refused(error.to_string()))?;
        let endpoint = &target.origin().endpoint;
        if let Host::Address(address) = endpoint.host
            && let Some(purpose) = inside(address)
            && !self.allow_private.contains(endpoint)
        {
            return Err(refused(private(endpoint, purpose)));
        }
        match self.way {
            Way::Undecided => Err(LookError::NoBrowser(UNDECIDED.to_owned())),
            _ => Ok(()),
        }
    }

    /// What people should know of this network at every look.
    pub(crate) fn remark(&self) -> Option<String> {
        (self.way == Way::Theirs).then(|| {
            "the remote browser's own network is used: private addresses are checked for the first address only"
                .to_owned()
        })
    }

    /// A line for people on how pages are reached.
    pub(crate) fn in_words(&self) -> String {
        match &self.way {
            Way::Here => "its network is a proxy of this agent".to_owned(),
            Way::Bound(_, reached) => format!("its network is a proxy of this agent at {reached}"),
            Way::Theirs => {
                "its own network is trusted, so it may reach what is private there".to_owned()
            }
            Way::Undecided => format!("nothing is looked at: {UNDECIDED}"),
        }
    }

    /// How many looks may be open at once: a bound proxy has one port, and can't tell two of them apart.
    pub(crate) fn side_by_side(&self, most: usize) -> usize {
        if matches!(self.way, Way::Bound(..)) { 1 } else { most }
    }

    /// Opens the proxy of one look.
    pub(crate) async fn open(&self) -> Result<Gate, LookError> {
        Gate::open(&self.way, self.rules(), self.upstream.clone()).await
    }

    fn rules(&self) -> Rules {
        Rules {
            hosts: vec![HostPattern::AnyPort],
            allow_private: self.allow_private.clone(),
            ..Rules::default()
        }
    }
}

/// What is to be decided for a remote browser.
const UNDECIDED: &str = "REMOTE_BROWSER_SERVER is set, and it is open which network that browser may use; in \
    agent/config.json, set browser.proxy_bind to an address of this machine that the browser reaches, such as \
    10.0.0.5:3129, so that it goes through this agent's proxy, or set browser.trust_remote_network to true";

/// Why a private endpoint is not reached, and what to do.
pub(crate) fn private(endpoint: &Endpoint, purpose: &str) -> String {
    format!(
        "it is not public ({purpose}); if you trust this host, add \"{endpoint}\" to browser.allow_private in \
         agent/config.json"
    )
}

/// An address for people: without a password that stands in it.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.as_str().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(url: &str, allowed: &[&str]) -> Result<(), String> {
        let allowed: Vec<String> = allowed.iter().map(|text| (*text).to_owned()).collect();
        let network = Network::new(&allowed).unwrap();
        network.check(&Url::parse(url).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn only_addresses_of_the_web_may_be_opened() {
        for url in ["https://example.com", "http://example.com:8080/a?b#c", "http://8.8.8.8/"] {
            checked(url, &[]).unwrap();
        }
        for url in [
            "file:///etc/passwd",
            "data:text/html,hi",
            "chrome://settings",
            "javascript:alert(1)",
            "ftp://example.com/",
            "blob:https://example.com/1",
            "about:blank",
            "view-source:https://example.com/",
            "ws://example.com/",
            "https://name:word@example.com/",
            "http://127.0.0.1:9200/",
            "http://0x7f.1/",
            "http://[::1]/",
            "http://169.254.169.254/latest/meta-data",
            "http://192.168.1.1/",
        ] {
            assert!(checked(url, &[]).is_err(), "{url}");
        }
    }

    #[test]
    fn the_owner_allows_a_host_by_its_port_and_is_told_how() {
        checked("http://127.0.0.1:8123/", &["127.0.0.1:8123"]).unwrap();
        let error = checked("http://127.0.0.1:8124/", &["127.0.0.1:8123"]).unwrap_err();
        assert_eq!(
            error,
            "http://127.0.0.1:8124/ may not be opened: it is not public (loopback); if you trust this host, add \
             \"127.0.0.1:8124\" to browser.allow_private in agent/config.json"
        );
        assert!(!checked("https://me:s3cret@example.com/", &[]).unwrap_err().contains("s3cret"));
    }

    #[test]
    fn a_remote_browser_needs_a_decision() {
        let network = || Network::new(&[]).unwrap();
        let url = Url::parse("https://example.com").unwrap();
        let refused = network().remote(None, None, false).unwrap().check(&url).unwrap_err();
        assert_eq!(refused.to_string(), format!("there is no browser: {UNDECIDED}"));
        network().remote(None, None, true).unwrap().check(&url).unwrap();
        let bound = network().remote(Some("10.0.0.5:3129"), None, false).unwrap();
        bound.check(&url).unwrap();
        assert_eq!(
            bound.way,
            Way::Bound("10.0.0.5:3129".parse().unwrap(), "10.0.0.5:3129".to_owned())
        );
        for wrong in ["10.0.0.5", "here:1", ":1"] {
            network().remote(Some(wrong), None, false).unwrap_err();
        }
    }
}
