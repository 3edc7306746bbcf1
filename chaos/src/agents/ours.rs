//! Agents of this version: the broker's real end, with short patience and second thoughts at times.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use broker::redis::{RedisAddress, RedisRequester};
use broker::{RequestError, Requester};
use protocol::{ActionName, Command, Envelope, MessageId, Object, Priority, QueueNames};
use serde_json::Value;
use tokio::time::sleep;

use super::{LONG, Orders, PAUSE_MS};
use crate::router::{AGAIN, ONCE};

/// Asks one thing after the other.
pub(super) async fn ask(mut orders: Orders) -> Result<()> {
    let agent = Arc::new(requester(&orders.url)?);
    let mut count = 0;
    while orders.goes_on(PAUSE_MS).await {
        let once = orders.rng.u8(..10) < 3;
        let command = command(&orders.id(count), once, orders.rng.u8(..3))?;
        let hasty = orders.rng.u8(..100) < 12;
        let wait = if hasty { Duration::from_millis(orders.rng.u64(120..400)) } else { LONG };
        if orders.rng.u8(..100) < 8 {
            let (agent, id) = (Arc::clone(&agent), command.message_id.clone());
            let pause = Duration::from_millis(orders.rng.u64(..40));
            tokio::spawn(async move {
                sleep(pause).await;
                agent.cancel(&id).await;
            });
        }
        send(&orders, &agent, command, wait).await;
        count += 1;
    }
    Ok(())
}

/// Sends commands once everything is healed: all must be answered.
pub(crate) async fn probe(orders: Orders, commands: u64) -> Result<()> {
    let agent = requester(&orders.url)?;
    for count in 0..commands {
        let command = command(&orders.id(count), count % 2 == 0, 1)?;
        ensure!(
            send(&orders, &agent, command, LONG).await,
            "a command is not answered after everything is healed"
        );
    }
    Ok(())
}

fn requester(url: &str) -> Result<RedisRequester> {
    RedisRequester::new(RedisAddress::new(url)?, QueueNames::default()).map_err(anyhow::Error::msg)
}

fn command(id: &str, once: bool, priority: u8) -> Result<Command> {
    let priority = Priority::try_from(priority).unwrap_or_default();
    Ok(Command {
        message_id: MessageId::new(id)?,
        action: ActionName::new(if once { ONCE } else { AGAIN })?,
        params: Object::new(),
        envelope: Envelope { priority, ..Envelope::current() },
    })
}

/// Sends a command and notes what became of it; says whether there was a reply.
async fn send(orders: &Orders, agent: &RedisRequester, command: Command, wait: Duration) -> bool {
    let id = command.message_id.to_string();
    orders.ledger.sending(&id, command.action.as_str() == ONCE);
    if wait == LONG {
        orders.ledger.patient(&id);
    }
    match agent.request(command, wait).await {
        Ok(reply) => {
            orders.ledger.heard(&id, Value::Object(reply.fields));
            return true;
        }
        Err(RequestError::NoReply { .. }) => orders.ledger.accepted(&id),
        Err(RequestError::Unsent { .. } | RequestError::Full { .. }) => orders.ledger.refused(&id),
        Err(_) => {}
    }
    false
}
