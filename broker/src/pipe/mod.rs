//! Agent and router as two processes of one machine: the router is the agent's child, and each line of
//! its stdin and stdout is one [`protocol::Frame`].
//!
//! The router's clock is the broker's clock, and on one machine that is everybody's clock.

mod lines;
mod requester;
mod responder;

pub use requester::PipeRequester;
pub use responder::{PipePublisher, PipeResponder, responder};
