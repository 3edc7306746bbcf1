//! The wall's window: a page of the router's own on which its owner sees the wall at work, answers its questions, and stops it.
//!
//! ```text
//!   the owner's browser ──► loopback (connections) ──► gate (who, from where) ──► routes ──► Wall (the router)
//! ```
//!
//! The agent must never be able to open it, and the agent serves pages to the same browser. Browsers send a cookie to every port
//! of a host, so the window sets none and reads none: it listens on a loopback address of its own, and its page shows a token in a
//! header, which it keeps where a browser lets no page of another port look. Codes and tokens are good for one life of the router,
//! so that nothing that was shown to whoever took its port meanwhile opens anything.
//!
//! ```text
//! GET  /              the page; its files stand in window/web and are everybody's
//! POST /v1/open       {"code": "..."}: uses a link's code up, and gives the token
//! GET  /v1/sight      how everything stands
//! GET  /v1/rows       the audit log's newest rows
//! POST /v1/verify     whether every row is as it was written
//! POST /v1/explain    what the policy decides about a call
//! POST /v1/deeds      does something
//! POST /v1/lock       forgets this page's token
//! GET  /metrics       numbers for Prometheus, with a token of their own
//! ```

mod address;
mod key;

mod wall;

mod door;
mod gate;

mod files;
mod history;
mod routes;
mod window;

pub use address::{Address, AddressError};
pub use key::{KeyError, KeyFile};
pub use wall::{
    Deed, Done, Explain, Proof, QueueSight, Rows, Running, ShownEnd, ShownGrant, ShownLetter,
    ShownQuestion, ShownSkill, ShownTraffic, Sight, Stop, Trouble, Wall,
};
pub use window::Window;
