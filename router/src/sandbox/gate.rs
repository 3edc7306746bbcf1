//! A skill's one way to the network: a proxy of its own, on a Unix socket, that knows its hosts and secrets.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use egress::{Attempt, Decision, Injection, Proxy, Rules, Upstream};
use protocol::{Code, Object, Stopped};
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::sync::mpsc;

use crate::catalog::Skill;
use crate::secrets::Secrets;

/// How many requests may wait to be logged.
const ATTEMPTS: usize = 64;

/// How many different attempts of one gate are logged.
const TOLD: usize = 20;

/// Makes gates.
pub(super) struct Gates {
    secrets: Secrets,
    /// Made by the first gate: reading the authorities takes time that a start without network saves.
    upstream: OnceLock<Upstream>,
}

/// One open gate. Dropping it closes every connection.
pub(super) struct Gate {
    // Fields are dropped in this order: first the proxy, then the place of its socket.
    _proxy: Proxy,
    place: TempDir,
}

impl Gate {
    /// The socket that the proxy listens at.
    pub(super) fn socket(&self) -> PathBuf {
        socket(self.place.path())
    }
}

impl Gates {
    pub(super) fn new(secrets: Secrets) -> Self {
        Self { secrets, upstream: OnceLock::new() }
    }

    /// Opens a gate to the hosts of `skill`, with the secrets that a call with `params` needs.
    pub(super) async fn open(&self, skill: &Skill, params: &Object) -> Result<Gate, Stopped> {
        let rules = self.rules(skill, params).map_err(|why| Stopped::new(Code::Internal, why))?;
        let upstream = self.upstream().map_err(|why| Stopped::new(Code::Internal, why))?;
        let (place, listener) = listen().map_err(|error| {
            Stopped::new(Code::Internal, format!("the skill's proxy can't listen: {error}"))
        })?;
        let (attempts, decided) = mpsc::channel(ATTEMPTS);
        tokio::spawn(log(skill.name().to_string(), decided));
        Ok(Gate { _proxy: Proxy::serve(listener, rules, upstream, attempts), place })
    }

    fn rules(&self, skill: &Skill, params: &Object) -> Result<Rules, String> {
        let mut injections = Vec::new();
        for (name, secret) in skill.secrets_for(params) {
            let Some(value) = self.secrets.get(name) else { continue };
            let injection = Injection::new(name, secret.host.clone(), &secret.header, value.into());
            injections.push(injection.map_err(|error| format!("router/.env: {error}"))?);
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

async fn log(skill: String, mut decided: mpsc::Receiver<Attempt>) {
    let mut told = HashSet::new();
    while let Some(attempt) = decided.recv().await {
        // A skill that asks again and again, or for ever new hosts, must not flood the log.
        if told.len() >= TOLD || !told.insert(format!("{attempt:?}")) {
            continue;
        }
        let Attempt { host, port, decision } = attempt;
        let port = port.map(|port| format!(":{port}")).unwrap_or_default();
        match decision {
            Decision::Allowed { injected } => {
                tracing::info!("{skill} reaches {host}{port}, secrets added: {injected:?}");
            }
            Decision::Refused { reason } | Decision::Failed { reason } => {
                tracing::warn!("{skill} does not reach {host}{port}: {reason}");
            }
        }
    }
}
