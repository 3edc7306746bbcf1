//! One turn: think, act, observe, until an answer carries no action or the steps are used up.

mod drive;
mod in_order;
mod published;
mod repeat;
mod run;
mod screen;
mod sorted;
mod think;
mod tried;

use answer::Action;
use business::Concern;
use cadence::Cadence;
use conversation::message::Outgoing;
use conversation::observation::Observation;
use conversation::workspace::Artifact;
use futures::stream::{FuturesUnordered, StreamExt};
use prompt::Passages;
use protocol::Object;
use session::{Caller, Outbox, Session};

pub(crate) use in_order::InOrder;
pub use run::run;
use think::Offered;
use tried::Tried;

use crate::Mind;

/// How many actions may follow on one another within a step without the model being asked.
const FOLLOW_UPS: usize = 3;

/// One message being answered.
pub struct Turn<'a> {
    /// What thinks and acts.
    pub mind: &'a Mind,
    /// The conversation.
    pub session: &'a mut Session,
    /// Where the answer goes.
    pub outbox: &'a Outbox,
}

impl Turn<'_> {
    /// Answers `message`. Whatever fails on the way is said to whoever can mend it; the message and what
    /// was said stay in the history.
    pub async fn run(mut self, message: &str) {
        self.session.said.clear();
        let reception = &self.mind.reception;
        let is_customer = reception.is_customer(&self.session.key);
        // `/ask` has searched already, and asks the papers.
        let searches = is_customer && self.session.known.found.is_empty();
        self.session.concern = if searches { self.sorted(message).await } else { None };
        if self.session.concern == Some(Concern::Request) {
            return self.session.hand_over(reception, message, self.outbox);
        }
        if searches {
            self.session.known = self.published(message).await;
        }
        let answered = match self.session.known.are_an_answer() {
            true => self.tell(message).await,
            false if self.is_at_the_workbench() => self.work(message).await,
            false => self.steps(message).await,
        };
        self.session.failure = answered.err();
        if searches {
            self.session.known = Passages::default();
        }
        if self.session.failure.is_some() && is_customer {
            // A customer never sees an error: a person is told.
            return self.session.hand_over(reception, message, self.outbox);
        }
        if let Some(why) = self.session.failure.clone() {
            self.outbox.say(Outgoing::Notice(why));
            if !self.session.known.are_an_answer() {
                self.outbox.say(Outgoing::Failed);
            }
        }
        let said = std::mem::take(&mut self.session.said);
        self.session.remember(message, &said);
        if is_customer && reception.profile().hands_over(&said) {
            self.session.escalate(reception, message, self.outbox);
        }
    }

    /// Does what a person has said yes to, and what follows from it. No model is asked what to do: it sees in the next turn
    /// what this has brought, beside what the latest one has.
    pub async fn go_on(mut self, action: Action) {
        let before = self.session.files.artifact.read().0.clone();
        let mut so_far = Vec::new();
        self.act(vec![action], &mut so_far, &before).await;
        // What the last of them says is the answer, and one line may not hold it.
        let said = so_far.last().filter(|last| last.action.is_local());
        if let Some(text) = said.and_then(Observation::beyond_its_line) {
            self.outbox.say(Outgoing::Text(text));
        }
    }

    /// Answers from the passages that `/ask` has found. No action is offered: a question to papers asks for none, and what stands
    /// in them starts none. Its error is for the user.
    async fn tell(&mut self, message: &str) -> Result<(), String> {
        let artifact = self.session.files.artifact.read();
        self.think(message, &artifact, &[], Offered::Words).await.map(drop)
    }

    /// The loop itself. Its error is for the user.
    async fn steps(&mut self, message: &str) -> Result<(), String> {
        let artifact = self.session.files.artifact.read();
        let (mut so_far, mut tried) = (Vec::new(), Tried::default());
        let steps = self.most_steps();
        for _ in 0..steps {
            let answer = self.think(message, &artifact, &so_far, Offered::All).await?;
            if answer.actions.is_empty() {
                return Ok(());
            }
            let (asked, before) = (answer.actions.clone(), so_far.len());
            self.act(answer.actions, &mut so_far, &[]).await;
            if tried.again(asked, &so_far[before..]) {
                return self.conclude(message, &artifact, &so_far).await;
            }
        }
        // What the last step brought deserves a word, but no further action.
        let answer = self.think(message, &artifact, &so_far, Offered::All).await?;
        if answer.actions.is_empty() {
            return Ok(());
        }
        Err(format!(
            "stopped after {steps} steps, so that it does not run on by itself; say \"go on\", or what to do instead"
        ))
    }

    /// How often whoever speaks may act for one message.
    fn most_steps(&self) -> usize {
        let cadence = self.session.speaker.as_ref().map(|speaker| speaker.cadence);
        match cadence {
            Some(Cadence::Drive) => usize::try_from(self.mind.budget.steps).unwrap_or(usize::MAX),
            _ => self.mind.max_steps,
        }
    }

    /// Has the model say how it stands, without anything to choose from: what it asked for brings nothing new.
    async fn conclude(
        &mut self,
        message: &str,
        artifact: &Artifact,
        so_far: &[Observation],
    ) -> Result<(), String> {
        match self.think(message, artifact, so_far, Offered::Nothing).await?.actions.as_slice() {
            [] => Ok(()),
            _ => Err(think::STUCK.to_owned()),
        }
    }

    /// Runs the actions of one step side by side, but the workbench's in their order, and then what follows from them. What they
    /// bring is kept behind `before`.
    async fn act(
        &mut self,
        actions: Vec<Action>,
        so_far: &mut Vec<Observation>,
        before: &[Object],
    ) {
        let mut next = actions;
        for _ in 0..=FOLLOW_UPS {
            let caller = Caller::of(self.session).heard_by(self.outbox);
            let (mind, outbox) = (self.mind, self.outbox);
            let cards = mind.cards_for(self.session);
            let start = async |action| {
                let seen = run(mind, outbox, &caller, action, &cards).await;
                mind.actions.read_apart(seen, &caller).await
            };
            // A customer hears the answer alone.
            let is_shown = !mind.reception.is_customer(&self.session.key);
            let mut waiting = InOrder::out_of(&mut next);
            let mut running: FuturesUnordered<_> = next.drain(..).map(&start).collect();
            // Taken in as each one ends, so that a turn that is stopped keeps what has already happened.
            while let Some(observation) = running.next().await {
                running.extend(waiting.after(&observation).map(&start));
                self.session.observe(&observation, &mind.cards());
                next.extend(observation.follow_up());
                let left = waiting.left_by(&observation);
                for seen in left.iter().filter(|_| is_shown) {
                    outbox.say(Outgoing::Action(seen.ended(mind.by_name)));
                }
                so_far.push(observation);
                so_far.extend(left);
                let brought = so_far.iter().map(|seen| seen.fields.clone());
                self.session.observed(before.iter().cloned().chain(brought).collect());
                drop(self.session.keep(outbox));
            }
            if next.is_empty() {
                return;
            }
        }
        let left: Vec<&str> = next.iter().map(|action| action.name.as_str()).collect();
        let left = left.join(", ");
        self.outbox.say(Outgoing::Notice(format!("{left}: not run, too many follow one another")));
    }
}
