//! Agent and router as two processes of one machine: the router is the agent's child, and each line of
//! its stdin and stdout is one [`protocol::Frame`].
//!
//! The router's clock is the broker's clock, and on one machine that is everybody's clock. What a queue on Redis
//! promises holds here as long as the agent lives, because the two ends remember different things:
//!
//! - The router's end knows the ids that came to it, so that each one runs once and has one reply.
//! - The agent's end knows what it has no reply to, so that nothing is lost with a router: it starts the next one
//!   and asks it again, with the word that it was asked before. What such a command has done already nobody knows,
//!   so the router's end counts it as begun.

mod lines;

mod deaths;
mod hearing;
mod keeper;
mod open;
mod requester;

mod intake;
mod known;
mod label;
mod lanes;
mod responder;

pub use deaths::Ended;
pub use keeper::{Pipe, Starter};
pub use requester::PipeRequester;
pub use responder::{PipePublisher, PipeResponder, responder};
