//! Waits until something lies in a list, without taking it.
//!
//! A blocking move of a list's last element onto its own end changes nothing and returns once there is an
//! element. So a reader that dies, or whose connection does, has nothing in its hands that could be lost, and
//! a wait can be given up at any moment.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use redis::{AsyncCommands, Direction, RedisError};

use super::link::{BLOCK, BackOff, Connection, RedisAddress};

/// One bell for each of some lists.
pub(super) struct Bells {
    address: RedisAddress,
    bells: Vec<Bell>,
    /// Those that are waited for. They go on from one wait to the next: a wait that is given up still holds
    /// its connection at the server.
    waiting: FuturesUnordered<BoxFuture<'static, (usize, Connection)>>,
}

struct Bell {
    list: String,
    /// Its connection while nobody waits for it.
    idle: Option<Connection>,
    waiting: bool,
}

impl Bells {
    pub(super) fn new(address: RedisAddress, lists: impl IntoIterator<Item = String>) -> Self {
        let bells = lists.into_iter();
        let bells = bells.map(|list| Bell { list, idle: None, waiting: false }).collect();
        Self { address, bells, waiting: FuturesUnordered::new() }
    }

    /// Returns once something lies in one of the first `count` lists, and perhaps without a reason. A server
    /// that is gone is waited for.
    pub(super) async fn rung(&mut self, count: usize) {
        for (at, bell) in self.bells.iter_mut().enumerate().take(count) {
            if !bell.waiting {
                bell.waiting = true;
                let (address, list) = (self.address.clone(), bell.list.clone());
                let idle = bell.idle.take();
                self.waiting.push(Box::pin(async move { (at, wait(address, list, idle).await) }));
            }
        }
        if let Some((at, connection)) = self.waiting.next().await
            && let Some(bell) = self.bells.get_mut(at)
        {
            (bell.idle, bell.waiting) = (Some(connection), false);
        }
    }
}

async fn wait(address: RedisAddress, list: String, mut idle: Option<Connection>) -> Connection {
    let mut back_off = BackOff::new();
    loop {
        let connected = match idle.take() {
            Some(connection) => Ok(connection),
            None => address.blocking().await,
        };
        let looked = match connected {
            Ok(mut connection) => look(&mut connection, &list).await.map(|seen| (connection, seen)),
            Err(error) => Err(error),
        };
        match looked {
            Ok((connection, true)) => return connection,
            Ok((connection, false)) => {
                back_off.reset();
                idle = Some(connection);
            }
            Err(_) => back_off.pause().await,
        }
    }
}

async fn look(connection: &mut Connection, list: &str) -> Result<bool, RedisError> {
    let wait = BLOCK.as_secs_f64();
    let seen: Option<redis::Value> =
        connection.blmove(list, list, Direction::Right, Direction::Right, wait).await?;
    Ok(seen.is_some())
}
