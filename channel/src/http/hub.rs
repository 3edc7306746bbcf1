//! What stands between the line to the agent and the requests that come and go: each reader has a queue of its own, and
//! nothing that is said elsewhere is in it.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::{Millis, SessionKey};
use session::OwnersStanding;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::listener::{Ear, Listener, Wanted};
use super::numbers::Numbers;
use super::ring::{Gap, Joint, Ring};
use super::told::{Told, What};
use crate::{Addressed, Incoming, Outgoing};

/// The way in, and what is heard.
#[derive(Debug, Clone)]
pub(super) struct Hub {
    incoming: mpsc::Sender<Incoming>,
    /// How the owner's conversation stands, where a page shows it.
    standing: Option<OwnersStanding>,
    floor: Floor,
    over: CancellationToken,
}

/// Who listens where.
#[derive(Debug, Clone, Default)]
pub(super) struct Floor(Arc<Mutex<Sessions>>);

/// What a page hears that is loaded or connects again.
#[derive(Debug)]
pub(super) struct Backlog {
    /// What was told before.
    pub(super) told: Vec<Told>,
    /// Where the journal goes on; none when the page has everything before.
    pub(super) joint: Option<Joint>,
    /// What is told from now on.
    pub(super) ear: Ear,
}

#[derive(Debug)]
struct Sessions {
    /// The latest turns of the owner's session.
    ring: Ring,
    /// How much was told by now.
    told: u64,
    listeners: HashMap<SessionKey, Vec<Listener>>,
    busy: BTreeSet<SessionKey>,
    /// What was heard, in numbers.
    numbers: Numbers,
    /// How many have listened by now.
    count: u64,
    /// Nothing more will be said.
    is_over: bool,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            ring: Ring::new(Millis::of_this_machine()),
            told: 0,
            listeners: HashMap::new(),
            busy: BTreeSet::new(),
            numbers: Numbers::default(),
            count: 0,
            is_over: false,
        }
    }
}

impl Hub {
    /// A hub whose messages go to `incoming`.
    pub(super) fn new(incoming: mpsc::Sender<Incoming>, standing: Option<OwnersStanding>) -> Self {
        Self { incoming, standing, floor: Floor::default(), over: CancellationToken::new() }
    }

    /// Passes on what the agent says, until it ends.
    pub(super) async fn hear(&self, mut outgoing: mpsc::UnboundedReceiver<Addressed>) {
        let mut has_words = false;
        while let Some(addressed) = outgoing.recv().await {
            match addressed.outgoing {
                _ if !addressed.session.is_owner() => {}
                Outgoing::Begin { .. } => has_words = false,
                Outgoing::Words(_) => has_words = true,
                Outgoing::End if has_words => self.tell_writer(&addressed.session),
                _ => {}
            }
            self.floor.say(addressed);
        }
        self.floor.close();
        self.over.cancel();
    }

    fn tell_writer(&self, session: &SessionKey) {
        let usage = self.standing.as_ref().and_then(|standing| standing.now().usage);
        if let Some(usage) = usage {
            self.floor.tell(session, What::Wrote(usage.by));
        }
    }

    /// Cancelled when the agent has ended.
    pub(super) fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// What is said in `session` from now on, as far as it is wanted.
    pub(super) fn listen(&self, session: &SessionKey, wanted: Wanted) -> Ear {
        self.floor.listen(session, wanted)
    }

    /// What was told in the owner's session after the thing with the number `after`, or all that is kept, and what is told
    /// there from now on.
    pub(super) fn listen_again(&self, after: Option<u64>) -> Backlog {
        self.floor.listen_again(after)
    }

    /// Says something to the agent; `false` when it has ended.
    pub(super) async fn say(&self, incoming: Incoming) -> bool {
        self.incoming.send(incoming).await.is_ok()
    }

