//! One turn: think, act, observe, until an answer carries no action or the steps are used up.

mod think;

use futures::future::join_all;
use protocol::Outcome;

use crate::action::Observation;
use crate::answer::Action;
use crate::channel::Outgoing;
use crate::mind::Mind;
use crate::session::{Outlet, Session};
use crate::workspace::Artifact;

/// How many actions may follow on one another within a step without the model being asked.
const FOLLOW_UPS: usize = 3;

/// One message being answered.
pub struct Turn<'a> {
    /// What thinks and acts.
    pub mind: &'a Mind,
    /// The conversation.
    pub session: &'a mut Session,
    /// Where the answer goes.
    pub outlet: &'a Outlet,
}

impl Turn<'_> {
    /// Answers `message`. Whatever fails on the way is said to whoever can mend it; the message and what
    /// was said stay in the history.
    pub async fn run(mut self, message: &str) {
        self.session.said.clear();
        if let Err(why) = self.steps(message).await {
            self.outlet.say(Outgoing::Notice(why));
        }
        let said = std::mem::take(&mut self.session.said);
        self.mind.remember(message, &said);
    }

    /// The loop itself. Its error is for the user.
    async fn steps(&mut self, message: &str) -> Result<(), String> {
        let artifact = self.mind.workspace.artifact.read();
        let mut so_far = Vec::new();
        for _ in 0..self.mind.max_steps {
            let answer = self.think(message, &artifact, &so_far).await?;
            if answer.actions.is_empty() {
                return Ok(());
            }
            self.act(answer.actions, &mut so_far).await;
        }
        // What the last step brought deserves a word, but no further action.
        let answer = self.think(message, &artifact, &so_far).await?;
        if answer.actions.is_empty() {
            return Ok(());
        }
        let steps = self.mind.max_steps;
        Err(format!(
            "stopped after {steps} steps (max_steps in agent/config.json); say how to go on"
        ))
    }

    /// Runs the actions of one step side by side, and then what follows from them.
    async fn act(&mut self, actions: Vec<Action>, so_far: &mut Vec<Observation>) {
        let mut next = actions;
        for _ in 0..=FOLLOW_UPS {
            let running = next.into_iter().map(|action| self.run_one(action));
            let observed = join_all(running).await;
            next = observed.iter().filter_map(Observation::follow_up).collect();
            let cards = self.mind.cards();
            for observation in observed {
                self.session.observe(&observation, &cards);
                so_far.push(observation);
            }
            // Written after each step, so that a crash in the next one loses nothing.
            let fields = so_far.iter().map(|observation| observation.fields.clone()).collect();
            self.mind.save_artifact(Artifact(fields), self.outlet);
            if next.is_empty() {
                return;
            }
        }
    }

    async fn run_one(&self, action: Action) -> Observation {
        self.outlet.say(Outgoing::Working(format!("{} is running", action.name)));
        let observation = self.mind.actions.run(action, self.session, &self.mind.cards()).await;
        self.outlet.say(Outgoing::Action(observation.line()));
        if let (Outcome::Stopped(_), Some((id, text))) =
            (&observation.outcome, observation.question())
        {
            self.outlet.say(Outgoing::Question { id, text });
        }
        observation
    }
}
