//! What comes of a completion while it comes.

use std::time::Duration;

/// Who hears how a completion gets on.
pub type Listener<'l> = dyn for<'d> FnMut(Delta<'d>) + Send + 'l;

/// A piece of a completion. What it took, its calls and why it ended come at its end, in [`Gathered`](crate::Gathered).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delta<'d> {
    /// The next piece of the text, raw.
    Text(&'d str),
    /// Nothing has come for a while.
    Waiting {
        /// How long by now.
        waited: Duration,
        /// How long it may take in all.
        limit: Duration,
    },
}
