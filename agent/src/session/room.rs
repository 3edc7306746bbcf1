//! The room where all channels meet: each session has a desk of its own there, which opens at its first message.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use broker::Feed;
use protocol::{Principal, SessionKey};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::waiting::{WAITING, refused};
use super::{Desk, Lines, Outlet, Place, Session};
use crate::channel::{Channel, Incoming, Line, Outgoing};
use crate::mind::Mind;
use crate::prompt::{Fence, Prompt, TemplateError};
use crate::workspace::OWNER;

/// Takes what comes over all channels to the desks of its sessions. Sessions run side by side, and none waits for another.
pub struct Room {
    /// What all sessions think and act with.
    pub mind: Arc<Mind>,
    /// What the router says on its own.
    pub feed: Arc<dyn Feed>,
    /// The way out.
    pub lines: Lines,
    /// Cancelled when the agent ends: the turns that run are stopped then, and kept.
    pub leaving: CancellationToken,
    seats: Mutex<HashMap<SessionKey, Seat>>,
}

/// Where a session's messages go.
struct Seat {
    incoming: mpsc::Sender<Incoming>,
    desk: JoinHandle<()>,
}

/// What comes over one channel.
#[derive(Debug)]
pub struct Heard {
    place: Place,
    incoming: mpsc::Receiver<Incoming>,
}

impl Heard {
    /// The channel's place among the lines.
    #[must_use]
    pub fn place(&self) -> Place {
        self.place
    }
}

impl Room {
    /// A room with no desk in it.
    #[must_use]
    pub fn new(
        mind: Arc<Mind>,
        feed: Arc<dyn Feed>,
        lines: Lines,
        leaving: CancellationToken,
    ) -> Self {
        Self { mind, feed, lines, leaving, seats: Mutex::default() }
    }

    /// Opens the desk of the session `key`, whose first person is `from`, before anybody says anything there.
    pub fn open(&self, key: SessionKey, from: Principal) {
        let seat = self.seat(key.clone(), from, None);
        self.seats().insert(key, seat);
    }

    /// A line for `channel`, and what comes over it for [`Self::serve`].
    #[must_use]
    pub fn connect(&self, channel: &dyn Channel) -> (Line, Heard) {
        let (place, outgoing) = self.lines.open(channel);
        let (sender, incoming) = mpsc::channel(WAITING);
        (Line { incoming: sender, outgoing }, Heard { place, incoming })
    }

    /// Serves all sessions until nobody can say anything any more, or `quit` is cancelled: then what runs is answered to
    /// its end, what was answered is waited for, and all lines end.
    pub async fn serve(self: Arc<Self>, heard: Vec<Heard>, quit: CancellationToken) {
        let listening = heard.into_iter().map(|heard| self.listen(heard));
        tokio::select! {
            _ = futures::future::join_all(listening) => {}
            () = quit.cancelled() => {}
            () = self.leaving.cancelled() => {}
        }
        let seats: Vec<Seat> = self.seats().drain().map(|(_, seat)| seat).collect();
        // All at once: who is told first must not wait for who has much to do.
        let desks: Vec<JoinHandle<()>> = seats.into_iter().map(|seat| seat.desk).collect();
        futures::future::join_all(desks).await;
        self.lines.close();
    }

    /// Says something about the agent itself to the owner.
    pub(crate) fn tell_owner(&self, notice: String) {
        if let Ok(owner) = SessionKey::new(OWNER) {
            self.lines.say(&owner, Outgoing::Notice(notice));
        }
    }

    /// Forgets a channel that has ended.
    pub(crate) fn hang_up(&self, place: Place) {
        self.lines.hang_up(place);
    }

    async fn listen(&self, mut heard: Heard) {
        while let Some(incoming) = heard.incoming.recv().await {
            self.take(heard.place, incoming);
        }
    }

    /// Takes one thing to the desk of its session. It never waits.
    fn take(&self, place: Place, incoming: Incoming) {
        if !self.lines.admit(place, &incoming.session) {
            return tracing::error!(
                "{} may not speak in the session {}",
                incoming.from,
                incoming.session
            );
        }
        if !incoming.may_come() {
            return tracing::error!("{} answers and stops nothing: it is no person", incoming.from);
        }
        let (key, from) = (incoming.session.clone(), incoming.from.clone());
        let mut seats = self.seats();
        let there = seats.remove(&key);
        let (seat, sent) = match there {
            None => self.seat(key.clone(), from, None).send(incoming),
            Some(seat) => match seat.send(incoming) {
                // The desk has closed meanwhile; a new one begins where it has ended.
                (seat, Err(TrySendError::Closed(incoming))) => {
                    self.seat(key.clone(), from, Some(seat.desk)).send(incoming)
                }
                other => other,
            },
        };
        seats.insert(key.clone(), seat);
        drop(seats);
        if let Err(TrySendError::Full(incoming) | TrySendError::Closed(incoming)) = sent {
            self.lines.say(&key, refused(incoming.ticket));
        }
    }

    /// A desk, which begins once the `earlier` one of its session has ended.
    fn seat(&self, key: SessionKey, from: Principal, earlier: Option<JoinHandle<()>>) -> Seat {
        let (incoming, said) = mpsc::channel(WAITING);
        let outlet = Outlet::new(key.clone(), &self.lines);
        let (mind, feed) = (Arc::clone(&self.mind), Arc::clone(&self.feed));
        let leaving = self.leaving.clone();
        let desk = async move {
            if let Some(earlier) = earlier {
                // One that has panicked has ended, too.
                let _ = earlier.await;
            }
            match session(&mind, key, from) {
                Ok(session) => {
                    let events = feed.events(&session.key).await;
                    Desk { mind, session, incoming: said, outlet, events, leaving }.run().await;
                }
                Err(error) => outlet.say(Outgoing::Notice(error.to_string())),
            }
        };
        Seat { incoming, desk: tokio::spawn(desk) }
    }

    // A std mutex, because it is never held across an await. Poisoned, the list is still whole.
    fn seats(&self) -> MutexGuard<'_, HashMap<SessionKey, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    fn send(self, incoming: Incoming) -> (Self, Result<(), TrySendError<Incoming>>) {
        let sent = self.incoming.try_send(incoming);
        (self, sent)
    }
}

/// The session `key` as its papers have it.
fn session(mind: &Mind, key: SessionKey, from: Principal) -> Result<Session, TemplateError> {
    // Each has marks of its own around what comes in, so that none is known from another's prompt.
    let fence = Fence::new(uuid::Uuid::new_v4().as_u64_pair().0);
    let papers = mind.workspace.papers(&key);
    Ok(Session::new(key, from, papers, Prompt::new(fence)?))
}
