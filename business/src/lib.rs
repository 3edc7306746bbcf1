//! Who is answered and how: the modes of chats, what customers may take, and what a business says to them.
//!
//! | file | |
//! |---|---|
//! | `mode.rs` | the modes, and the order in which a message is judged |
//! | `chats.rs` | `chats.json`: the chats that are known, with their modes and what each has taken today |
//! | `invitation.rs` | a code that is hard to guess |
//! | `guests.rs` | those whom the owner allows, and who joins with a code |
//! | `rate.rs` | how fast one sender may write |
//! | `profile.rs` | `business.json`: what the owner says of the business |
//! | `setup.rs` | the questions that `/business setup` asks |
//! | `persona.rs` | what a model is told that answers customers |
//! | `concern.rs` | what a customer's message is, as a model sorts it |
//! | `escalation.rs` | which questions are for a person, and what is said then |
//! | `open_escalations.rs` | `escalations.json`: the questions for a person that nobody has answered yet |
//! | `wary.rs` | `injection.log`: what looks like an attempt to lead the model astray |
//! | `reception.rs` | all of it together, as the agent uses it |
//! | `reception/escalated.rs` | the questions that are passed on, until somebody answers them |
//! | `reception/admission.rs` | which messages of customers are answered, and what their senders may take |
//!
//! Nothing here talks with anybody: it decides, and keeps its four files.

mod chats;
mod concern;
mod escalation;
mod guests;
mod invitation;
mod mode;
mod open_escalations;
mod persona;
mod profile;
mod rate;
mod reception;
mod setup;
mod wary;

pub use chats::{ChatBook, KnownChat, PICKED, SEARCHED};
pub use concern::{CONCERNS, Concern, SORTED, SORTING};
pub use escalation::{Escalation, names};
pub use guests::{Guests, Joined};
pub use invitation::{CodeTry, Invitation};
pub use mode::{BotMode, ChatMode, ChatStanding, Route};
pub use open_escalations::{OpenEscalation, OpenEscalations};
pub use profile::{Page, Profile, Topic};
pub use reception::{Admitted, Allowance, Channels, GUESTS_COMMANDS, NotedIn, Reception};
pub use setup::{Answered, Setup};
