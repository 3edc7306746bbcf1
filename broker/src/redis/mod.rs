//! Agent and router as processes that share a Redis (or what speaks like one).
//!
//! Commands are pushed on the left of a list and taken from its right; each reply is a list of its own. Names and
//! formats are [`protocol::QueueNames`] and are those of the first SafeClaw. Around them stands what makes sure
//! that no command is lost. Every step below is one script, so it happens at one moment of the server's clock with nothing
//! in between, and one that is broken off leaves a command in two places rather than in none (on a cluster, an end is three
//! steps, each of which can be repeated):
//!
//! ```text
//!              claim                    finish
//!   queued ───────────► in a router's ─────────► done: the reply is kept for 10 minutes and sent
//!   in a lane           hands            │
//!     ▲  │              ▲  │             └─────► and a dead letter beside it, when it was given up
//!     │  │ claim        │  │ the router died (reap, take over), or handed it back (put_back),
//!     │  └─► done       │  │ or the claim's answer got lost (beat)
//!     │  (expired, known│  ▼
//!   agent  cancelled …) └─ again: a lane of its own, where it is kept how often it was begun
//! ```
//!
//! - A lane is a list: `hi`, the queue itself, `lo`; `again`, and `stale` for what nobody waits for any more.
//! - What a router has in its hands is a hash of its own, field to command. It dies with nobody: another router
//!   empties it once the owner has given no sign of life for a while.
//! - The state of a command's id is one string: nothing, `running <router> <field>`, `again`, `cancelled` or
//!   `done <reply>`. It is why a copy is never run beside or after the first one, and why a router that was
//!   thought dead can't speak the last word once another has begun.
//! - A router waits for work with bells, which take nothing, so no command is ever on its way to a reader that
//!   may be gone.

mod key_file;
mod keys;
mod link;
mod place;
mod terms;

mod feed;
mod requester;
mod sent;

mod begun;
mod bells;
mod claim;
mod control;
mod responder;
mod seal;
mod watch;

mod hands;
mod life;
mod lives;

mod alive;
mod ending;
mod letter;
mod publisher;
mod scripts;
mod store;
mod sweep;

pub mod acl;
pub mod look;

pub use key_file::KeyFileError;
pub use letter::DeadLetter;
pub use link::{AddressError, RedisAddress};
pub use place::QueuePlace;
pub use publisher::RedisPublisher;
pub use requester::RedisRequester;
pub use responder::{RedisResponder, responder};
pub use store::RedisStore;
pub use terms::Terms;
