//! How long a completion may take, and who hears how long it takes.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::{Delta, Listener};

/// How long the first token may take, besides the reading of the prompt: a large model on a small machine is
/// read from the disk in this time.
const FIRST: Duration = Duration::from_secs(120);

/// How many tokens of a prompt a small machine reads in a second.
const READ_SPEED: u64 = 40;

/// How long each next token may take.
const NEXT: Duration = Duration::from_secs(60);

/// How long an answer may take in all.
const WHOLE: Duration = Duration::from_secs(20 * 60);

/// How long is waited for what may still come behind a complete answer.
const AFTER: Duration = Duration::from_secs(5);

/// How long nobody is told that nothing comes.
const QUIET: Duration = Duration::from_secs(5);

/// The clock of one completion.
#[derive(Debug)]
pub(crate) struct Watch {
    begun: Instant,
    /// When the last token came; the beginning, before the first.
    heard: Instant,
    /// How long the next token may take.
    limit: Duration,
    first: Option<Duration>,
}

/// It took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expired {
    /// The next token, for this long.
    Silent(Duration),
    /// The whole answer, for this long.
    Endless(Duration),
}

impl Watch {
    /// Begins, for a prompt of about so many tokens.
    pub(crate) fn new(tokens: u64) -> Self {
        let begun = Instant::now();
        let limit = FIRST + Duration::from_secs(tokens / READ_SPEED);
        Self { begun, heard: begun, limit, first: None }
    }

    /// A token has come.
    pub(super) fn token(&mut self) {
        self.heard = Instant::now();
        self.limit = NEXT;
        self.first.get_or_insert(self.heard - self.begun);
    }

    /// The answer is complete.
    pub(super) fn complete(&mut self) {
        self.heard = Instant::now();
        self.limit = AFTER;
    }

    /// How long the first token took.
    pub(crate) fn first_token(&self) -> Option<Duration> {
        self.first
    }

    /// Waits for `future`. Once nothing has come for a while, `progress` hears so every second.
    pub(crate) async fn wait<F: Future + Send>(
        &self,
        future: F,
        progress: &mut Listener<'_>,
    ) -> Result<F::Output, Expired> {
        let mut future = pin!(future);
        let ends = (self.heard + self.limit).min(self.begun + WHOLE);
        loop {
            let now = Instant::now();
            if now >= self.begun + WHOLE {
                return Err(Expired::Endless(WHOLE));
            }
            if now >= ends {
                return Err(Expired::Silent(self.limit));
            }
            let waited = now - self.heard;
            let told = Duration::from_secs(waited.as_secs() + 1).max(QUIET);
            tokio::select! {
                biased;
                output = &mut future => return Ok(output),
                () = sleep_until(ends.min(self.heard + told)) => {}
            }
            let waited = self.heard.elapsed();
            if waited >= QUIET && Instant::now() < ends {
                progress(Delta::Waiting { waited, limit: self.limit });
            }
        }
    }
}
