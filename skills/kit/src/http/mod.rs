//! A small HTTP client for skills: one request at a time, through the router's proxy.
//!
//! It asks the proxy in absolute form (`POST https://api.x.com/2/tweets HTTP/1.1`, RFC 9112 section 3.2.2)
//! in plain text, and the proxy speaks TLS to the host. That is what lets the proxy fill in a secret's
//! header without an interception certificate, and why this client knows no TLS and needs no certificates.
//!
//! An [`Error`] tells apart who can act: the wall refused (the manifest or the owner's configuration has to
//! change), the host could not be reached (try later), or the API answered with an error (its words say
//! what to change).

mod client;
mod error;
mod redirect;
mod request;
mod response;
mod words;

pub use client::Client;
pub use error::Error;
pub use redirect::MAX_REDIRECTS;
pub use request::{DEFAULT_TIMEOUT, Request};
pub use response::{MAX_BODY, Prefix, Response};
