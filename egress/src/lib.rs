//! What may be reached on the network, and a small forward proxy that enforces it.
//!
//! Whoever has no network of its own (a skill in its sandbox, later a browser) is given a [`Proxy`]. What
//! becomes of one request, in the order of the modules below:
//!
//! 1. The text that it asks for is parsed once, the way browsers do, into a [`Target`]. However a host is
//!    spelled (`0x7f.1`, `2130706433`, `[::ffff:127.0.0.1]`, `LOCALHOST.`), from here on there is one
//!    [`Host`] in one spelling, and nothing reads the text again.
//! 2. [`Rules`] compare it with the declared [`HostPattern`]s and say which [`Injection`]s belong to it, and
//!    whether it goes out over TLS.
//! 3. A [`Pinned`] is made: the name is resolved, each of its addresses is checked, and one that is not
//!    public, or is in a network of this machine, refuses the request, unless the owner allows that private host by name and port. Only a
//!    `Pinned` can be connected to, and it connects to the addresses that were checked: the name is never
//!    resolved a second time, so a resolver that changes its answer gains nothing.
//! 4. What was decided is told as an [`Attempt`], before the first byte leaves.
//! 5. The [`Proxy`] tunnels or forwards. Redirects go back to the client like any other response: when it
//!    follows one, that is a new request, and all of this happens again.
//!
//! What is refused is a [`Refusal`], for whoever declared the hosts or owns the machine. What went wrong on
//! the network is a [`Failure`]. Both say what to do next.

mod address;
mod endpoint;
mod mentioned;
mod target;
mod target_error;

mod hosts;
mod injection;
mod rules;

mod carried;
mod dial;
mod house;
mod idle;
mod resolve;
mod upstream;

mod error;
mod proxy;

pub use carried::Carried;
pub use dial::Pinned;
pub use endpoint::{Endpoint, Host};
pub use error::{Error, Failure, Refusal};
pub use hosts::{HostPattern, PatternError};
pub use house::inside;
pub use injection::{HeaderTemplate, Injection, InjectionError};
pub use mentioned::{address, is_address, is_link, mentioned};
pub use proxy::{Attempt, Decision, Listener, Proxy};
pub use resolve::{Resolve, SystemResolver};
pub use rules::{Route, Rules};
pub use target::{Origin, Scheme, Target};
pub use target_error::TargetError;
pub use upstream::{Limits, NoTls, Trust, TrustError, Upstream};
