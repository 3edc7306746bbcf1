//! The commands that a responder has handed over and not yet answered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use protocol::{MessageId, Reply};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::responder::Unanswered;

/// Which commands are open, so that they can be cancelled by id and waited for.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenCommands {
    tokens: Arc<Mutex<HashMap<MessageId, CancellationToken>>>,
    tasks: TaskTracker,
}

impl OpenCommands {
    /// Waits in the background for the answer and hands the reply to `write`.
    pub(crate) fn answer_with<F>(
        &self,
        unanswered: Unanswered,
        write: impl FnOnce(Reply) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send,
    {
        let id = unanswered.message_id.clone();
        if let Some(id) = &id {
            self.tokens().insert(id.clone(), unanswered.cancelled.clone());
        }
        let this = self.clone();
        self.tasks.spawn(async move {
            let reply = unanswered.reply().await;
            if let Some(id) = &id {
                this.tokens().remove(id);
            }
            write(reply).await;
        });
    }

    /// Cancels the command of this id, if it is open.
    pub(crate) fn cancel(&self, id: &MessageId) {
        if let Some(token) = self.tokens().get(id) {
            token.cancel();
        }
    }

    /// Waits until every open command is answered and its reply written.
    pub(crate) async fn drained(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    // A std mutex, because it is never held across an await. A poisoned map is still a map.
    fn tokens(&self) -> std::sync::MutexGuard<'_, HashMap<MessageId, CancellationToken>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
