//! How much is left of the time that a look may take.

use std::time::Duration;

use tokio::time::Instant;

use crate::look::LookError;

/// The least that a step gets, so that a limit of the driver is never zero, which it takes for none.
const LEAST: Duration = Duration::from_millis(200);

/// The time of one look, and whose it is.
#[derive(Debug)]
pub(super) struct Clock {
    address: String,
    limit: Duration,
    end: Instant,
}

impl Clock {
    /// Begins to count.
    pub(super) fn start(address: &str, limit: Duration) -> Self {
        Self { address: address.to_owned(), limit, end: Instant::now() + limit }
    }

    /// What is left, at least a moment.
    pub(super) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now()).max(LEAST)
    }

    /// What is said when the time is over.
    pub(super) fn over(&self) -> LookError {
        LookError::Slow(self.address.clone(), self.limit)
    }

    /// What is said when there is no page.
    pub(super) fn no_page(&self, why: impl Into<String>) -> LookError {
        LookError::Page(self.address.clone(), why.into())
    }

    /// Does one step within what is left.
    ///
    /// # Errors
    /// [`LookError::Slow`].
    pub(super) async fn within<T>(&self, step: impl Future<Output = T>) -> Result<T, LookError> {
        tokio::time::timeout_at(self.end, step).await.map_err(|_| self.over())
    }
}
