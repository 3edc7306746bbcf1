//! `/plan GOAL`: has the model write down steps, shows them, and does one after the other.

use std::sync::Arc;

use answer::Words;
use answer::sanitize::{fit, one_line};
use async_trait::async_trait;
use conversation::message::Outgoing;
use model::{Ask, Hearer, Progress};

use super::perform::{At, Perform, Read};
use crate::turn::Turn;

/// How many steps a plan may have.
const MOST: usize = 8;

/// How long one step may be, in bytes.
const STEP: usize = 400;

/// What a model is told that plans.
const PLANNER: &str = "Write the plan for what the user wants: at most 8 numbered steps, one on each line, and nothing else. \
     Each step is one thing to do, in the order in which it has to be done.";

#[derive(Debug)]
struct Plan(String);

pub(super) fn read(rest: &str) -> Read {
    match rest.trim() {
        "" => Err("say what is to be reached: /plan GOAL".to_owned()),
        goal => Ok(Arc::new(Plan(goal.to_owned()))),
    }
}

#[async_trait]
impl Perform for Plan {
    async fn perform(&self, at: At<'_>) {
        at.session.speaks_as_chosen(&at.mind.cast.roster());
        let steps = match self.steps(&at).await {
            Ok(steps) => steps,
            Err(why) => return at.notice(why),
        };
        at.text(listed(&steps, 0));
        let (role, who) = (at.session.origin.into(), at.session.principal.clone());
        at.session.record(role, who.as_str(), &self.0);
        for (done, step) in steps.iter().enumerate() {
            let told = format!("step {} of {}: {step}", done + 1, steps.len());
            at.remark(told.as_str());
            let message = format!("{}\nDo only this now, {told}", self.0);
            let turn = Turn { mind: at.mind, session: &mut *at.session, outbox: at.outbox };
            turn.run(&message).await;
            if at.session.failure.is_some() {
                return at.text(format!("The plan stops here. Left:\n{}", listed(&steps, done)));
            }
        }
        at.text("All steps of the plan are done.");
    }
}

impl Plan {
    /// The steps as the model has them.
    async fn steps(&self, at: &At<'_>) -> Result<Vec<String>, String> {
        let speaker = at.session.speaker.as_deref();
        let model = at.mind.cast.model(speaker, &at.mind.model);
        let model = model.map_err(|error| error.to_string())?;
        let hearer = Hearer::of(&at.session.key);
        let ask = Ask::chat(PLANNER, &[], &self.0).private(false).heard_by(&hearer);
        let what = "the plan is being made";
        at.outbox.say(Outgoing::Working(what.to_owned()));
        let mut hear = |progress: Progress<'_>| at.outbox.say_progress(what, &progress);
        let planned = model.complete(&ask, &mut hear).await.map_err(|error| error.to_string())?;
        if let Some(cut) = planned.cut() {
            let mend = planned.ended.mend();
            return Err(format!("the plan was cut off {cut}, and nothing of it was done; {mend}"));
        }
        match steps(&Words::alone().whole(&planned.text)) {
            steps if steps.is_empty() => {
                Err("the model has written no plan; say the goal in other \
                                              words, or ask for the first step yourself"
                    .to_owned())
            }
            steps => Ok(steps),
        }
    }
}

/// The numbered lines of `text`, without their numbers.
fn steps(text: &str) -> Vec<String> {
    let step = |line: &str| {
        let line = line.trim_start().trim_start_matches('*');
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let step = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < line.len())?;
        let step = fit(&one_line(step.trim_matches([' ', '*'])), STEP);
        (!step.is_empty()).then_some(step)
    };
    text.lines().filter_map(step).take(MOST).collect()
}

/// The steps from `first` on, with their numbers.
fn listed(steps: &[String], first: usize) -> String {
    let line = |(at, step): (usize, &String)| format!("{}. {step}", at + 1);
    steps.iter().enumerate().skip(first).map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_lines_are_steps() {
        let text = "Here is the plan:\n\n1. Read a.txt\n2) Write b.txt\n**3.** Check it\n- 4\nThat is all.";
        assert_eq!(steps(text), ["Read a.txt", "Write b.txt", "Check it"]);
        assert_eq!(steps("I can't. 2 of 3 things are missing."), [""; 0]);
        assert_eq!(steps(&"1. x\n".repeat(20)).len(), MOST);
    }
}
