//! A skill's one way to the network: a proxy of its own, on a Unix socket, that knows its hosts and secrets.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use egress::{Attempt, Carried, Decision, Injection, Proxy, Rules, Upstream};
use protocol::{Code, Millis, Object, Stopped};
use secrets::Secrets;
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::catalog::Skill;
use shared::{Hosts, Traffic, TrafficBook, traffic};

/// How many requests may wait to be logged.
const ATTEMPTS: usize = 64;

/// After how many requests that were let through it is looked which of them are over.
const OPEN: usize = 64;

/// How many different attempts of one gate are logged.
const TOLD: usize = 20;

/// Makes gates.
pub(crate) struct Gates {
    secrets: Secrets,
    book: Option<TrafficBook>,
    /// Made by the first gate: reading the authorities takes time that a start without network saves.
    upstream: OnceLock<Upstream>,
}

/// One open gate. Dropping it closes every connection.
pub(crate) struct Gate {
    // Fields are dropped in this order: the proxy, the place of its socket, and what counts on its last words.
    proxy: Proxy,
    place: TempDir,
    counting: Counting,
}

/// What goes through one gate, until it is written down. A call that is stopped drops it, and has sent something, too.
struct Counting {
    skill: String,
    seen: Seen,
    /// Ends with the proxy, whose last words it hears; nothing once it is waited for.
    following: Option<JoinHandle<()>>,
    book: Option<TrafficBook>,
}

impl Counting {
    /// Waits for the end of the proxy, and writes down what has gone through it.
    fn end(&mut self) -> impl Future<Output = ()> + Send + use<> {
        let (following, seen) = (self.following.take(), self.seen.clone());
        let (book, skill) = (self.book.take(), std::mem::take(&mut self.skill));
        async move {
            if let (Some(following), Some(book)) = (following, book) {
                let _ = following.await;
                book.add(&skill, &seen.news()).await;
            }
        }
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        let is_over = self.following.is_none();
        if let (false, Ok(runtime)) = (is_over, tokio::runtime::Handle::try_current()) {
            runtime.spawn(self.end());
        }
    }
}

/// What goes through one gate and is not in the book yet.
#[derive(Debug, Clone, Default)]
struct Seen(Arc<Mutex<Passed>>);

#[derive(Debug, Default)]
struct Passed {
    /// What is over, as many hosts of it as the book tells apart.
    counted: Hosts,
    /// Requests that were let through and may still carry.
    open: Vec<Passage>,
}

/// One request that was let through.
#[derive(Debug)]
struct Passage {
    host: String,
    carried: Carried,
    /// What of it is counted.
    counted: (u64, u64),
}

impl Seen {
    fn note(&self, attempt: &Attempt) {
        let port = attempt.port.map(|port| format!(":{port}")).unwrap_or_default();
        let host = format!("{}{port}", attempt.host);
        let at = Millis::of_this_machine();
        let is_allowed = match attempt.decision {
            Decision::Allowed { .. } => true,
            Decision::Refused { .. } | Decision::Failed { .. } => false,
            // It is counted already.
            Decision::Lost { .. } => return,
        };
        let (allowed, refused) = (u64::from(is_allowed), u64::from(!is_allowed));
        let asked = Traffic { since: at, last: at, allowed, refused, ..Traffic::default() };
        let mut passed = self.lock();
        traffic::count(&mut passed.counted, &host, &asked);
        if is_allowed {
            let carried = attempt.carried.clone();
            passed.open.push(Passage { host, carried, counted: (0, 0) });
            if passed.open.len().is_multiple_of(OPEN) {
                passed.look();
            }
        }
    }

    /// What is new since this was asked last.
    fn news(&self) -> Hosts {
        let mut passed = self.lock();
        passed.look();
        std::mem::take(&mut passed.counted)
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn lock(&self) -> std::sync::MutexGuard<'_, Passed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Passed {
    /// Counts what was carried by now, and forgets the requests that carry nothing more.
    fn look(&mut self) {
        let counted = &mut self.counted;
        self.open.retain_mut(|passage| {
            // Asked first: what is over has carried all that it will.
            let is_over = passage.carried.is_over();
            let (now, before) = (passage.carried.bytes(), passage.counted);
            if now != before {
                let at = Millis::of_this_machine();
                let (sent, received) = (now.0 - before.0, now.1 - before.1);
                let more = Traffic { since: at, last: at, sent, received, ..Traffic::default() };
                traffic::count(counted, &passage.host, &more);
                passage.counted = now;
            }
            !is_over
        });
    }
}

impl Gate {
    /// The socket that the proxy listens at.
    pub(crate) fn socket(&self) -> PathBuf {
        socket(self.place.path())
    }

    /// Writes down what has gone through it by now.
    pub(super) async fn settle(&self) {
        let Counting { skill, seen, book: Some(book), .. } = &self.counting else { return };
        let news = seen.news();
        if !news.is_empty() {
            book.add(skill, &news).await;
        }
    }

