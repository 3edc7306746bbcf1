//! The proxy as its clients and the servers behind it see it, on real sockets.
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it has found")]

mod kit;

mod forward;
mod inject;
mod limits;
mod redact;
mod refuse;
mod tunnel;
