//! What is said in a session, as server-sent events.

use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt as _, stream};
use loopback::{UNBUFFERED, alive, alive_for_pages};
use serde_json::{Value, json};

use super::listener::{Ear, Next};
use super::told::Told;

/// What an ear hears, as it comes. It ends where the ear's queue does.
pub(super) fn stream(ear: Ear) -> Response {
    sent(heard(ear, |told| event(&told.what.json())), alive())
}

/// `first`, then what an ear hears, made into events by `event`, until `over` says that its reader may hear no more.
pub(super) fn page_stream(
    first: Vec<Event>,
    ear: Ear,
    event: impl Fn(&Told) -> Event + Send + 'static,
    over: impl Future<Output = ()> + Send + 'static,
) -> Response {
    let events = stream::iter(first).chain(heard(ear, event)).take_until(Box::pin(over));
    sent(events, alive_for_pages())
}

fn sent(events: impl Stream<Item = Event> + Send + 'static, alive: KeepAlive) -> Response {
    let events = Sse::new(events.map(Ok::<Event, Infallible>)).keep_alive(alive);
    (UNBUFFERED, events).into_response()
}

fn heard(
    ear: Ear,
    event: impl Fn(&Told) -> Event + Send + 'static,
) -> impl Stream<Item = Event> + Send + 'static {
    stream::unfold(Some((ear, event)), |state| async {
        let (mut ear, event) = state?;
        match ear.next().await {
            Next::Said(told) => Some((event(&told), Some((ear, event)))),
            Next::Missed => Some((self::event(&missed()), None)),
            Next::Over => None,
        }
    })
}

/// The last word to a reader that was too slow.
fn missed() -> Value {
    json!({"type": "missed", "text": "this reader was too slow, and the rest is not sent; connect again"})
}

/// `value` as an event; its `type` is the event's name.
pub(super) fn event(value: &Value) -> Event {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or("notice");
    Event::default().event(kind).data(value.to_string())
}
