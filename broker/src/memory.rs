//! Both ends in one process, for tests: the pipe's own protocol over a buffer in memory.

use tokio_util::sync::CancellationToken;

use crate::pipe::{PipePublisher, PipeRequester, PipeResponder};

/// An agent's end and a router's end that talk to each other.
///
/// The router's end closes when `shutdown` is cancelled or the agent's end is dropped. Must be called
/// within a tokio runtime.
#[must_use]
pub fn pair(shutdown: CancellationToken) -> (PipeRequester, PipeResponder, PipePublisher) {
    let (agent, router) = tokio::io::duplex(64 * 1024);
    let (from_router, to_router) = tokio::io::split(agent);
    let (from_agent, to_agent) = tokio::io::split(router);
    let (responder, publisher) = crate::pipe::responder(from_agent, to_agent, shutdown);
    (PipeRequester::new(from_router, to_router), responder, publisher)
}
