//! The channels that are on, and who hears what.
//!
//! What is said in the owner's session is heard on every channel where the owner may be; what is said in a guest's,
//! on the channel that the guest has come over. Only what a guest's session wants allowed goes elsewhere: to the owner.

use std::io::{self, Write as _};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use conversation::message::{Addressed, Outgoing, Receipt, Reports};
use protocol::SessionKey;
use tokio::sync::mpsc;

/// The ends of all lines that lead to channels.
#[derive(Debug, Clone, Default)]
pub struct Lines(Arc<RwLock<Board>>);

#[derive(Debug, Default)]
struct Board {
    ends: Vec<End>,
}

/// The agent's end of a line.
#[derive(Debug)]
struct End {
    name: &'static str,
    is_owners: bool,
    has_people: bool,
    /// Saying never waits: what a turn says is bounded by what a model may write, and a channel that is slow
    /// must not hold a turn up. None once the channel has ended.
    sender: Option<mpsc::UnboundedSender<Addressed>>,
}

/// A channel's place among the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChannelId(usize);

impl Lines {
    /// Opens a line for the channel `name`, where people may be, and gives what is heard at its other end.
    pub fn open(
        &self,
        name: &'static str,
        is_owners: bool,
        has_people: bool,
    ) -> (ChannelId, mpsc::UnboundedReceiver<Addressed>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut board = self.write();
        board.ends.push(End { name, is_owners, has_people, sender: Some(sender) });
        (ChannelId(board.ends.len() - 1), receiver)
    }

    /// Whether people who come over the channel at `place` may speak in `session`. The owner's session is for the
    /// owner's channels, and a guest's begins with the name of its channel.
    #[must_use]
    pub fn admits(&self, place: ChannelId, session: &SessionKey) -> bool {
        let board = self.read();
        let end = board.ends.get(place.0);
        end.is_some_and(|end| if session.is_owner() { end.is_owners } else { end.is_of(session) })
    }

    /// The names of the channels that are on and where people are.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let board = self.read();
        board
            .ends
            .iter()
            .filter(|end| end.sender.is_some() && end.has_people)
            .map(|end| end.name)
            .collect()
    }

    /// Says something in `session` to whoever hears it. A channel that is gone hears nothing.
    pub fn say(&self, session: &SessionKey, outgoing: Outgoing) {
        let board = self.read();
        if session.is_owner() {
            return board.tell_owner(session, &outgoing);
        }
        match outgoing {
            Outgoing::Question(_) | Outgoing::Settled { .. } => {
                board.tell_owner(&SessionKey::owner(), &outgoing);
                if matches!(outgoing, Outgoing::Question(_)) {
                    let told = "the owner is asked whether this may run".to_owned();
                    board.tell_guest(session, Outgoing::Notice(told));
                }
            }
            other => board.tell_guest(session, other),
        }
    }

    /// Says something to whoever the channel `name` is set to reach, and gives what becomes of it.
    #[must_use]
    pub fn broadcast(&self, name: &str, text: &str) -> Reports {
        let (receipt, reports) = Receipt::new();
        self.tell(name, Outgoing::Broadcast { text: text.to_owned(), receipt });
        reports
    }

    /// Says a warning of the agent's own to whoever sits at this machine, or on stderr if nobody does.
    pub fn warn(&self, notice: String) {
        if !self.tell("console", Outgoing::Notice(notice.clone())) {
            // Whoever has closed stderr does not want to hear it.
            let _ = writeln!(io::stderr(), "warning: {notice}");
        }
    }

    fn tell(&self, name: &str, outgoing: Outgoing) -> bool {
        let board = self.read();
        let end = board.ends.iter().find(|end| end.name == name);
        end.is_some_and(|end| end.tell(&SessionKey::owner(), outgoing))
    }

    /// Says something to the people of `session` on the channel `name` alone.
    pub(super) fn say_on(&self, name: &str, session: &SessionKey, outgoing: Outgoing) {
        let board = self.read();
        if let Some(end) = board.ends.iter().find(|end| end.name == name) {
            end.tell(session, outgoing);
        }
    }

    /// Says something to the owner on every channel but `name`.
    pub(super) fn say_beside(&self, name: &str, outgoing: &Outgoing) {
        let board = self.read();
        for end in board.ends.iter().filter(|end| end.is_owners && end.name != name) {
            end.tell(&SessionKey::owner(), outgoing.clone());
        }
    }

    /// Forgets the channel at `place`, which has ended.
    pub fn hang_up(&self, place: ChannelId) {
        if let Some(end) = self.write().ends.get_mut(place.0) {
            end.sender = None;
        }
    }

    /// Ends all lines: nothing more will be said.
    pub fn close(&self) {
        self.write().ends.iter_mut().for_each(|end| end.sender = None);
    }

    // Std locks, because they are never held across an await. Poisoned, the board is still whole.
    fn read(&self) -> RwLockReadGuard<'_, Board> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Board> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Board {
    fn tell_owner(&self, session: &SessionKey, outgoing: &Outgoing) {
        for end in self.ends.iter().filter(|end| end.is_owners) {
            end.tell(session, outgoing.clone());
        }
    }

    fn tell_guest(&self, session: &SessionKey, outgoing: Outgoing) {
        if let Some(end) = self.ends.iter().find(|end| end.is_of(session)) {
            end.tell(session, outgoing);
        }
    }
}

impl End {
    /// Whether `session` is that of a guest who comes over this channel: it begins with the channel's name.
    fn is_of(&self, session: &SessionKey) -> bool {
        let rest = session.as_str().strip_prefix(self.name);
        rest.is_some_and(|rest| rest.starts_with('-'))
    }

    fn tell(&self, session: &SessionKey, outgoing: Outgoing) -> bool {
        let addressed = Addressed { session: session.clone(), outgoing };
        self.sender.as_ref().is_some_and(|sender| sender.send(addressed).is_ok())
    }
}
