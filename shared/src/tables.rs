//! Which tables there are.

use std::time::Duration;

use super::Table;

const DAY: Duration = Duration::from_secs(24 * 3_600);
const WEEK: Duration = Duration::from_secs(7 * 24 * 3_600);

/// Questions to people, by their ids.
pub const APPROVALS: Table =
    Table { name: "approvals", lifetime: Some(WEEK), most: 256, synced: true };

/// What people have allowed for a while, a week at most, by ids.
pub const GRANTS: Table = Table {
    name: "grants",
    lifetime: Some(Duration::from_secs(8 * 24 * 3_600)),
    most: 256,
    synced: true,
};

/// How often the policy's counted rules have allowed something, by their ids. A rule that nobody has used for so long begins anew.
pub const SPENT: Table = Table {
    name: "spent",
    lifetime: Some(Duration::from_secs(400 * 24 * 3_600)),
    most: 1_024,
    synced: true,
};

/// What is known of each session, by its key. Whatever is kept of a session is forgotten a day after its last act.
pub const SESSIONS: Table =
    Table { name: "sessions", lifetime: Some(DAY), most: 4_096, synced: false };

/// The addresses that stood in what a session was shown, by its key.
pub const LINKS: Table = Table { name: "links", lifetime: Some(DAY), most: 4_096, synced: false };

/// The kill switch: whatever stands under `stop` stops everything.
pub const SWITCH: Table = Table { name: "switch", lifetime: None, most: 16, synced: true };

/// Which chats have entered the PIN, and how often it was typed wrong.
pub const PINS: Table = Table { name: "pins", lifetime: Some(WEEK), most: 256, synced: true };

/// The folder that a person has opened for a session's workbench, by its key.
pub const WORK: Table = Table { name: "work", lifetime: None, most: 256, synced: true };

/// What was exchanged with which host, by the name of the skill.
pub const NET: Table = Table {
    name: "net",
    lifetime: Some(Duration::from_secs(400 * 24 * 3_600)),
    most: 1_024,
    synced: false,
};
