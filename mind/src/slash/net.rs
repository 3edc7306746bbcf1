//! `/net`: tells which skill has talked to which host, by the router's own count.

use std::sync::Arc;

use answer::sanitize::one_line;
use async_trait::async_trait;
use protocol::Millis;
use serde_json::Value;
use session::Caller;
use when::ago;

use super::model::grouped;
use super::perform::{At, Perform, Read};

/// How many hosts are told at once.
const TOLD: usize = 40;

/// What is not in the router's count.
const OTHERS: &str = "The agent itself also talks to its model, to its channels and to the pages that it looks at; \
                      /model and /status say where they are.";

#[derive(Debug)]
struct Net;

pub(super) fn read(_: &str) -> Read {
    Ok(Arc::new(Net))
}

#[async_trait]
impl Perform for Net {
    async fn perform(&self, at: At<'_>) {
        match at.mind.actions.owner.net(&Caller::of(at.session)).await {
            Ok(hosts) => at.text(told(&hosts)),
            Err(stopped) => at.notice(stopped.message),
        }
    }
}

fn told(hosts: &[Value]) -> String {
    let mut lines: Vec<String> = hosts.iter().take(TOLD).map(line).collect();
    match hosts.len().saturating_sub(TOLD) {
        _ if hosts.is_empty() => lines.push("No skill has talked to any host yet.".to_owned()),
        0 => {}
        more => lines.push(format!("and {more} more hosts, longer ago")),
    }
    lines.push(OTHERS.to_owned());
    lines.join("\n")
}

/// `WEB_FETCH and example.com:443: 2 requests, 1,204 bytes sent, 88,120 received; the first 2 h ago, the latest 5 s ago`.
fn line(row: &Value) -> String {
    let text = |key: &str| one_line(row.get(key).and_then(Value::as_str).unwrap_or_default());
    let number = |key: &str| row.get(key).and_then(Value::as_u64).unwrap_or_default();
    let now = Millis::of_this_machine();
    let when = |key: &str| ago(now.since(Millis(number(key))));
    let refused = match number("refused") {
        0 => String::new(),
        count => format!(", {} refused", grouped(count)),
    };
    let requests = if number("allowed") == 1 { "request" } else { "requests" };
    format!(
        "{} and {}: {} {requests}{refused}, {} bytes sent, {} received; the first {}, the latest {}",
        text("skill"),
        text("host"),
        grouped(number("allowed")),
        grouped(number("sent")),
        grouped(number("received")),
        when("since"),
        when("last"),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_host_is_one_line() {
        let row = json!({
            "skill": "WEB_FETCH", "host": "a.example:443", "since": 1, "last": 1, "allowed": 1,
            "refused": 2, "sent": 1204, "received": 88120,
        });
        let told = line(&row);
        let begin = "WEB_FETCH and a.example:443: 1 request, 2 refused, 1,204 bytes sent, 88,120 received; ";
        assert!(told.starts_with(begin), "{told}");
    }
}
