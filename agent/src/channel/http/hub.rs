//! What stands between the line to the agent and the requests that come and go.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::SessionKey;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use crate::channel::{Addressed, Incoming, Outgoing};

/// How much may be said before whoever is slow misses some of it.
const BEHIND: usize = 1024;

/// The way in, and what is heard.
#[derive(Debug, Clone)]
pub(super) struct Hub {
    incoming: mpsc::Sender<Incoming>,
    heard: broadcast::Sender<Arc<Addressed>>,
    busy: Arc<Mutex<BTreeSet<SessionKey>>>,
    over: CancellationToken,
}

impl Hub {
    /// A hub whose messages go to `incoming`.
    pub(super) fn new(incoming: mpsc::Sender<Incoming>) -> Self {
        let (heard, _) = broadcast::channel(BEHIND);
        Self { incoming, heard, busy: Arc::default(), over: CancellationToken::new() }
    }

    /// Passes on what the agent says, until it ends.
    pub(super) async fn hear(&self, mut outgoing: mpsc::UnboundedReceiver<Addressed>) {
        while let Some(addressed) = outgoing.recv().await {
            match addressed.outgoing {
                Outgoing::Begin { .. } => drop(self.busy().insert(addressed.session.clone())),
                Outgoing::End => drop(self.busy().remove(&addressed.session)),
                _ => {}
            }
            // Nobody has to listen.
            let _ = self.heard.send(Arc::new(addressed));
        }
        self.over.cancel();
    }

    /// Cancelled when the agent has ended.
    pub(super) fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// All that is said from now on.
    pub(super) fn listen(&self) -> broadcast::Receiver<Arc<Addressed>> {
        self.heard.subscribe()
    }

    /// Says something to the agent; `false` when it has ended.
    pub(super) async fn say(&self, incoming: Incoming) -> bool {
        self.incoming.send(incoming).await.is_ok()
    }

    /// The sessions in which something is being answered.
    pub(super) fn busy_sessions(&self) -> Vec<SessionKey> {
        self.busy().iter().cloned().collect()
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn busy(&self) -> MutexGuard<'_, BTreeSet<SessionKey>> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
