//! The commands that a responder has handed over and not yet answered.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use protocol::MessageId;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::responder::{Ending, Unanswered};

/// How many commands are remembered that were taken back before they came.
const TAKEN_BACK: usize = 1_000;

/// Which commands are open, so that they can be cancelled by id and waited for.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenCommands {
    known: Arc<Mutex<Known>>,
    tasks: TaskTracker,
}

#[derive(Debug, Default)]
struct Known {
    open: HashMap<MessageId, CancellationToken>,
    /// Taken back while they still waited on the queue, the latest last.
    taken_back: VecDeque<MessageId>,
}

impl OpenCommands {
    /// Waits in the background for the answer and hands the reply to `write`.
    pub(crate) fn answer_with<F>(
        &self,
        unanswered: Unanswered,
        cancelled: CancellationToken,
        write: impl FnOnce(Ending) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send,
    {
        let id = unanswered.message_id.clone();
        if let Some(id) = &id {
            let mut known = self.known();
            if let Some(at) = known.taken_back.iter().position(|other| other == id) {
                known.taken_back.remove(at);
                cancelled.cancel();
            }
            known.open.insert(id.clone(), cancelled);
        }
        let this = self.clone();
        self.tasks.spawn(async move {
            let ending = unanswered.ending().await;
            if let Some(id) = &id {
                this.known().open.remove(id);
            }
            write(ending).await;
        });
    }

    /// Cancels the command of this id: at once if it is open, else when it comes.
    pub(crate) fn cancel(&self, id: &MessageId) {
        let mut known = self.known();
        match known.open.get(id) {
            Some(token) => token.cancel(),
            None => {
                if known.taken_back.len() == TAKEN_BACK {
                    known.taken_back.pop_front();
                }
                known.taken_back.push_back(id.clone());
            }
        }
    }

    /// Waits until every open command is answered and its reply written.
    pub(crate) async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    // A std mutex, because it is never held across an await. Poisoned, both lists are still whole.
    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
