//! Agents of the first version: no deadline, one lane, and nothing is sent again.

use anyhow::Result;
use protocol::{DEFAULT_RESPONSE_PREFIX, QueueNames};
use serde_json::json;
use tokio::time::Instant;

use super::{LONG, Orders, PAUSE_MS};
use crate::router::{AGAIN, ONCE};
use crate::wire::Wire;

/// Asks one thing after the other.
pub(super) async fn ask(mut orders: Orders) -> Result<()> {
    let (mut wire, names) = (Wire::new(&orders.url)?, QueueNames::default());
    let mut count = 0;
    while orders.goes_on(PAUSE_MS).await {
        let (id, once) = (orders.id(count), orders.rng.u8(..10) < 3);
        orders.ledger.sending(&id, once);
        if wire.push(names.commands(), &[payload(&id, once)]).await.is_ok() {
            orders.ledger.accepted(&id);
            if let Some(reply) = wire.pop(&reply_list(&id), Instant::now() + LONG).await {
                orders.ledger.heard(&id, reply);
            }
        }
        count += 1;
    }
    Ok(())
}

/// A command as the first version writes it.
pub(super) fn payload(id: &str, once: bool) -> Vec<u8> {
    let action = if once { ONCE } else { AGAIN };
    json!({"message_id": id, "action": action, "params": {}}).to_string().into_bytes()
}

pub(super) fn reply_list(id: &str) -> String {
    format!("{DEFAULT_RESPONSE_PREFIX}{id}")
}
