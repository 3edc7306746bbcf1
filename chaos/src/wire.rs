//! The wire of the first SafeClaw: a push, and a blocking pop of the reply.

use std::time::Duration;

use anyhow::{Context, Result};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, Pipeline};
use serde_json::Value;
use tokio::time::{Instant, sleep};

/// How long one pop lasts at the server, in seconds.
const POP: f64 = 1.0;

/// How long any answer may take: a pop, and a wide margin.
const ANSWER: Duration = Duration::from_secs(6);

/// The pause after a connection has failed.
const PAUSE: Duration = Duration::from_millis(50);

/// A client that knows nothing of this project's broker. It connects again after each failure.
pub(crate) struct Wire {
    client: Client,
    connection: Option<MultiplexedConnection>,
}

impl Wire {
    pub(crate) fn new(url: &str) -> Result<Self> {
        Ok(Self { client: Client::open(url).context("no address")?, connection: None })
    }

    /// Pushes payloads in one go.
    pub(crate) async fn push(&mut self, queue: &str, payloads: &[Vec<u8>]) -> Result<()> {
        let mut pipeline = redis::pipe();
        for payload in payloads {
            pipeline.lpush(queue, payload).ignore();
        }
        self.ask(&pipeline).await
    }

    /// Waits for a list's oldest element until `until`.
    pub(crate) async fn pop(&mut self, list: &str, until: Instant) -> Option<Value> {
        let mut pop = redis::pipe();
        pop.cmd("BLPOP").arg(list).arg(POP);
        while Instant::now() < until {
            match self.ask::<(Option<(String, Vec<u8>)>,)>(&pop).await {
                Ok((Some((_, reply)),)) => {
                    // What is no JSON is a reply that differs from all others.
                    let shown = || Value::from(String::from_utf8_lossy(&reply));
                    return Some(serde_json::from_slice(&reply).unwrap_or_else(|_| shown()));
                }
                Ok((None,)) => {}
                Err(_) => sleep(PAUSE).await,
            }
        }
        None
    }

    async fn ask<T: FromRedisValue>(&mut self, pipeline: &Pipeline) -> Result<T> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let config = AsyncConnectionConfig::new().set_response_timeout(Some(ANSWER));
                self.client.get_multiplexed_async_connection_with_config(&config).await?
            }
        };
        let answer = pipeline.query_async(&mut connection).await?;
        // Only one that has answered is used again.
        self.connection = Some(connection);
        Ok(answer)
    }
}