    /// The same for a message that all who listen are to see at once, whoever is answered now.
    pub(super) async fn say_to_all(&self, incoming: Incoming) -> bool {
        let Ok(permit) = self.incoming.reserve().await else { return false };
        if let Some(text) = incoming.said.text() {
            let what = What::Sent { ticket: incoming.ticket, text: text.to_owned() };
            self.floor.tell(&incoming.session, what);
        }
        permit.send(incoming);
        true
    }

    /// What was heard by now, in numbers, and how many listen.
    pub(super) fn numbers(&self) -> (Numbers, usize) {
        let sessions = self.floor.sessions();
        (sessions.numbers.clone(), sessions.listeners.values().map(Vec::len).sum())
    }

    /// The sessions in which something is being answered.
    pub(super) fn busy_sessions(&self) -> Vec<SessionKey> {
        self.floor.sessions().busy.iter().cloned().collect()
    }
}

impl Floor {
    fn listen(&self, session: &SessionKey, wanted: Wanted) -> Ear {
        self.admit(&mut self.sessions(), session, wanted)
    }

    fn listen_again(&self, after: Option<u64>) -> Backlog {
        let owner = SessionKey::owner();
        let mut sessions = self.sessions();
        let later = after.ok_or(Gap).and_then(|after| sessions.ring.since(after));
        let (told, joint) = match later {
            Ok(told) => (told, None),
            Err(Gap) => (sessions.ring.all(), Some(sessions.ring.joint())),
        };
        for told in &told {
            if let What::Says(outgoing) = &told.what {
                outgoing.taken();
            }
        }
        let ear = self.admit(&mut sessions, &owner, Wanted::All);
        Backlog { told, joint, ear }
    }

    fn admit(&self, sessions: &mut Sessions, session: &SessionKey, wanted: Wanted) -> Ear {
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
        self.tell(&addressed.session, What::Says(addressed.outgoing));
    }

    fn tell(&self, session: &SessionKey, what: What) {
        let mut sessions = self.sessions();
        match what {
            What::Says(Outgoing::Begin { .. }) => drop(sessions.busy.insert(session.clone())),
            What::Says(Outgoing::End) => drop(sessions.busy.remove(session)),
            // The page shows it, now or when it is opened.
            What::Says(Outgoing::Broadcast { ref receipt, .. }) => receipt.taken(),
            // On a page that is not open it may stand until the agent ends.
            What::Says(Outgoing::Reminder { ref receipt, .. }) if sessions.is_watched(session) => {
                receipt.taken();
            }
            _ => {}
        }
        sessions.numbers.hear(session, &what);
        sessions.told += 1;
        let told = Arc::new(Told { id: sessions.told, at: Millis::of_this_machine(), what });
        if session.is_owner() {
            sessions.ring.push(&told);
        }
        sessions.retain(session, |listener| listener.hear(&told));
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
    /// Whether somebody hears all that is said in `session`.
    fn is_watched(&self, session: &SessionKey) -> bool {
        self.listeners.get(session).is_some_and(|here| here.iter().any(Listener::hears_all))
    }

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
    use crate::http::listener::Next;
    use crate::{Receipt, Ticket};

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
                Next::Said(told) if told.what == What::Says(Outgoing::End) => return pieces,
                Next::Said(told) => {
                    pieces += usize::from(matches!(told.what, What::Says(Outgoing::Words(_))));
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
    async fn a_reminder_is_had_once_a_page_that_is_open_shows_it() {
        let floor = Floor::default();
        let remind = || {
            let (receipt, reports) = Receipt::new();
            let (ticket, text) = (Ticket::new(), "tea".to_owned());
            let outgoing = Outgoing::Reminder { ticket, text, receipt };
            floor.say(Addressed { session: SessionKey::owner(), outgoing });
            reports
        };
        let mut before = remind();
        assert!(before.try_recv().is_err(), "no page is open");
        let page = floor.listen_again(None);
        assert_eq!(before.try_recv(), Ok(Ok(())));
        assert_eq!(remind().try_recv(), Ok(Ok(())));
        drop(page);
        assert!(remind().try_recv().is_err(), "it is closed again");
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
