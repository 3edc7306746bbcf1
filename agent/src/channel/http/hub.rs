//! What stands between the line to the agent and the requests that come and go: each reader has a queue of its own, and
//! nothing that is said elsewhere is in it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::SessionKey;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::listener::{Ear, Listener, Wanted};
use crate::channel::{Addressed, Incoming, Outgoing};

/// The way in, and what is heard.
#[derive(Debug, Clone)]
pub(super) struct Hub {
    incoming: mpsc::Sender<Incoming>,
    floor: Floor,
    over: CancellationToken,
}

/// Who listens where.
#[derive(Debug, Clone, Default)]
pub(super) struct Floor(Arc<Mutex<Sessions>>);

#[derive(Debug, Default)]
struct Sessions {
    listeners: HashMap<SessionKey, Vec<Listener>>,
    busy: BTreeSet<SessionKey>,
    /// How many have listened by now.
    count: u64,
    /// Nothing more will be said.
    is_over: bool,
}

impl Hub {
    /// A hub whose messages go to `incoming`.
    pub(super) fn new(incoming: mpsc::Sender<Incoming>) -> Self {
        Self { incoming, floor: Floor::default(), over: CancellationToken::new() }
    }

    /// Passes on what the agent says, until it ends.
    pub(super) async fn hear(&self, mut outgoing: mpsc::UnboundedReceiver<Addressed>) {
        while let Some(addressed) = outgoing.recv().await {
            self.floor.say(addressed);
        }
        self.floor.close();
        self.over.cancel();
    }

    /// Cancelled when the agent has ended.
    pub(super) fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// What is said in `session` from now on, as far as it is wanted.
    pub(super) fn listen(&self, session: &SessionKey, wanted: Wanted) -> Ear {
        self.floor.listen(session, wanted)
    }

    /// Says something to the agent; `false` when it has ended.
    pub(super) async fn say(&self, incoming: Incoming) -> bool {
        self.incoming.send(incoming).await.is_ok()
    }

    /// The sessions in which something is being answered.
    pub(super) fn busy_sessions(&self) -> Vec<SessionKey> {
        self.floor.sessions().busy.iter().cloned().collect()
    }
}

impl Floor {
    fn listen(&self, session: &SessionKey, wanted: Wanted) -> Ear {
        let mut sessions = self.sessions();
        sessions.count += 1;
        let id = sessions.count;
        let (listener, ear) = Listener::new(id, wanted, session.clone(), self.clone());
        // Whoever comes after the end hears that it is over: the listener is dropped here.
        if !sessions.is_over {
            sessions.listeners.entry(session.clone()).or_default().push(listener);
        }
        ear
    }

    fn say(&self, addressed: Addressed) {
        let Addressed { session, outgoing } = addressed;
        let mut sessions = self.sessions();
        match outgoing {
            Outgoing::Begin { .. } => drop(sessions.busy.insert(session.clone())),
            Outgoing::End => drop(sessions.busy.remove(&session)),
            _ => {}
        }
        let outgoing = Arc::new(outgoing);
        sessions.retain(&session, |listener| listener.hear(&outgoing));
    }

    /// Forgets the listener `id`, which is gone.
    pub(super) fn forget(&self, session: &SessionKey, id: u64) {
        self.sessions().retain(session, |listener| listener.id != id);
    }

    fn close(&self) {
        let mut sessions = self.sessions();
        sessions.is_over = true;
        sessions.listeners.clear();
    }

    // A std mutex, because it is never held across an await. Poisoned, the lists are still whole.
    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    /// Keeps those who listen in `session` and still do, as `listens` says.
    fn retain(&mut self, session: &SessionKey, listens: impl FnMut(&mut Listener) -> bool) {
        let Some(here) = self.listeners.get_mut(session) else { return };
        here.retain_mut(listens);
        if here.is_empty() {
            self.listeners.remove(session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Ticket;
    use crate::channel::http::listener::Next;

    fn key(number: usize) -> SessionKey {
        SessionKey::new(format!("http-{number}")).unwrap()
    }

    /// Readers of so many sessions, each of an answer with so many pieces that were all said before anybody read.
    fn readers(sessions: usize, pieces: usize) -> Vec<Ear> {
        let floor = Floor::default();
        let tickets: Vec<Ticket> = (0..sessions).map(|_| Ticket::new()).collect();
        let wanted = |(number, ticket): (usize, &Ticket)| {
            floor.listen(&key(number), Wanted::Answer(*ticket))
        };
        let ears = tickets.iter().enumerate().map(wanted).collect();
        let say = |number, outgoing| floor.say(Addressed { session: key(number), outgoing });
        for (number, ticket) in tickets.iter().enumerate() {
            let from = protocol::Principal::new("http:owner").unwrap();
            say(number, Outgoing::Begin { ticket: *ticket, from, text: String::new() });
        }
        for _ in 0..pieces {
            (0..sessions).for_each(|number| say(number, Outgoing::Words("x".to_owned())));
        }
        (0..sessions).for_each(|number| say(number, Outgoing::End));
        ears
    }

    async fn heard(mut ear: Ear) -> usize {
        let mut pieces = 0;
        loop {
            match ear.next().await {
                Next::Said(outgoing) if *outgoing == Outgoing::End => return pieces,
                Next::Said(outgoing) => {
                    pieces += usize::from(matches!(*outgoing, Outgoing::Words(_)));
                }
                gap => panic!("{gap:?} after {pieces} pieces"),
            }
        }
    }

    #[tokio::test]
    async fn the_queue_of_a_reader_holds_nothing_of_other_sessions() {
        for ear in readers(300, 30) {
            assert_eq!(heard(ear).await, 30);
        }
    }

    #[tokio::test]
    async fn a_long_answer_waits_whole_for_its_reader() {
        for ear in readers(1, 20_000) {
            assert_eq!(heard(ear).await, 20_000);
        }
    }

    #[tokio::test]
    async fn nobody_is_remembered_who_has_left_or_has_it_all() {
        let floor = Floor::default();
        drop(floor.listen(&key(1), Wanted::All));
        assert!(floor.sessions().listeners.is_empty());
        let ticket = Ticket::new();
        let _ear = floor.listen(&key(1), Wanted::Answer(ticket));
        floor.say(Addressed {
            session: key(1),
            outgoing: Outgoing::Refused { ticket, why: String::new() },
        });
        assert!(floor.sessions().listeners.is_empty());
    }
}
