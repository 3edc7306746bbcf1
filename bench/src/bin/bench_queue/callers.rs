//! Those who ask: each pushes a command, waits for its reply, and asks again.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use protocol::sign::About;
use protocol::{Command, MessageId, Millis};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client};

use crate::worker::keys;

/// What was served while somebody watched.
pub(crate) struct Served {
    /// How long each command took, in no order.
    times: Vec<Duration>,
    span: Duration,
    /// What the workers have used of a processor.
    pub(crate) cpu: Duration,
}

impl Served {
    /// Commands a second.
    pub(crate) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.span.as_secs_f64()
    }

    /// Microseconds of a processor for each command.
    pub(crate) fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e6 / self.times.len() as f64
    }

    /// How long half of the commands took at most.
    pub(crate) fn half(&self) -> Duration {
        let mut times = self.times.clone();
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

/// Lets `count` callers ask for `span`.
pub(crate) async fn call(url: &str, queue: &str, count: usize, span: Duration) -> Result<Served> {
    let client = Client::open(url)?;
    let start = Instant::now();
    let mut asking = Vec::new();
    for caller in 0..count {
        // A reply may take longer than the client's usual patience.
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let connection = client.get_multiplexed_async_connection_with_config(&config).await?;
        asking.push(tokio::spawn(ask(connection, queue.to_owned(), caller, start, span)));
    }
    let mut times = Vec::new();
    for asked in asking {
        times.extend(asked.await??);
    }
    Ok(Served { times, span: start.elapsed(), cpu: Duration::ZERO })
}

async fn ask(
    mut connection: MultiplexedConnection,
    queue: String,
    caller: usize,
    start: Instant,
    span: Duration,
) -> Result<Vec<Duration>> {
    let (mut times, signs) = (Vec::new(), queue.contains(":signed:"));
    while start.elapsed() < span {
        let id = format!("{caller}-{}-{}", span.as_millis(), times.len());
        let key = format!("safeclaw:response:{id}");
        let command = format!(
            r#"{{"message_id":"{id}","action":"ECHO","params":{{"text":"Hello World"}},"v":2}}"#
        );
        let asked = Instant::now();
        let command = if signs { signed(&command)? } else { command.into_bytes() };
        let mut pipeline = redis::pipe();
        pipeline.lpush(&queue, command).ignore().blpop(&key, 30.0);
        let ((_, reply),): ((String, Vec<u8>),) = pipeline.query_async(&mut connection).await?;
        if signs {
            let id = MessageId::new(id)?;
            keys().verify(&About::reply(&id), &reply).context("a reply that is not signed")?;
        }
        times.push(asked.elapsed());
    }
    Ok(times)
}

/// What an agent with a key does to a command.
fn signed(command: &str) -> Result<Vec<u8>> {
    let now = Millis::of_this_machine();
    let mut command = Command::from_bytes(command.as_bytes())
        .map_err(|malformed| anyhow::anyhow!(malformed.stopped.message))?;
    command.envelope.issued_at = Some(now);
    command.envelope.deadline = Some(now.after(Duration::from_secs(30)));
    Ok(keys().sign(&About::command(&command), command.to_bytes()))
}
