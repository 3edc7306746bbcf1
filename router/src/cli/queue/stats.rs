//! `queue stats`: how the queue stands.

use broker::redis::look::{Look, Server, Standing};
use serde_json::json;

use super::QueueError;
use super::said::Said;
use super::words::{Side, Table, UNKNOWN, size, span, span_or_unknown};

pub(super) async fn say(look: &Look) -> Result<Said, QueueError> {
    let standing = look.standing().await?;
    let warnings = warnings(&standing);
    let mut document = json!(standing);
    document["warnings"] = json!(warnings);
    Ok(Said::new(words(&standing, &warnings), document))
}

/// What somebody should do something about.
fn warnings(standing: &Standing) -> Vec<String> {
    let server = &standing.server;
    let mut warnings = Vec::new();
    if server.append_only == Some(false) {
        warnings.push(
            "AOF is off, so a restart of Redis would lose commands: put `appendonly yes` into its \
            redis.conf (at once: `redis-cli config set appendonly yes`)"
                .to_owned(),
        );
    }
    let evicts = server.eviction.as_deref().is_some_and(|policy| policy != "noeviction");
    if evicts && server.memory_limit.is_some_and(|limit| limit > 0) {
        warnings.push(
            "when its memory is full, Redis would throw commands away: put `maxmemory-policy \
            noeviction` into its redis.conf"
                .to_owned(),
        );
    }
    if !standing.routers.iter().any(|router| router.alive) {
        let start = home::router_command("");
        warnings.push(format!("no router lives, so nothing is served: run `{start}`"));
    }
    warnings
}

fn words(standing: &Standing, warnings: &[String]) -> String {
    let Standing { queue, server, in_hand, dead_letters, .. } = standing;
    let mut text = format!("{queue} at {}\n", server.address);
    text.push_str(&server_line(server));
    warnings.iter().for_each(|warning| text.push_str(&format!("warning: {warning}\n")));

    let mut lanes =
        Table::new(&[("LANE", Side::Left), ("WAITING", Side::Right), ("OLDEST", Side::Left)]);
    for lane in &standing.lanes {
        let oldest = span_or_unknown(lane.oldest_ms);
        lanes.row([lane.lane.as_str().to_owned(), lane.waiting.to_string(), oldest]);
    }
    text.push_str(&format!("\n{}", lanes.lines()));

    let mut routers = Table::new(&[
        ("ROUTER", Side::Left),
        ("IN HAND", Side::Right),
        ("LAST SIGN OF LIFE", Side::Left),
    ]);
    for router in &standing.routers {
        let dead = if router.alive { "" } else { " (dead; not taken over yet)" };
        let seen = format!("{} ago{dead}", span(router.seen_ms));
        routers.row([router.router.clone(), router.in_hand.to_string(), seen]);
    }
    if !standing.routers.is_empty() {
        text.push_str(&format!("\n{}", routers.lines()));
    }
    text.push_str(&format!("\n{in_hand} in hand, {dead_letters} dead letters\n"));
    for (reason, count) in &standing.dead_letters_by_reason {
        text.push_str(&format!("  {reason}: {count}\n"));
    }
    text
}

fn server_line(server: &Server) -> String {
    let version = server.version.as_deref().unwrap_or("of a version that it does not tell");
    let keeps = match server.append_only {
        Some(true) => "keeps what it has (AOF is on)",
        Some(false) => "AOF is off",
        None => "whether AOF is on is not told",
    };
    let used = server.memory_used.map_or_else(|| UNKNOWN.to_owned(), size);
    let limit = match server.memory_limit {
        Some(0) => ", no limit".to_owned(),
        Some(limit) => format!(" of {}", size(limit)),
        None => String::new(),
    };
    format!("{version}; {keeps}; memory {used}{limit}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(append_only: Option<bool>, limit: u64, eviction: &str) -> Standing {
        let server = Server {
            address: "redis://h:1".to_owned(),
            version: Some("redis 7.0.15".to_owned()),
            append_only,
            memory_used: Some(1_500_000),
            memory_limit: Some(limit),
            eviction: Some(eviction.to_owned()),
        };
        Standing {
            queue: "q".to_owned(),
            server,
            lanes: Vec::new(),
            routers: Vec::new(),
            in_hand: 0,
            dead_letters: 0,
            dead_letters_by_reason: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn what_would_lose_commands_is_warned_of() {
        let none = "no router lives, so nothing is served: run `safeclaw router`";
        assert_eq!(warnings(&standing(Some(true), 0, "allkeys-lru")), [none]);
        assert_eq!(warnings(&standing(None, 10, "noeviction")), [none]);
        let both = warnings(&standing(Some(false), 10, "volatile-ttl"));
        assert!(both[0].starts_with("AOF is off"), "{both:?}");
        assert!(both[1].contains("noeviction"), "{both:?}");
    }

    #[test]
    fn the_server_is_told_in_one_line() {
        assert_eq!(
            server_line(&standing(Some(true), 0, "noeviction").server),
            "redis 7.0.15; keeps what it has (AOF is on); memory 1.5 MB, no limit\n"
        );
    }
}
