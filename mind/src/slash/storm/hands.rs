//! What agents of a storm do in a chat: the actions of the sets that their files name, of those that are on. They run in the name
//! of a persona, in the owner's session, and with all bits that they may bring from the beginning on.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use answer::Action;
use async_trait::async_trait;
use conversation::message::{Origin, Outgoing};
use conversation::observation::Observation;
use conversation::workspace::Cards;
use persona::Persona;
use protocol::{SetName, Taint};
use session::{Caller, Outbox};
use storm::Cast;

use crate::Mind;
use crate::slash::perform::At;
use crate::storm::Hands;
use crate::turn::{InOrder, run};

/// The hands of one run.
pub(super) struct ChatHands {
    mind: Arc<Mind>,
    outbox: Outbox,
    caller: Caller,
    seen: Mutex<Vec<Observation>>,
}

impl ChatHands {
    /// The hands for `cast` in this chat; the session has what they may bring before anybody speaks.
    pub(super) fn of(at: &mut At<'_>, cast: &Cast, storm: &str) -> Arc<Self> {
        let mut bits = Taint { untrusted: true, private: false };
        for agent in cast.agents() {
            let sets = Persona::of(agent.name.as_str(), &agent.file).ok().and_then(|own| own.sets);
            for card in cards(at.mind, &sets.unwrap_or_default()).iter().flat_map(|cards| &cards.0)
            {
                let reads = card.reads.taint();
                bits.untrusted |= reads.untrusted;
                bits.private |= reads.private;
            }
        }
        at.session.entered.raise(bits, storm);
        let caller = Caller { origin: Origin::Persona, ..Caller::of(at.session) };
        let (mind, outbox) = (Arc::clone(at.mind), at.outbox.clone());
        Arc::new(Self { mind, caller: caller.heard_by(&outbox), outbox, seen: Mutex::default() })
    }

    /// What was seen of their actions by now, which is given once.
    pub(super) fn seen(&self) -> Vec<Observation> {
        // Poisoned, the list is still whole.
        std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The cards of those of `sets` that are on. What belongs to no set is not offered.
fn cards(mind: &Mind, sets: &BTreeSet<SetName>) -> [Arc<Cards>; 2] {
    let on = mind.sets.on();
    let is_offered = |set: &SetName| sets.contains(set) && on.contains(set);
    mind.cards().map(|cards| {
        let own = cards.0.iter().filter(|card| card.set.as_ref().is_some_and(is_offered));
        Arc::new(Cards(own.cloned().collect()))
    })
}

#[async_trait]
impl Hands for ChatHands {
    fn cards(&self, sets: &BTreeSet<SetName>) -> [Arc<Cards>; 2] {
        cards(&self.mind, sets)
    }

    async fn act(&self, mut actions: Vec<Action>, cards: &[Arc<Cards>; 2]) -> Vec<Observation> {
        let mut waiting = InOrder::out_of(&mut actions);
        let (mut next, mut all) = (VecDeque::from(actions), Vec::new());
        while let Some(action) = next.pop_front() {
            let seen = run(&self.mind, &self.outbox, &self.caller, action, cards).await;
            if let Some(action) = waiting.after(&seen) {
                next.push_front(action);
            }
            let left = waiting.left_by(&seen);
            for one in &left {
                self.outbox.say(Outgoing::Action(one.ended(self.mind.by_name)));
            }
            let mut kept = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(std::iter::once(&seen).chain(&left).cloned());
            all.push(seen);
            all.extend(left);
        }
        all
    }
}
