//! Which skill has talked to which host, how much, and since when: counted by the proxies, kept in the [`Store`].

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::{Millis, Object};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{NET, Store, StoreFault};

/// How many hosts are told apart for one skill. What is used least lately is then counted under [`OTHERS`].
const HOSTS: usize = 64;

/// The name under which hosts are counted that are not told apart.
const OTHERS: &str = "other hosts";

/// What went to one host, and came from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traffic {
    /// When the first request was made.
    pub since: Millis,
    /// When the latest was.
    pub last: Millis,
    /// How many requests were let through.
    pub allowed: u64,
    /// How many were not.
    pub refused: u64,
    /// Bytes sent, on the wire.
    pub sent: u64,
    /// Bytes received, on the wire.
    pub received: u64,
}

impl Traffic {
    /// Counts `more` with it.
    pub fn add(&mut self, more: &Self) {
        self.since = if self.since == Millis(0) { more.since } else { self.since.min(more.since) };
        self.last = self.last.max(more.last);
        self.allowed += more.allowed;
        self.refused += more.refused;
        self.sent += more.sent;
        self.received += more.received;
    }
}

/// Host and port -> what was exchanged with it.
pub type Hosts = BTreeMap<String, Traffic>;

/// The traffic of all skills, of all routers that share the store.
#[derive(Debug, Clone)]
pub struct TrafficBook {
    store: Arc<dyn Store>,
}

impl TrafficBook {
    /// Keeps it in `store`.
    #[must_use]
    pub fn new(store: &Arc<dyn Store>) -> Self {
        Self { store: Arc::clone(store) }
    }

    /// Adds what `skill` has exchanged with each host. What can't be kept is lost with a warning: the proxies have judged it
    /// already.
    pub async fn add(&self, skill: &str, more: &Hosts) {
        let added = |there: Option<Hosts>| {
            let mut hosts = there.unwrap_or_default();
            for (host, traffic) in more {
                hosts.entry(host.clone()).or_default().add(traffic);
            }
            make_room(&mut hosts);
            (Some(hosts), ())
        };
        if let Err(fault) = crate::update(&*self.store, NET, skill, added).await {
            tracing::warn!("what {skill} has sent and received is not counted: {fault}");
        }
    }

    /// What each skill has exchanged with each host, the latest first.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub async fn told(&self) -> Result<Vec<Object>, StoreFault> {
        let row = |(skill, host, traffic): (String, String, Traffic)| {
            let Traffic { since, last, allowed, refused, sent, received } = traffic;
            let row = json!({
                "skill": skill, "host": host, "since": since, "last": last, "allowed": allowed,
                "refused": refused, "sent": sent, "received": received,
            });
            row.as_object().cloned().unwrap_or_default()
        };
        Ok(self.rows().await?.into_iter().map(row).collect())
    }

    /// The same: skill, host and port, what was exchanged.
    ///
    /// # Errors
    /// [`StoreFault`].
    pub async fn rows(&self) -> Result<Vec<(String, String, Traffic)>, StoreFault> {
        let mut rows = Vec::new();
        for (skill, hosts) in crate::list::<Hosts>(&*self.store, NET).await? {
            rows.extend(hosts.into_iter().map(|(host, traffic)| (skill.clone(), host, traffic)));
        }
        rows.sort_by_key(|(_, _, traffic)| std::cmp::Reverse(traffic.last));
        Ok(rows)
    }
}

/// Counts what was exchanged with `host`, in as many hosts as are told apart.
pub fn count(hosts: &mut Hosts, host: &str, traffic: &Traffic) {
    match hosts.get_mut(host) {
        Some(there) => there.add(traffic),
        None => {
            hosts.insert(host.to_owned(), *traffic);
            make_room(hosts);
        }
    }
}

/// Joins what was used least lately, so that a skill that asks for ever new hosts fills nothing.
fn make_room(hosts: &mut Hosts) {
    if hosts.len() <= HOSTS {
        return;
    }
    let named = hosts.iter().filter(|(host, _)| *host != OTHERS);
    let mut named: Vec<(Millis, String)> =
        named.map(|(host, traffic)| (traffic.last, host.clone())).collect();
    named.sort_unstable();
    // One place is for the others.
    for (_, oldest) in &named[..=named.len().saturating_sub(HOSTS)] {
        if let Some(traffic) = hosts.remove(oldest) {
            hosts.entry(OTHERS.to_owned()).or_default().add(&traffic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Folder;

    fn traffic(at: u64) -> Traffic {
        Traffic { since: Millis(at), last: Millis(at), allowed: 1, sent: 10, ..Traffic::default() }
    }

    #[tokio::test]
    async fn what_was_exchanged_adds_up_and_says_since_when() {
        let home = testkit::TempHome::new();
        let store: Arc<dyn Store> = Arc::new(Folder::at(home.root().to_owned()));
        let book = TrafficBook::new(&store);
        for at in [5, 9] {
            book.add("WEB_FETCH", &Hosts::from([("a.example:443".to_owned(), traffic(at))])).await;
        }
        let told = TrafficBook::new(&store).told().await.unwrap();
        assert_eq!(told.len(), 1);
        let row = json!({
            "skill": "WEB_FETCH", "host": "a.example:443", "since": 5, "last": 9, "allowed": 2,
            "refused": 0, "sent": 20, "received": 0,
        });
        assert_eq!(serde_json::Value::Object(told[0].clone()), row);
    }

    #[test]
    fn ever_new_hosts_fill_nothing() {
        let mut hosts = Hosts::new();
        for at in 1..=500 {
            hosts.insert(format!("{at}.example"), traffic(at));
            make_room(&mut hosts);
        }
        assert_eq!(hosts.len(), HOSTS);
        let sent: u64 = hosts.values().map(|traffic| traffic.sent).sum();
        assert_eq!((sent, hosts[OTHERS].since), (5_000, Millis(1)));
        assert!(hosts.contains_key("500.example"));
        // Many at once are counted in one go.
        let many = (1..=100_000).map(|at| (format!("{at}.example"), traffic(at)));
        let mut many: Hosts = many.collect();
        make_room(&mut many);
        assert_eq!((many.len(), many[OTHERS].allowed), (HOSTS, 100_000 - 63));
    }
}
