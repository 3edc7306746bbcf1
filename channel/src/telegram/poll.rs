//! Asks Telegram for what people have said, for as long as the agent lives.

use std::mem::discriminant;
use std::sync::Arc;
use std::time::Duration;

use bot::{Client, Fault, Me};
use tokio::sync::mpsc;
use tokio::time::sleep;

use super::take::Strangers;
use super::{Shared, commands, take};
use crate::Incoming;

/// The first and the longest wait after a failure.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Who the bot is, as soon as Telegram can be asked.
pub(super) async fn introduced(client: &Client) -> Result<Me, Fault> {
    let mut outage = Outage::default();
    loop {
        match client.me().await {
            Err(fault) if fault.passes() => outage.wait(&fault).await,
            known => {
                outage.over();
                return known;
            }
        }
    }
}

/// Takes what comes. It ends only when nothing can come any more with this token.
pub(super) async fn run(
    shared: &Arc<Shared>,
    incoming: &mpsc::Sender<Incoming>,
) -> Result<(), Fault> {
    let mut outage = Outage::default();
    let mut strangers = Strangers::default();
    if let Err(fault) = shared.client.offer(commands::offered()).await {
        tracing::warn!("Telegram does not offer the agent's commands: {fault}");
    }
    loop {
        let updates = match shared.client.updates(shared.journal.offset()).await {
            Ok(updates) => updates,
            Err(Fault::Token) => return Err(Fault::Token),
            Err(Fault::Webhook) => {
                tracing::warn!(
                    "{}; it is removed, for the agent asks for them itself",
                    Fault::Webhook
                );
                match shared.client.delete_webhook().await {
                    Ok(()) => continue,
                    Err(fault) => {
                        outage.wait(&fault).await;
                        continue;
                    }
                }
            }
            Err(fault) => {
                outage.wait(&fault).await;
                continue;
            }
        };
        outage.over();
        let mut updates = updates;
        updates.sort_by_key(|update| update.id);
        for update in updates {
            if !take::take(shared, update, incoming, &mut strangers).await {
                // The agent ends; what is still said is heard by others.
                return std::future::pending().await;
            }
        }
    }
}

/// A time in which Telegram can't be asked. It is said once for each of its reasons, and when it is over.
#[derive(Debug, Default)]
struct Outage {
    last: Option<Fault>,
    pause: Option<Duration>,
}

impl Outage {
    async fn wait(&mut self, fault: &Fault) {
        if self.last.as_ref().map(discriminant) != Some(discriminant(fault)) {
            tracing::warn!("{fault}; trying again");
            self.last = Some(fault.clone());
        }
        let pause = self.pause.map_or(AGAIN.0, |pause| (pause * 2).min(AGAIN.1));
        self.pause = Some(pause);
        sleep(if let Fault::Pause(told) = fault { *told } else { pause }).await;
    }

    fn over(&mut self) {
        if self.last.is_some() {
            tracing::warn!("Telegram is reached again");
        }
        *self = Self::default();
    }
}
