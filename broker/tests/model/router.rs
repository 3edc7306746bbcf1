//! What a router knows by itself, and loses when it crashes.

use super::Slip;
use super::server::{Claimed, Id, Lane, Mark, Name, ONCE, Reply, Waiting};

/// One router process.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Router {
    /// Its present life.
    pub(crate) name: Name,
    /// The first field that no claim has used whose answer came.
    pub(crate) unclaimed: u8,
    /// What the server has given to a claim whose answer has not come yet.
    pub(crate) coming: Option<Claimed>,
    /// What a claim has taken that comes in two steps, which is a mistake.
    pub(crate) between: Option<(Lane, Waiting)>,
    pub(crate) hands: Vec<Hand>,
}

/// One command in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Hand {
    /// The life that took it.
    pub(crate) router: Name,
    pub(crate) field: u8,
    pub(crate) id: Id,
    pub(crate) attempt: u8,
    pub(crate) may_have_begun: bool,
    pub(crate) cancelled: bool,
    pub(crate) lost: bool,
    pub(crate) phase: Phase,
}

/// How far a router is with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// Not handed over, or not begun.
    Ready,
    /// It has been said that it begins, which it has not.
    Announced,
    Begun,
    /// To be kept and sent in one step; on a cluster, to be kept.
    Ending(Reply),
    /// Kept, and the second is what counts.
    Sending(Reply, Reply),
    /// Sent.
    LettingGo(Reply),
    /// To be handed back, as begun or not.
    PuttingBack(bool),
}

impl Router {
    pub(crate) fn new(name: Name) -> Self {
        Self { name, unclaimed: 0, coming: None, between: None, hands: Vec::new() }
    }

    pub(crate) fn has_room(&self, slots: usize) -> bool {
        self.coming.is_none() && self.between.is_none() && self.hands.len() < slots
    }

    /// Whether a crash would make it forget anything.
    pub(crate) fn is_busy(&self) -> bool {
        self.coming.is_some() || self.between.is_some() || !self.hands.is_empty()
    }

    pub(crate) fn mentions(&self, name: Name) -> bool {
        self.name == name
            || self.coming.is_some_and(|claimed| claimed.router == name)
            || self.hands.iter().any(|hand| hand.router == name)
    }

    /// `accept`: a claim's answer has come.
    pub(crate) fn accept(&mut self, claimed: Claimed, slip: Slip) {
        let Claimed { router, field, id, attempt, may_have_begun, mark } = claimed;
        let phase = match mark {
            Mark::Run => Phase::Ready,
            Mark::Known(reply) => Phase::Ending(reply),
            Mark::Cancelled => Phase::Ending(taken_back(attempt, slip)),
            Mark::Poison => Phase::Ending(Reply::Poison),
        };
        let (cancelled, lost) = (false, false);
        self.hands.push(Hand {
            router,
            field,
            id,
            attempt,
            may_have_begun,
            cancelled,
            lost,
            phase,
        });
    }

    /// `fenced`: it goes on under a new name.
    pub(crate) fn fenced(&mut self, new: Name) {
        for hand in self.hands.iter_mut().filter(|hand| hand.router == self.name) {
            hand.lose();
        }
        self.name = new;
    }

    /// `end`: the command at `at` is to end with `reply`, unless it is another router's and this one stopped
    /// because of that.
    pub(crate) fn end(&mut self, at: usize, reply: Reply) {
        if self.hands[at].lost && reply.is_stopped() {
            self.hands.remove(at);
        } else {
            let Hand { router, field, id, .. } = self.hands[at];
            // What it is told from now on changes nothing.
            let told = Hand {
                router,
                field,
                id,
                attempt: 0,
                may_have_begun: false,
                cancelled: false,
                lost: false,
                phase: Phase::Ending(reply),
            };
            self.hands[at] = told;
        }
    }

    /// Begins the command at `at`, or goes a step towards that, or answers it without: true when it was begun.
    /// `announce` tells the server that it begins, and says whether it may.
    pub(crate) fn begin(
        &mut self,
        at: usize,
        slip: Slip,
        announce: impl FnOnce(&Hand) -> bool,
    ) -> bool {
        let hand = &mut self.hands[at];
        if hand.phase == Phase::Announced && !hand.cancelled {
            hand.phase = Phase::Begun;
            return true;
        }
        if hand.phase == Phase::Announced {
            self.end(at, Reply::Stopped);
        } else if hand.cancelled {
            // This attempt is counted, and was not begun.
            let reply = taken_back(hand.attempt - 1, slip);
            self.end(at, reply);
        } else if hand.may_have_begun && hand.id == ONCE {
            self.end(at, Reply::Interrupted);
        } else if hand.id == ONCE {
            let may = announce(hand) || slip == Slip::BeginsWhatIsLost;
            match may {
                true => hand.phase = Phase::Announced,
                false => hand.lose(),
            }
        } else {
            hand.phase = Phase::Begun;
            return true;
        }
        false
    }
}

/// The answer to a command that is not begun because it was taken back, after so many attempts.
fn taken_back(attempts: u8, slip: Slip) -> Reply {
    if attempts == 0 || slip == Slip::CancelDeniesRun { Reply::TakenBack } else { Reply::Stopped }
}

impl Hand {
    /// Nobody knows whether a script has run: the ending begins again.
    pub(crate) fn start_over(&mut self) {
        if let Phase::Sending(reply, _) | Phase::LettingGo(reply) = self.phase {
            self.phase = Phase::Ending(reply);
        }
    }

    pub(crate) fn lose(&mut self) {
        (self.lost, self.cancelled) = (self.listens(), self.listens());
    }

    /// Whether it matters to the command what a beat says of it.
    pub(crate) fn listens(&self) -> bool {
        matches!(self.phase, Phase::Ready | Phase::Announced | Phase::Begun)
    }
}
