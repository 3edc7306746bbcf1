//! Those who answer, each a process of its own so that what it uses can be told apart.
#![expect(clippy::disallowed_types, reason = "what is measured here are processes")]

use std::fmt;
use std::fs;
use std::process::{Child, Command};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use broker::redis::{RedisAddress, Terms};
use broker::{Request, Responder};
use protocol::sign::{KeyPair, Keys};
use protocol::{Done, QueueNames};
use redis::{AsyncConnectionConfig, Client, cmd};
use tokio_util::sync::CancellationToken;

use crate::{SLOTS, WAITING};

/// How a worker serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A loop of one connection: pop a command, push its reply, wait until that is done.
    Bare,
    /// This project's router's end, which answers at once.
    Ours,
    /// The same, which takes nothing unsigned and signs its replies.
    Signed,
    /// As `Ours`, but it takes its time over each command.
    Waiting,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bare => "bare",
            Self::Ours => "ours",
            Self::Signed => "signed",
            Self::Waiting => "waiting",
        })
    }
}

impl FromStr for Kind {
    type Err = anyhow::Error;
    fn from_str(word: &str) -> Result<Self> {
        [Self::Bare, Self::Ours, Self::Signed, Self::Waiting]
            .into_iter()
            .find(|kind| kind.to_string() == word)
            .with_context(|| format!("{word} is no kind of worker"))
    }
}

/// A worker's process. It ends with the value.
pub(crate) struct Worker(Child);

impl Worker {
    pub(crate) fn start(kind: Kind, url: &str, queue: &str) -> Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        Ok(Self(command.args([&kind.to_string(), url, queue]).spawn()?))
    }

    /// What it has used of a processor: its one thread's time, to the nanosecond.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let path = format!("/proc/{}/schedstat", self.0.id());
        let text = fs::read_to_string(&path).with_context(|| format!("can't read {path}"))?;
        let nanos = text.split_whitespace().next().context("nothing in schedstat")?;
        Ok(Duration::from_nanos(nanos.parse()?))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a worker's process does until it is killed.
pub(crate) async fn serve(kind: Kind, url: &str, queue: &str) -> Result<()> {
    match kind {
        Kind::Bare => bare(url, queue).await,
        Kind::Ours => ours(url, queue, plain(64), reply).await,
        Kind::Signed => {
            let terms = Terms { keys: Some(keys()), require_signature: true, ..plain(64) };
            ours(url, queue, terms, reply).await
        }
        Kind::Waiting => {
            ours(url, queue, plain(SLOTS), |request| {
                tokio::spawn(async move {
                    tokio::time::sleep(WAITING).await;
                    reply(request);
                });
            })
            .await
        }
    }
}

async fn bare(url: &str, queue: &str) -> Result<()> {
    let config = AsyncConnectionConfig::new().set_response_timeout(None);
    let client = Client::open(url)?;
    let mut connection = client.get_multiplexed_async_connection_with_config(&config).await?;
    loop {
        let popped: Option<(String, Vec<u8>)> =
            cmd("BRPOP").arg(queue).arg(1).query_async(&mut connection).await?;
        let Some((_, bytes)) = popped else { continue };
        let command: serde_json::Value = serde_json::from_slice(&bytes)?;
        let (id, action) = (&command["message_id"], &command["action"]);
        let Some(id) = id.as_str() else { bail!("a command without an id") };
        let reply = serde_json::json!({"status": "ok", "action": action}).to_string();
        let key = format!("safeclaw:response:{id}");
        let mut pipeline = redis::pipe();
        pipeline.lpush(&key, reply).ignore().expire(&key, 120).ignore();
        pipeline.query_async::<()>(&mut connection).await?;
    }
}

fn plain(slots: usize) -> Terms {
    Terms { slots, ..Terms::default() }
}

/// What callers and workers sign with.
pub(crate) fn keys() -> Arc<Keys> {
    Arc::new(Keys::new(KeyPair::new([1; 32], [2; 32])))
}

async fn ours(url: &str, queue: &str, terms: Terms, serve: impl Fn(Request)) -> Result<()> {
    let names = QueueNames::new(queue, "safeclaw:response:");
    let (mut responder, _publisher) =
        broker::redis::responder(RedisAddress::new(url)?, names, terms, CancellationToken::new())
            .map_err(anyhow::Error::msg)?;
    while let Some(request) = responder.receive().await {
        serve(request);
    }
    Ok(())
}

fn reply(request: Request) {
    request.reply(Done::default());
}
