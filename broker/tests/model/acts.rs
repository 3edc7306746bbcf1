//! What each step does.

use super::Slip;
use super::router::{Hand, Phase, Router};
use super::server::{Lane, Name, ONCE, Reply, Server, Standing};
use super::steps::{Model, State, Step};

impl Model {
    /// What is after `step`.
    pub(crate) fn after(&self, state: &State, step: Step) -> State {
        let mut next = state.clone();
        let State { server, routers, may_cancel, faults, .. } = &mut next;
        *faults -= u8::from(step.is_fault());
        match step {
            Step::Cancel(id) => {
                *may_cancel = false;
                server.take_back(id);
            }
            Step::TakeFromLane(at, lane) => {
                routers[at].between = server.lane(lane).pop().map(|command| (lane, command));
            }
            Step::Claim(at, lane) => self.claim(server, &mut routers[at], lane),
            Step::ClaimAnswered(at) => {
                let router = &mut routers[at];
                router.unclaimed += 1;
                if let Some(claimed) = router.coming.take() {
                    router.accept(claimed, self.slip);
                }
            }
            Step::ClaimAnswerLost(at) => {
                routers[at].coming = None;
                routers[at].unclaimed += u8::from(self.slip != Slip::FieldReused);
            }
            Step::Begin(at, place)
            | Step::EndRun(at, place)
            | Step::StopRun(at, place)
            | Step::Drain(at, place)
            | Step::Finish(at, place)
            | Step::FinishAnswerLost(at, place) => {
                self.go_on(server, &mut routers[at], place, step);
            }
            Step::Beat(at) => {
                let new = state.new_name();
                self.beat(server, &mut routers[at], new);
            }
            Step::Reap(name) | Step::ReapAlive(name) => server.reap(name, self.slip),
            Step::Crash(at) => {
                routers[at] = Router::new(state.new_name());
                server.routers.push(routers[at].name);
            }
        }
        next.forget();
        next
    }

    /// The next step of one command in hand.
    fn go_on(&self, server: &mut Server, router: &mut Router, place: usize, step: Step) {
        let hand = router.hands[place];
        match step {
            Step::Begin(..) => {
                let announce = |hand: &Hand| server.begins(hand.router, hand.field, self.slip);
                let begun = router.begin(place, self.slip, announce) && hand.id == ONCE;
                server.seen.begun = (server.seen.begun + u8::from(begun)).min(2);
            }
            Step::EndRun(..) => router.end(place, Reply::Ran(hand.attempt)),
            Step::StopRun(..) => router.end(place, Reply::Stopped),
            Step::Drain(..) if is_begun(hand.phase) && hand.id == ONCE => {
                router.end(place, Reply::Interrupted);
            }
            Step::Drain(..) => {
                let begun = is_begun(hand.phase);
                router.hands[place].phase = Phase::PuttingBack(begun);
            }
            Step::FinishAnswerLost(..) => {
                let before = router.hands.clone();
                self.finish(server, router, place);
                router.hands = before;
                router.hands[place].start_over();
            }
            _ => self.finish(server, router, place),
        }
    }

    fn claim(&self, server: &mut Server, router: &mut Router, lane: Lane) {
        let (name, field) = (router.name, router.unclaimed);
        let in_hand = |hand: &Hand| (hand.router, hand.field) == (name, field);
        server.seen.field_reused |= router.hands.iter().any(in_hand);
        router.coming = match router.between.take() {
            Some(taken) => server.take(name, field, taken, self.slip),
            None => server.claim(name, field, lane, self.slip),
        };
    }

    /// The script that the command's phase is at.
    fn finish(&self, server: &mut Server, router: &mut Router, place: usize) {
        let Hand { router: name, field, id, phase, .. } = router.hands[place];
        let next = match phase {
            Phase::Ending(reply) if self.cluster => server
                .store(name, field, (id, reply), self.slip)
                .map(|counts| Phase::Sending(reply, counts)),
            Phase::Ending(reply) => {
                server.finish(name, field, (id, reply), self.slip);
                None
            }
            Phase::Sending(reply, counts) => {
                server.publish(id, counts);
                Some(Phase::LettingGo(reply))
            }
            Phase::LettingGo(_) => {
                server.let_go(name, field);
                None
            }
            Phase::PuttingBack(begun) => {
                server.hand_back(name, field, u8::from(!begun), self.slip);
                None
            }
            Phase::Ready | Phase::Announced | Phase::Begun => Some(phase),
        };
        match next {
            Some(phase) => router.hands[place].phase = phase,
            None => drop(router.hands.remove(place)),
        }
    }

    /// `beat.lua`, and what the router makes of its answer; its name is `new` then.
    fn beat(&self, server: &mut Server, router: &mut Router, new: Name) {
        if !server.routers.contains(&router.name) {
            router.fenced(new);
            server.routers.push(new);
            return;
        }
        let name = router.name;
        for hand in router.hands.iter_mut().filter(|hand| hand.router == name) {
            if server.holds(name, hand.field) {
                hand.cancelled |= hand.listens() && server.is_cancelled(hand.id);
            } else {
                hand.lose();
            }
        }
        let stray = |field: u8| {
            field < router.unclaimed && router.hands.iter().all(|hand| hand.field != field)
        };
        for held in server.work.clone() {
            if held.router == name && stray(held.field) {
                server.hand_back(name, held.field, 1, self.slip);
            }
        }
    }
}

/// Whether the router takes it for begun, whatever has come of it.
fn is_begun(phase: Phase) -> bool {
    matches!(phase, Phase::Announced | Phase::Begun)
}

impl State {
    /// A name that nothing is known by.
    fn new_name(&self) -> Name {
        let is_used = |name: &Name| {
            self.server.routers.contains(name)
                || self.server.work.iter().any(|held| held.router == *name)
                || self.server.states.iter().any(
                    |state| matches!(state, Standing::Running { router, .. } if router == name),
                )
                || self.routers.iter().any(|router| router.mentions(*name))
        };
        (0..).find(|name| !is_used(name)).unwrap_or_default()
    }

    /// Two states that differ in nothing that anybody will ever ask for are one.
    fn forget(&mut self) {
        let Self { server, routers, .. } = self;
        server.routers.retain(|name| {
            routers.iter().any(|router| router.name == *name)
                || server.work.iter().any(|held| held.router == *name)
        });
        server.routers.sort_unstable();
        for router in routers {
            let holds = server.work.iter().any(|held| held.router == router.name);
            if !router.is_busy() && !holds {
                router.unclaimed = 0;
            }
        }
    }
}
