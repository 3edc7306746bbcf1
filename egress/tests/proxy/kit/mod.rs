//! A proxy with its rules, the servers behind it, and a client in front of it.

mod client;
mod names;
mod server;

use std::sync::Arc;

use egress::{Attempt, Decision, HeaderTemplate, Injection, Limits, Proxy, Rules, Trust, Upstream};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

pub(crate) use client::Client;
pub(crate) use names::Names;
pub(crate) use server::{Authority, Seen, Server, raw_server};

/// The secret that must stay secret.
pub(crate) const SECRET: &str = "s3cret-0123456789";

/// What a test puts together before its proxy starts.
pub(crate) struct Setup {
    pub(crate) rules: Rules,
    pub(crate) names: Arc<Names>,
    pub(crate) trust: Trust,
    pub(crate) limits: Limits,
}

impl Setup {
    /// Hosts that are declared, none of them allowed to be private.
    pub(crate) fn declared(hosts: &[&str]) -> Self {
        let hosts = hosts.iter().map(|host| host.parse().unwrap()).collect();
        let rules = Rules { hosts, ..Rules::default() };
        Self { rules, names: Arc::default(), trust: Trust::default(), limits: Limits::default() }
    }

    /// One more declared host, which the owner allows: a server of the test's own.
    pub(crate) fn server(mut self, at: &str) -> Self {
        self.rules.hosts.push(at.parse().unwrap());
        self.rules.allow_private.push(at.parse().unwrap());
        self
    }

    /// A secret that goes to `host` as `Authorization: Bearer`.
    pub(crate) fn secret_for(mut self, host: &str) -> Self {
        let template = HeaderTemplate::new("Authorization", "Bearer {}").unwrap();
        let injection = Injection::new("X_TOKEN", host.parse().unwrap(), &template, SECRET.into());
        self.rules.injections.push(injection.unwrap());
        self
    }

    pub(crate) fn trusting(mut self, authority: &Authority) -> Self {
        self.trust = self.trust.and(authority.pem().as_bytes()).unwrap();
        self
    }

    pub(crate) fn limits(mut self, change: impl Fn(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    pub(crate) async fn start(self) -> Rig {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = Client::new(listener.local_addr().unwrap());
        let upstream = Upstream::new(self.names.clone(), self.trust, self.limits).unwrap();
        let (sender, attempts) = mpsc::channel(1_000);
        let proxy = Proxy::serve(listener, self.rules, upstream, sender);
        Rig { proxy, client, names: self.names, attempts }
    }
}

/// A running proxy.
pub(crate) struct Rig {
    pub(crate) proxy: Proxy,
    pub(crate) client: Client,
    pub(crate) names: Arc<Names>,
    pub(crate) attempts: mpsc::Receiver<Attempt>,
}

impl Rig {
    /// What was decided on the oldest request that has not been asked about.
    pub(crate) fn decision(&mut self) -> Decision {
        self.attempts.try_recv().unwrap().decision
    }
}

/// The decision on a request that was given the secret.
pub(crate) fn with_secret() -> Decision {
    Decision::Allowed { injected: vec!["X_TOKEN".to_owned()] }
}

/// The decision on a request that was allowed and given nothing.
pub(crate) fn without_secret() -> Decision {
    Decision::Allowed { injected: Vec::new() }
}
