//! Signatures: a third writer on the queue can neither command a router nor answer for one.
//!
//! A signed message is the JSON object that it would be without, with two more fields at its very end, always in these
//! bytes and without white space:
//!
//! ```text
//! {"message_id":"m1", ... ,"key_id":"<8 hex>","mac":"<64 hex>"}
//!                         └─────────── the signature ───────┘
//! ```
//!
//! Readers of the first version ignore both. A verifier cuts them off and closes the brace: that is the
//! body, byte for byte what was signed. Nothing is written again to be compared, so two ways of writing one JSON value
//! can't be confused.
//!
//! `mac` is HMAC-SHA256 over these parts, each preceded by its length as eight bytes (big-endian), so that no two lists of
//! parts give the same input:
//!
//! | part | command | taken back | reply | event | catalogue |
//! |---|---|---|---|---|---|
//! | version | `safeclaw-sign-1` | the same | the same | the same | the same |
//! | direction and kind | `to-router command` | `to-router cancel` | `to-agent reply` | `to-agent event` | `to-agent catalog` |
//! | id | `message_id` | `cancel` | that of the command | | |
//! | session | `session` | | | that of its list | |
//! | deadline | `deadline` in decimal | | | | |
//! | body | the body | the body | the body | the body | the body |
//!
//! What does not apply, and what a command does not say, is empty. An agent puts in the id that it waits for and the session
//! whose list it reads, whatever the message says. The reply to a command that is not signed, or not as it should be, is
//! signed as `to-agent reply-to-unsigned`, which no agent with a key waits for: so it is no reply to the signed command
//! that may have the same id.
//!
//! Each direction has a key of its own ([`Keys`]): what a router has signed is no command, whoever sends it back.
//! `key_id` says which one, the first 8 hexadecimal digits of its SHA-256.
//!
//! `,"resent":true` may follow behind `mac` in a command, unsigned. It makes a router more careful, and who takes it away
//! has what was sent the first time, which could be sent again as well. So both sendings are one and the same signed
//! command.

mod keys;
mod message;

pub use keys::{KeyPair, Keys, KeysError};
pub use message::{About, BadSignature, Kind, RESENT};

/// How far `issued_at` of a signed command may be ahead of the broker's clock, in milliseconds: a minute.
pub const AHEAD_MOST_MS: u64 = 60_000;

/// How long after its `issued_at` the deadline of a signed command may be, in milliseconds: half an hour.
pub const LIFE_MOST_MS: u64 = 30 * 60_000;

/// How long after its deadline a signed command is remembered, in milliseconds: a minute.
pub const REMEMBERED_AFTER_MS: u64 = 60_000;
