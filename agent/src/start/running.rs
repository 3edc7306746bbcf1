//! All channels at work side by side, until the people, or a signal, have ended it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use channel::{Channel, ChannelError};
use protocol::{Principal, SessionKey};
use session::ChannelId;
use tokio::task::{Id, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::error::StartError;
use crate::registry::SessionRegistry;

/// How long the turns that run at the end may take to be written down, and channels to say so.
const FAREWELL: Duration = Duration::from_secs(2);

/// The channels that run.
struct Running {
    registry: Arc<SessionRegistry>,
    channels: JoinSet<Result<(), ChannelError>>,
    known: HashMap<Id, Known>,
}

/// A channel that runs.
struct Known {
    name: &'static str,
    place: ChannelId,
    has_people: bool,
}

/// Has people talk in `registry` over `channels` until all of them have ended, or `quit` is cancelled by one of them and it
/// has said its last words, or the agent is `terminated`.
///
/// # Errors
/// [`StartError::Channel`] when the last channel fails.
pub(super) async fn run(
    registry: SessionRegistry,
    channels: Vec<Box<dyn Channel>>,
    quit: CancellationToken,
    terminated: impl Future<Output = ()>,
) -> Result<(), StartError> {
    let registry = Arc::new(registry);
    let mut running = Running {
        registry: Arc::clone(&registry),
        channels: JoinSet::new(),
        known: HashMap::new(),
    };
    let (lines, heard): (Vec<_>, Vec<_>) =
        channels.iter().map(|channel| registry.connect(&**channel)).unzip();
    // What the start has left to be said is heard by all of them.
    registry.open(SessionKey::owner(), Principal::new("console:owner")?);
    for ((channel, line), heard) in channels.into_iter().zip(lines).zip(&heard) {
        let (name, has_people) = (channel.name(), channel.has_people());
        let known = Known { name, place: heard.place(), has_people };
        running.known.insert(running.channels.spawn(channel.run(line)).id(), known);
    }
    let mut serving = tokio::spawn(Arc::clone(&registry).serve(heard, quit.clone()));
    let ended = tokio::select! {
        ended = running.end(&quit) => ended,
        () = terminated => Ok(()),
    };
    // Whoever waited for a turn that still runs has left. It is stopped, and kept in the history.
    registry.leaving.cancel();
    if tokio::time::timeout(FAREWELL, &mut serving).await.is_err() {
        serving.abort();
    }
    let others = async { while running.channels.join_next().await.is_some() {} };
    // Their lines have ended; one that does not see that is dropped.
    let _ = tokio::time::timeout(FAREWELL, others).await;
    Ok(ended?)
}

impl Running {
    /// Waits until nobody can say anything any more. A channel that fails is said on the others, which go on.
    async fn end(&mut self, quit: &CancellationToken) -> Result<(), ChannelError> {
        while let Some(joined) = self.channels.join_next_with_id().await {
            let (id, ended) = match joined {
                Ok(ended) => ended,
                Err(error) => (error.id(), Err(self.panicked(error.id(), &error))),
            };
            if let Some(known) = self.known.remove(&id) {
                self.registry.hang_up(known.place);
            }
            if quit.is_cancelled() || !self.known.values().any(|known| known.has_people) {
                return ended;
            }
            if let Err(error) = ended {
                tracing::info!("{error}");
                self.registry.mind.lost.note(error.channel, error.reason.clone());
                self.registry.tell_owner(format!("{error}; the other channels go on"));
            }
        }
        Ok(())
    }

    fn panicked(&self, id: Id, error: &tokio::task::JoinError) -> ChannelError {
        let channel = self.known.get(&id).map_or("unknown", |known| known.name);
        ChannelError { channel, reason: error.to_string() }
    }
}

#[cfg(test)]
mod tests;