    /// Closes every connection, and writes down what has gone through it.
    pub(crate) async fn close(self) {
        let Self { proxy, place, mut counting } = self;
        drop(proxy);
        counting.end().await;
        drop(place);
    }

    /// Whether anything that another machine has sent may have come through it.
    pub(super) fn has_heard(&self) -> bool {
        self.proxy.has_heard()
    }
}

impl Gates {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self { secrets, book: None, upstream: OnceLock::new() }
    }

    /// The same, and what goes through them is counted in `book`.
    pub(crate) fn counting(self, book: TrafficBook) -> Self {
        Self { book: Some(book), ..self }
    }

    /// Opens a gate to the hosts of `skill`, with the secrets that a call with `params` needs.
    pub(crate) async fn open(&self, skill: &Skill, params: &Object) -> Result<Gate, Stopped> {
        let rules = self.rules(skill, params).map_err(|why| Stopped::new(Code::Internal, why))?;
        let upstream = self.upstream().map_err(|why| Stopped::new(Code::Internal, why))?;
        let (place, listener) = listen().map_err(|error| {
            Stopped::new(Code::Internal, format!("the skill's proxy can't listen: {error}"))
        })?;
        let (attempts, decided) = mpsc::channel(ATTEMPTS);
        let (skill, seen) = (skill.name().to_string(), Seen::default());
        let following = tokio::spawn(follow(skill.clone(), decided, seen.clone()));
        let proxy = Proxy::serve(listener, rules, upstream, attempts);
        let following = Some(following);
        let counting = Counting { skill, seen, following, book: self.book.clone() };
        Ok(Gate { proxy, place, counting })
    }

    fn rules(&self, skill: &Skill, params: &Object) -> Result<Rules, String> {
        let mut injections = Vec::new();
        for (name, secret) in skill.secrets_for(params) {
            let Some(value) = self.secrets.get(name) else { continue };
            let injection = Injection::new(name, secret.host.clone(), &secret.header, value.into());
            let injection = injection.map_err(|error| format!("router/.env: {error}"))?;
            injections.push(injection.spelled(self.secrets.spellings(name)));
        }
        Ok(Rules {
            hosts: skill.hosts.clone(),
            allow_private: skill.allow_private.clone(),
            injections,
        })
    }

    fn upstream(&self) -> Result<Upstream, String> {
        if let Some(upstream) = self.upstream.get() {
            return Ok(upstream.clone());
        }
        let upstream = Upstream::usual().map_err(|error| error.to_string())?;
        Ok(self.upstream.get_or_init(|| upstream).clone())
    }
}

fn socket(place: &Path) -> PathBuf {
    place.join("proxy")
}

/// A socket in a folder that is ours alone: the launcher opens the way there before it gives up what root
/// may do. The socket itself has to let the user connect that the launcher becomes then.
fn listen() -> io::Result<(TempDir, UnixListener)> {
    let place = tempfile::Builder::new()
        .prefix("safeclaw-gate-")
        .permissions(fs::Permissions::from_mode(0o700))
        .tempdir()?;
    let listener = UnixListener::bind(socket(place.path()))?;
    fs::set_permissions(socket(place.path()), fs::Permissions::from_mode(0o666))?;
    Ok((place, listener))
}

async fn follow(skill: String, mut decided: mpsc::Receiver<Attempt>, seen: Seen) {
    let mut told = HashSet::new();
    while let Some(attempt) = decided.recv().await {
        seen.note(&attempt);
        let Attempt { host, port, decision, .. } = attempt;
        // A skill that asks again and again, or for ever new hosts, must not flood the log.
        if told.len() >= TOLD || !told.insert(format!("{host} {port:?} {decision:?}")) {
            continue;
        }
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        match decision {
            Decision::Allowed { injected } => {
                tracing::info!("{skill} reaches {host}{port}, secrets added: {injected:?}");
            }
            Decision::Refused { reason }
            | Decision::Failed { reason }
            | Decision::Lost { reason } => {
                // People hear of it by how the call ends.
                tracing::info!("{skill} does not reach {host}{port}: {reason}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_that_asks_for_ever_new_hosts_fills_nothing() {
        let seen = Seen::default();
        let attempt = |host: String, decision| Attempt {
            host,
            port: Some(443),
            decision,
            carried: Carried::default(),
        };
        for number in 0..10_000 {
            let reason = "it is not declared".to_owned();
            seen.note(&attempt(format!("{number}.example"), Decision::Refused { reason }));
            seen.note(&attempt(
                "one.example".to_owned(),
                Decision::Allowed { injected: Vec::new() },
            ));
        }
        let passed = seen.lock();
        assert!(passed.counted.len() <= 64 && passed.open.len() <= OPEN, "{passed:?}");
        drop(passed);
        let news = seen.news();
        assert_eq!(news["one.example:443"].allowed, 10_000);
        assert_eq!(news.values().map(|host| host.refused).sum::<u64>(), 10_000);
        assert!(seen.news().is_empty());
    }
}
