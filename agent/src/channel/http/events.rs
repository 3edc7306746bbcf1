//! What is said in a session, as server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use futures::stream;
use protocol::SessionKey;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use super::told::Told;
use crate::channel::{Addressed, Outgoing, Ticket};

/// How often a silent stream says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// What is heard in one session.
pub(super) struct Ear {
    pub(super) session: SessionKey,
    pub(super) heard: Receiver<Arc<Addressed>>,
    pub(super) over: CancellationToken,
}

/// What an ear hears next.
#[derive(Debug)]
pub(super) enum Next {
    /// Something is said.
    Said(Arc<Addressed>),
    /// So many were missed.
    Missed(u64),
    /// Nothing any more.
    Over,
}

impl Ear {
    /// The next thing that is said in the session.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            let heard = tokio::select! {
                heard = self.heard.recv() => heard,
                () = self.over.cancelled() => return Next::Over,
            };
            match heard {
                Ok(addressed) if addressed.session == self.session => return Next::Said(addressed),
                Ok(_) => {}
                Err(RecvError::Lagged(count)) => return Next::Missed(count),
                Err(RecvError::Closed) => return Next::Over,
            }
        }
    }

    /// What belongs to the message with this ticket, up to its end. It begins with what is said of its waiting.
    pub(super) async fn next_of(&mut self, ticket: Ticket, begun: &mut bool) -> Next {
        loop {
            let next = self.next().await;
            let Next::Said(addressed) = &next else { return next };
            let (is_its, begins) = match &addressed.outgoing {
                Outgoing::Begin { ticket: of, .. } => (*of == ticket, *of == ticket),
                Outgoing::Queued { ticket: of, .. } | Outgoing::Refused { ticket: of, .. } => {
                    (*of == ticket, false)
                }
                _ => (*begun, false),
            };
            *begun |= begins;
            if is_its {
                return next;
            }
        }
    }
}

/// All that an ear hears.
pub(super) fn all(ear: Ear) -> Response {
    respond(stream::unfold(ear, |mut ear| async {
        let event = match ear.next().await {
            Next::Said(addressed) => Told::from(&addressed.outgoing).event(),
            Next::Missed(count) => Told::Missed { count }.event(),
            Next::Over => return None,
        };
        Some((event, ear))
    }))
}

/// The answer to the message with this ticket, as it comes.
pub(super) fn answer(ear: Ear, ticket: Ticket) -> Response {
    respond(stream::unfold(Some((ear, false)), move |state| async move {
        let (mut ear, mut begun) = state?;
        let (event, is_last) = match ear.next_of(ticket, &mut begun).await {
            Next::Said(addressed) => {
                let outgoing = &addressed.outgoing;
                let is_last = matches!(outgoing, Outgoing::End | Outgoing::Refused { .. });
                (Told::from(outgoing).event(), is_last)
            }
            Next::Missed(count) => (Told::Missed { count }.event(), false),
            Next::Over => return None,
        };
        Some((event, (!is_last).then_some((ear, begun))))
    }))
}

fn respond(events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let events = futures::StreamExt::map(events, Ok::<Event, Infallible>);
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}
