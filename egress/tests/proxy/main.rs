//! The proxy as its clients and the servers behind it see it, on real sockets.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

mod kit;

mod forward;
mod inject;
mod limits;
mod redact;
mod refuse;
mod tunnel;
