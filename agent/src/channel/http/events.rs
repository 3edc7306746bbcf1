//! What is said in a session, as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::{Value, json};

use super::listener::{Ear, Next};

/// How often a silent stream says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// What an ear hears, as it comes. It ends where the ear's queue does.
pub(super) fn stream(ear: Ear) -> Response {
    let events = stream::unfold(Some(ear), |ear| async {
        let mut ear = ear?;
        let (value, is_last) = match ear.next().await {
            Next::Said(outgoing) => (serde_json::to_value(&*outgoing).unwrap_or_default(), false),
            Next::Missed => (missed(), true),
            Next::Over => return None,
        };
        Some((Ok::<Event, Infallible>(event(&value)), (!is_last).then_some(ear)))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

/// The last word to a reader that was too slow.
fn missed() -> Value {
    json!({"type": "missed", "text": "this reader was too slow, and the rest is not sent; connect again"})
}

fn event(value: &Value) -> Event {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("notice");
    Event::default().event(kind).data(value.to_string())
}
