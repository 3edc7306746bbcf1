//! Who may do what next. One step is one script, or something that a router does by itself.

use super::Slip;
use super::router::{Hand, Phase, Router};
use super::server::{IDEMPOTENT, Id, Lane, Name, ONCE, Server, Waiting};

/// What is checked: one installation with two routers, two commands and so much bad luck.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    /// Which command is sent twice and taken back.
    pub(crate) target: Id,
    /// Whether the other one is there.
    pub(crate) both: bool,
    /// Whether a command ends in three steps, as on a cluster.
    pub(crate) cluster: bool,
    /// How many commands a router serves at a time.
    pub(crate) slots: usize,
    /// How many crashes, drains, answers that get lost and routers that are wrongly thought dead there may be.
    pub(crate) faults: u8,
    /// The mistake that the protocol makes.
    pub(crate) slip: Slip,
}

/// Everything at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) server: Server,
    pub(crate) routers: [Router; 2],
    /// Which commands came in.
    pub(crate) sent: [bool; 2],
    pub(crate) may_cancel: bool,
    pub(crate) faults: u8,
}

/// What can happen next. A router is named by its place, a command in hand by its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// An agent takes a command back, and some router's beat hears it.
    Cancel(Id),
    Claim(usize, Lane),
    /// Half a claim, for [`Slip::TakenBeforeHeld`].
    TakeFromLane(usize, Lane),
    ClaimAnswered(usize),
    ClaimAnswerLost(usize),
    /// A skill is begun, or it is said that it will be, or the command is answered without.
    Begin(usize, usize),
    EndRun(usize, usize),
    /// A skill is stopped because the command was taken back or is lost.
    StopRun(usize, usize),
    /// The next script on the way to the end: of a reply, or of putting it back.
    Finish(usize, usize),
    FinishAnswerLost(usize, usize),
    Drain(usize, usize),
    Beat(usize),
    Reap(Name),
    /// A router that only was slow is taken for dead.
    ReapAlive(Name),
    /// All that a router remembers is gone; its process starts again under a new name.
    Crash(usize),
}

impl Step {
    /// Whether it need never happen.
    pub(crate) fn is_chance(self) -> bool {
        use Step::*;
        matches!(
            self,
            Cancel(_)
                | ClaimAnswerLost(_)
                | FinishAnswerLost(..)
                | Drain(..)
                | ReapAlive(_)
                | Crash(_)
        )
    }

    /// Whether it is bad luck.
    pub(crate) fn is_fault(self) -> bool {
        self.is_chance() && !matches!(self, Self::Cancel(_))
    }
}

impl Model {
    /// Everything has been sent: nobody sees a command before it is claimed, so that may as well be early. The first
    /// copy of the target came in, or did not.
    pub(crate) fn first(&self) -> [State; 2] {
        let waiting = |id, resent| Waiting { id, attempts: 0, resent, unbegun: true };
        let mut sent = vec![waiting(self.target, true), waiting(self.target, false)];
        if self.both {
            sent.insert(1, waiting(ONCE - self.target, false));
        }
        let but_the_first = sent[..sent.len() - 1].to_vec();
        [but_the_first, sent].map(|sent| State {
            sent: [IDEMPOTENT, ONCE].map(|id| sent.iter().any(|command| command.id == id)),
            server: Server::new(vec![0, 1], sent),
            routers: [Router::new(0), Router::new(1)],
            may_cancel: true,
            faults: self.faults,
        })
    }

    /// What may happen next.
    pub(crate) fn steps(&self, state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        if state.may_cancel {
            steps.push(Step::Cancel(self.target));
        }
        for at in 0..state.routers.len() {
            self.of_router(state, at, &mut steps);
        }
        for &name in &state.server.routers {
            let alive = state.routers.iter().any(|router| router.name == name);
            let holds = state.server.work.iter().any(|held| held.router == name);
            match (alive, holds) {
                (false, _) => steps.push(Step::Reap(name)),
                (true, true) => steps.push(Step::ReapAlive(name)),
                // A router with nothing in its hands only gets a new name.
                (true, false) => {}
            }
        }
        if state.faults == 0 {
            steps.retain(|step| !step.is_fault());
        }
        steps
    }

    fn of_router(&self, state: &State, at: usize, steps: &mut Vec<Step>) {
        let router = &state.routers[at];
        if router.has_room(self.slots) && state.server.routers.contains(&router.name) {
            for (lane, waiting) in
                [(Lane::Queue, &state.server.queue), (Lane::Again, &state.server.again)]
            {
                if !waiting.is_empty() && self.slip == Slip::TakenBeforeHeld {
                    steps.push(Step::TakeFromLane(at, lane));
                } else if !waiting.is_empty() {
                    steps.push(Step::Claim(at, lane));
                }
            }
        }
        if let Some((lane, _)) = router.between {
            steps.push(Step::Claim(at, lane));
        }
        if router.coming.is_some() {
            steps.extend([Step::ClaimAnswered(at), Step::ClaimAnswerLost(at)]);
        }
        if router.is_busy() {
            // Without anything in hand nothing is lost with it.
            steps.push(Step::Crash(at));
        }
        for (place, hand) in router.hands.iter().enumerate() {
            steps.extend(of_hand(hand).map(|step| step(at, place)));
        }
        steps.push(Step::Beat(at));
    }
}

/// A step of the router at one place, with the command at another.
type OfHand = fn(usize, usize) -> Step;

/// What may be done with one command in hand.
fn of_hand(hand: &Hand) -> impl Iterator<Item = OfHand> {
    let may_drain = !hand.cancelled;
    let steps: [Option<OfHand>; 3] = match hand.phase {
        Phase::Ready | Phase::Announced => {
            [Some(Step::Begin), may_drain.then_some(Step::Drain), None]
        }
        Phase::Begun => [
            Some(Step::EndRun),
            hand.cancelled.then_some(Step::StopRun),
            may_drain.then_some(Step::Drain),
        ],
        _ => [Some(Step::Finish), Some(Step::FinishAnswerLost), None],
    };
    steps.into_iter().flatten()
}
