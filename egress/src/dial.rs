//! Connecting to checked addresses, and to nothing else.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::address::is_public;
use crate::endpoint::{Endpoint, Host};
use crate::error::{Error, Failure, Refusal};
use crate::house::inside;
use crate::resolve::Resolve;
use crate::rules::{Route, Rules};
use crate::target::Scheme;

/// How many addresses of a name are tried. More would only share out the time to connect more thinly.
const TRIED: usize = 4;

/// An endpoint whose addresses were checked. Only [`Pinned::check`] makes one, and what is connected to are
/// these addresses: between the check and the connection nothing is resolved.
#[derive(Debug, Clone)]
pub struct Pinned {
    endpoint: Endpoint,
    addresses: Vec<IpAddr>,
}

impl Pinned {
    /// Resolves an endpoint once and checks every address that it has: a single one that is not public,
    /// or is in a network of this machine, refuses all of them, unless `rules` allow the endpoint by name and port.
    ///
    /// # Errors
    /// [`Refusal::Private`], [`Failure::Resolve`], and [`Failure::Slow`] after `limit`.
    pub async fn check(
        endpoint: &Endpoint,
        rules: &Rules,
        resolver: &dyn Resolve,
        limit: Duration,
    ) -> Result<Self, Error> {
        let addresses = match &endpoint.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => timeout(limit, resolver.resolve(name))
                .await
                .map_err(|_| Failure::Slow { endpoint: endpoint.clone(), limit })?
                .and_then(at_least_one)
                .map_err(|source| Failure::Resolve { endpoint: endpoint.clone(), source })?,
        };
        if !rules.allows_private(endpoint) {
            refuse_private(endpoint, &addresses)?;
        }
        Ok(Self { endpoint: endpoint.clone(), addresses })
    }

    /// What was checked.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The addresses that were checked; never empty.
    #[must_use]
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    /// Whether one of the addresses is public.
    #[must_use]
    pub fn leads_outside(&self) -> bool {
        self.addresses.iter().copied().any(is_public)
    }

    /// Connects to the first of the addresses that answers, within `limit` for all of them together.
    ///
    /// # Errors
    /// [`Failure::Connect`] with what the last address answered, and [`Failure::Slow`].
    pub async fn connect(&self, limit: Duration) -> Result<TcpStream, Failure> {
        let tried = self.addresses.iter().take(TRIED);
        // An address that swallows packets must not use up the time of those behind it.
        let share = limit.div_f64(tried.len().max(1) as f64);
        let mut answer = None;
        for address in tried {
            match timeout(share, TcpStream::connect((*address, self.endpoint.port))).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(source)) => answer = Some(source),
                Err(_) => {}
            }
        }
        let endpoint = self.endpoint.clone();
        Err(match answer {
            Some(source) => Failure::Connect { endpoint, source },
            None => Failure::Slow { endpoint, limit },
        })
    }
}

impl Route<'_> {
    /// Whether the request may go to these addresses. The owner allows a secret in plain text inside the
    /// house; a name that leads outside on the day of the request is not what was allowed.
    ///
    /// # Errors
    /// [`Refusal::PlainSecret`].
    pub fn allows(&self, pinned: &Pinned) -> Result<(), Refusal> {
        let in_plain = self.origin.scheme == Scheme::Http && !self.injections.is_empty();
        if in_plain && pinned.leads_outside() {
            return Err(Refusal::PlainSecret { endpoint: self.origin.endpoint.clone() });
        }
        Ok(())
    }
}

fn at_least_one(addresses: Vec<IpAddr>) -> io::Result<Vec<IpAddr>> {
    if addresses.is_empty() { Err(io::Error::other("it has no address")) } else { Ok(addresses) }
}

fn refuse_private(endpoint: &Endpoint, addresses: &[IpAddr]) -> Result<(), Refusal> {
    let private = |address: &IpAddr| inside(*address).map(|purpose| (*address, purpose));
    match addresses.iter().find_map(private) {
        Some((address, purpose)) => {
            Err(Refusal::Private { endpoint: endpoint.clone(), address, purpose })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Mutex;

    use async_trait::async_trait;
    use tokio::net::TcpListener;

    use super::*;
    use crate::resolve::SystemResolver;

    const LIMIT: Duration = Duration::from_secs(10);

    /// Gives one answer after the other, and none at all when they are used up.
    struct Answers(Mutex<Vec<Vec<IpAddr>>>);

    impl Answers {
        fn new(mut answers: Vec<Vec<Ipv4Addr>>) -> Self {
            answers.reverse();
            let addresses = |answer: Vec<Ipv4Addr>| answer.into_iter().map(IpAddr::from).collect();
            Self(Mutex::new(answers.into_iter().map(addresses).collect()))
        }
    }

    #[async_trait]
    impl Resolve for Answers {
        async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            let next = self.0.lock().unwrap().pop();
            match next {
                Some(answer) => Ok(answer),
                None => std::future::pending().await,
            }
        }
    }

    fn allowing(endpoint: &Endpoint) -> Rules {
        Rules { allow_private: vec![endpoint.clone()], ..Rules::default() }
    }

    #[tokio::test]
    async fn what_was_checked_stays_when_the_name_changes() {
        let public = Ipv4Addr::new(93, 184, 216, 34);
        let answers = Answers::new(vec![vec![public], vec![Ipv4Addr::LOCALHOST]]);
        let endpoint = "rebind.test:80".parse().unwrap();
        let rules = Rules::default();
        let pinned = Pinned::check(&endpoint, &rules, &answers, LIMIT).await.unwrap();
        let again = Pinned::check(&endpoint, &rules, &answers, LIMIT).await;
        assert!(matches!(again, Err(Error::Refused(Refusal::Private { .. }))), "{again:?}");
        assert_eq!(pinned.addresses(), [IpAddr::from(public)]);
        assert!(pinned.leads_outside());
    }

    #[tokio::test]
    async fn the_machines_own_resolver_finds_localhost_and_it_is_refused() {
        let endpoint = "localhost:80".parse().unwrap();
        let checked = Pinned::check(&endpoint, &Rules::default(), &SystemResolver, LIMIT).await;
        let Err(Error::Refused(Refusal::Private { purpose, .. })) = checked else {
            panic!("{checked:?}");
        };
        assert_eq!(purpose, "loopback");
    }

    #[tokio::test]
    async fn the_next_address_is_tried_when_one_refuses() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let endpoint = Endpoint { host: Host::Name("two.test".to_owned()), port };
        let answers = Answers::new(vec![vec![Ipv4Addr::new(127, 0, 0, 3), Ipv4Addr::LOCALHOST]]);
        let rules = allowing(&endpoint);
        let pinned = Pinned::check(&endpoint, &rules, &answers, LIMIT).await.unwrap();
        let stream = pinned.connect(LIMIT).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap().ip(), Ipv4Addr::LOCALHOST);
    }

    #[tokio::test]
    async fn a_resolver_that_never_answers_is_given_up() {
        let endpoint = "slow.test:80".parse().unwrap();
        let (answers, limit) = (Answers::new(Vec::new()), Duration::from_millis(10));
        let checked = Pinned::check(&endpoint, &Rules::default(), &answers, limit).await;
        assert!(matches!(checked, Err(Error::Failed(Failure::Slow { .. }))), "{checked:?}");
    }
}
