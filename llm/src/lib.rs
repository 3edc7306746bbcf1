//! Language models of other people's servers.
//!
//! ```text
//!   Target + ApiKeys ──► Server ── CompletionRequest ──► a provider's API
//!                          ▲ ▲                               │
//!                          │ └── Listed: what it is ─────────┤
//!                          └──── Delta, then Gathered ───────┘
//! ```
//!
//! A server is asked for one completion at a time and streams what comes. It knows no action, no prompt, no session and no
//! file: whoever asks writes the request, and decides what a failure means for the next one.

mod target;

mod address;
mod api_keys;
mod size;
mod way;

mod picture;
mod request;

mod framing;
mod provider;
mod pull;
mod server;
mod wire;

mod completion;
mod delta;
mod ended;
mod error;
mod stream;

pub use address::is_openai;
pub use api_keys::{ApiKeys, Chosen};
pub use completion::{Call, Completion, Share, Usage};
pub use delta::{Delta, Listener};
pub use ended::Ended;
pub use error::ModelError;
pub use picture::Picture;
pub use provider::{Host, HostError, Listed, Refusal, SizedBy, Tokens};
pub use pull::{PullError, Pulling, pull};
pub use request::{Budget, CompletionRequest, Format, Message, Role, Tool};
pub use server::Server;
pub use size::is_small;
pub use stream::{Failure, Gathered};
pub use target::{BaseUrl, ProviderName, Target, TargetError};
pub use way::Way;
