//! The two ways in which providers cut a stream into frames.

/// How a stream is cut into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// One frame a line.
    Lines,
    /// Server-sent events.
    Events,
}
