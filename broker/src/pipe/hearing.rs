//! What an agent hears from its routers, one after the other.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{Catalog, Event, EventKind, Frame, Reply, SessionKey};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, BufReader};
use tokio::sync::{mpsc, watch};

use super::keeper::Pipe;
use super::lines::{self, FrameWriter, Line};
use super::open::OpenCommands;
use crate::clock::Clock;

/// Where the newest catalogue is shown.
pub(super) type Published = watch::Sender<Option<Catalog>>;

/// What the parts of an agent's end share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) open: OpenCommands,
    pub(super) sessions: Mutex<HashMap<SessionKey, mpsc::Sender<Event>>>,
    pub(super) clock: Clock,
}

impl Shared {
    /// Talks to one router until its end is closed: sends it what is open, and hears what it says. At its first
    /// catalogue `greeting` is told. Says whether there was one.
    pub(super) async fn live(
        &self,
        pipe: Pipe,
        published: &Published,
        mut greeting: Option<&str>,
    ) -> bool {
        let frames = FrameWriter::new(pipe.to_router);
        let Some(unanswered) = self.open.connect(frames.clone()) else { return false };
        let mut has_published = false;
        let listening = self.listen(BufReader::new(pipe.from_router), |catalog| {
            has_published = true;
            published.send_replace(Some(catalog));
            greeting.take().into_iter().for_each(|greeting| self.tell(greeting));
        });
        // Beside listening: a router that can't get rid of its replies might not read either.
        let sending = async move {
            for command in unanswered {
                // What does not arrive is sent to the next one.
                let _ = frames.write(Frame::Command(command)).await;
            }
            drop(frames);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = listening => {}
            () = sending => {}
        }
        self.open.disconnect();
        has_published
    }

    /// Tells every session.
    pub(super) fn tell(&self, text: &str) {
        tracing::info!("{text}");
        for (session, events) in &*lock(&self.sessions) {
            let event = Event {
                event: EventKind::Notice,
                session: session.clone(),
                at: self.clock.now(),
                message_id: None,
                text: Some(text.to_owned()),
                reply: None,
            };
            pass_on(events, event);
        }
    }

    /// Nothing will be heard any more.
    pub(super) fn close(&self) {
        self.open.close();
        lock(&self.sessions).clear();
    }

    async fn listen(
        &self,
        mut reader: impl AsyncBufRead + Unpin,
        mut publish: impl FnMut(Catalog),
    ) {
        while let Ok(Some(line)) = lines::next(&mut reader).await {
            match line {
                Line::Whole(line) => self.hear(&line, &mut publish),
                Line::TooLong => {
                    tracing::warn!(limit = lines::MAX_LINE, "a line from the router is too long");
                }
            }
        }
    }

    fn hear(&self, line: &[u8], publish: &mut impl FnMut(Catalog)) {
        match serde_json::from_slice(line) {
            Ok(Frame::Reply(raw)) => self.hand_over(&raw),
            Ok(Frame::Catalog(catalog)) => publish(catalog),
            Ok(Frame::Event(event)) => {
                if let Some(events) = lock(&self.sessions).get(&event.session) {
                    pass_on(events, event);
                }
            }
            Ok(Frame::Command(_) | Frame::Cancel(_)) => {
                tracing::warn!("the router sent a frame that only an agent sends");
            }
            Err(error) => tracing::warn!(%error, "a line from the router can't be read"),
        }
    }

    fn hand_over(&self, raw: &RawValue) {
        match Reply::from_bytes(raw.get().as_bytes()) {
            Ok(reply) => self.open.answer(&reply),
            Err(error) => tracing::warn!(%error, "a reply from the router can't be read"),
        }
    }
}

fn pass_on(events: &mpsc::Sender<Event>, event: Event) {
    if events.try_send(event).is_err() {
        tracing::warn!("an event is dropped: its session does not read");
    }
}

// Std mutexes, because they are never held across an await. Poisoned, what they hold is still whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
