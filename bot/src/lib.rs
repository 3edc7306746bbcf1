//! Telegram's Bot API (https://core.telegram.org/bots/api): the methods that are used, what they fail with, and text as
//! its messages hold it. It knows nothing of sessions, turns and people's rights.

mod client;
mod fault;
mod markup;
mod pairing;
mod sheet;
mod styled;

pub use client::{Around, Client, Me};
pub use fault::Fault;
pub use markup::read;
pub use pairing::{PairError, Paired, Pairing, private};
pub use sheet::{Change, Sheet};
pub use styled::{LONGEST, Mark, Styled};
