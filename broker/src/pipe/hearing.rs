//! What an agent hears from its routers, one after the other.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{Catalog, Event, EventKind, Frame, Reply, SessionKey};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, BufReader};
use tokio::sync::watch;

use super::keeper::Pipe;
use super::lines::{self, FrameWriter, Line};
use super::open::OpenCommands;
use crate::clock::Clock;
use crate::requester::Subscriber;

/// Where the newest catalogue is shown.
pub(super) type Published = watch::Sender<Option<Catalog>>;

/// What the parts of an agent's end share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) open: OpenCommands,
    sessions: Mutex<Sessions>,
    pub(super) clock: Clock,
}

/// Who reads what the router says on its own.
#[derive(Debug, Default)]
struct Sessions {
    open: HashMap<SessionKey, Box<dyn Subscriber>>,
    /// What came for sessions that do not read yet: a router speaks before the first chat is open.
    early: VecDeque<Event>,
    /// The notices of the router that lives.
    noticed: HashSet<String>,
    /// Those of the routers before it, which it may repeat once: it finds again what they have found at their start.
    repeats: HashSet<String>,
}

/// How many events wait for sessions that do not read yet. The oldest make room.
const EARLY: usize = 64;

/// How many notices of one router are remembered.
const NOTICED: usize = 256;

impl Sessions {
    /// Another router speaks from now on.
    fn next_router(&mut self) {
        self.repeats.extend(self.noticed.drain());
    }

    /// Hands an event to the session that it is for, unless a router before has said it.
    fn hand_over(&mut self, event: Event) {
        if let Some(text) = event.text.as_ref().filter(|_| event.event == EventKind::Notice) {
            if self.noticed.len() < NOTICED {
                self.noticed.insert(text.clone());
            }
            if self.repeats.remove(text) {
                return;
            }
        }
        match self.open.get(&event.session).filter(|subscriber| !subscriber.has_left()) {
            Some(subscriber) => subscriber.hear(event),
            None => {
                self.early.push_back(event);
                self.early.drain(..self.early.len().saturating_sub(EARLY));
            }
        }
    }

    /// Tells `subscriber` what `session` is told from now on, what has waited for it first.
    fn open(&mut self, session: &SessionKey, subscriber: Box<dyn Subscriber>) {
        // Those that have fallen asleep since the last one came.
        self.open.retain(|_, subscriber| !subscriber.has_left());
        let (own, others) = self.early.drain(..).partition(|event| event.session == *session);
        self.early = others;
        let own: VecDeque<Event> = own;
        own.into_iter().for_each(|event| subscriber.hear(event));
        self.open.insert(session.clone(), subscriber);
    }
}

impl Shared {
    /// Talks to one router until its end is closed: sends it what is open, and hears what it says. Ahead of its first
    /// word `greeting` is told. Says whether it has published a catalogue.
    pub(super) async fn live(
        &self,
        pipe: Pipe,
        published: &Published,
        greeting: Option<&str>,
    ) -> bool {
        let frames = FrameWriter::new(pipe.to_router);
        let Some(unanswered) = self.open.connect(frames.clone()) else { return false };
        lock(&self.sessions).next_router();
        let mut has_published = false;
        let listening = self.listen(BufReader::new(pipe.from_router), greeting, |catalog| {
            has_published = true;
            published.send_replace(Some(catalog));
        });
        // Beside listening: a router that can't get rid of its replies might not read either.
        let sending = async move {
            for command in unanswered {
                // What does not arrive is sent to the next one.
                let _ = frames.write(command).await;
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
        for (session, subscriber) in &lock(&self.sessions).open {
            subscriber.hear(Event {
                event: EventKind::Notice,
                session: session.clone(),
                at: self.clock.now(),
                message_id: None,
                text: Some(text.to_owned()),
                reply: None,
            });
        }
    }

    /// Tells `subscriber` what `session` is told from now on.
    pub(super) fn open_session(&self, session: &SessionKey, subscriber: Box<dyn Subscriber>) {
        lock(&self.sessions).open(session, subscriber);
    }

    /// Nothing will be heard any more.
    pub(super) fn close(&self) {
        self.open.close();
        lock(&self.sessions).open.clear();
    }

    async fn listen(
        &self,
        mut reader: impl AsyncBufRead + Unpin,
        mut greeting: Option<&str>,
        mut publish: impl FnMut(Catalog),
    ) {
        while let Ok(Some(line)) = lines::next(&mut reader).await {
            greeting.take().into_iter().for_each(|greeting| self.tell(greeting));
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
            Ok(Frame::Begins(id)) => self.open.begins(&id),
            Ok(Frame::Catalog(catalog)) => publish(catalog),
            Ok(Frame::Event(event)) => lock(&self.sessions).hand_over(event),
            Ok(Frame::Command(_) | Frame::Unbegun(_) | Frame::Cancel(_)) => {
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

// Std mutexes, because they are never held across an await. Poisoned, what they hold is still whole.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
