//! Agents that send the same thing many times, far too much at once, or nonsense.

use anyhow::Result;
use protocol::QueueNames;
use tokio::time::Instant;

use super::first::{payload, reply_list};
use super::{LONG, Orders, PAUSE_MS};
use crate::ledger::Fate;
use crate::router::WAITING_MOST;
use crate::wire::Wire;

/// The longest pauses between two floods and between two pieces of nonsense, in milliseconds.
const BETWEEN_FLOODS_MS: u64 = 5_000;
const BETWEEN_NONSENSE_MS: u64 = 300;

/// Sends three to five copies of each command, and one more after the reply.
pub(super) async fn copy(mut orders: Orders) -> Result<()> {
    let (mut wire, names) = (Wire::new(&orders.url)?, QueueNames::default());
    let mut count = 0;
    while orders.goes_on(PAUSE_MS).await {
        let (id, once) = (orders.id(count), orders.rng.bool());
        orders.ledger.sending(&id, once);
        let copies = vec![payload(&id, once); orders.rng.usize(3..=5)];
        for copies in [copies, vec![payload(&id, once)]] {
            if wire.push(names.commands(), &copies).await.is_err() {
                break;
            }
            orders.ledger.accepted(&id);
            let Some(reply) = wire.pop(&reply_list(&id), Instant::now() + LONG).await else {
                break;
            };
            orders.ledger.heard(&id, reply);
        }
        count += 1;
    }
    Ok(())
}

/// Sends half as much again as may wait, all at once, and does not look for replies.
pub(super) async fn flood(mut orders: Orders) -> Result<()> {
    let (mut wire, names) = (Wire::new(&orders.url)?, QueueNames::default());
    let mut count = 0;
    while orders.goes_on(BETWEEN_FLOODS_MS).await {
        let flood: Vec<_> = (count..).take(WAITING_MOST * 3 / 2).map(|at| orders.id(at)).collect();
        count += flood.len() as u64;
        flood.iter().for_each(|id| orders.ledger.sending(id, id.ends_with('7')));
        let payloads: Vec<_> = flood.iter().map(|id| payload(id, id.ends_with('7'))).collect();
        if wire.push(names.commands(), &payloads).await.is_ok() {
            flood.iter().for_each(|id| orders.ledger.accepted(id));
        }
    }
    Ok(())
}

/// Sends what is no command.
pub(super) async fn babble(mut orders: Orders) -> Result<()> {
    let (mut wire, names) = (Wire::new(&orders.url)?, QueueNames::default());
    let mut count = 0;
    while orders.goes_on(BETWEEN_NONSENSE_MS).await {
        let mark = format!("{};", orders.id(count));
        let pushed = wire.push(names.commands(), &[nonsense(&mark, count)]).await;
        let fate = if pushed.is_ok() { Fate::Accepted } else { Fate::Unknown };
        orders.ledger.malformed(&mark, fate);
        count += 1;
    }
    Ok(())
}

/// A payload that is no command, with a mark by which it is found again.
fn nonsense(mark: &str, kind: u64) -> Vec<u8> {
    let text = match kind % 8 {
        0 => return [b"\xff\xfe\x00 ", mark.as_bytes(), b"\xc3"].concat(),
        1 => format!("[\"{mark}\",{}", "[".repeat(100_000)),
        2 => format!("{{\"mark\":\"{mark}\",\"text\":\"{}\"}}", "x".repeat(300_000)),
        3 => format!(
            "{{\"message_id\":\"{mark}\\r\\n\\u0000\",\"action\":\"LOOK\",\"params\":{{}}}}"
        ),
        4 => format!("[\"{mark}\"]"),
        5 => format!("{{\"params\":\"{mark}\",\"message_id\":null,\"action\":\"LOOK\"}}"),
        6 => format!("{{\"mark\":\"{mark}\",\"a\":{}1{}}}", "[".repeat(2_000), "]".repeat(2_000)),
        _ => format!("{{\"message_id\":\"\",\"action\":\"../{mark}\",\"params\":{{}}"),
    };
    text.into_bytes()
}
