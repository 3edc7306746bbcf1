//! Ctrl-C as a signal. While a line is edited it is a key, and the editor's own.

use std::io;

use futures::FutureExt;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The interrupts of this process, which from now on do not end it by themselves.
#[derive(Debug)]
pub(super) struct Interrupts(Signal);

impl Interrupts {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(signal(SignalKind::interrupt())?))
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        // The stream of a signal never ends.
        let _ = self.0.recv().await;
    }

    /// Forgets those that came before now: they were meant for something else.
    pub(super) fn forget(&mut self) {
        while self.0.recv().now_or_never().is_some() {}
    }
}
