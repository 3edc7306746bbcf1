//! `queue list`: what runs and what waits.

use broker::redis::look::{Entry, Lane, Listed, Look};
use serde_json::json;

use super::QueueError;
use super::said::Said;
use super::words::{Side, Table, UNKNOWN, left, size, span_or_unknown};

/// How much of a router's name tells it from others: its end, for the beginning is the time.
const TOLD_OF_ROUTER: usize = 8;

pub(super) async fn say(look: &Look, lane: Option<Lane>, limit: usize) -> Result<Said, QueueError> {
    let listed = look.list(lane, limit).await?;
    let document = json!({ "commands": listed.entries, "total": listed.total });
    Ok(Said::new(words(&listed, lane), document))
}

fn words(listed: &Listed, lane: Option<Lane>) -> String {
    if listed.entries.is_empty() {
        return match lane {
            Some(lane) => format!("nothing waits in the lane {}\n", lane.as_str()),
            None => "nothing waits, nothing runs\n".to_owned(),
        };
    }
    let mut table = Table::new(&[
        ("ID", Side::Left),
        ("ACTION", Side::Left),
        ("WHERE", Side::Left),
        ("BEGUN", Side::Right),
        ("AGE", Side::Left),
        ("DEADLINE IN", Side::Left),
        ("SESSION", Side::Left),
    ]);
    listed.entries.iter().for_each(|entry| table.row(row(entry)));
    let shown = listed.entries.len();
    let mut text = table.lines();
    if listed.total > shown as u64 {
        text.push_str(&format!("\n{shown} of {} are shown; --limit shows more\n", listed.total));
    }
    text
}

fn row(entry: &Entry) -> [String; 7] {
    let known = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.to_owned());
    let action = match entry.readable {
        true => known(&entry.action),
        false => format!("(unreadable, {})", size(entry.bytes)),
    };
    [
        known(&entry.id),
        action,
        place(entry),
        entry.attempts.to_string(),
        span_or_unknown(entry.age_ms),
        left(entry.left_ms),
        known(&entry.session),
    ]
}

/// Where a command is, in a few words.
pub(super) fn place(entry: &Entry) -> String {
    let place = match &entry.router {
        Some(router) => {
            let from = router.char_indices().rev().nth(TOLD_OF_ROUTER - 1).map_or(0, |(at, _)| at);
            format!("running at ..{}", &router[from..])
        }
        None => entry.lane.as_str().to_owned(),
    };
    if entry.cancelled { format!("{place}, cancelled") } else { place }
}
