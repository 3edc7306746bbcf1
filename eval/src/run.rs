//! Asks every utterance in one way, and keeps what is answered.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use answer::{Action, Answer, Shown};
use anyhow::{Context, Result};
use conversation::observation::Observation;
use conversation::workspace::{Artifact, Entered, History, Memory, SOUL};
use indicatif::{ProgressBar, ProgressStyle};
use model::{Ask, Completion, Fit, TurnParts};
use prompt::{self, Fence, Passages, Prompt, Sources};
use protocol::{Object, Reply, SessionKey, Taint};

use crate::ask::{Lane, Server};
use crate::cards::{Actions, Homes};
use crate::record::{Record, Records, Step, shown};
use crate::utterance::{Asked, Utterance, action_of};
use crate::{score, seed};

/// What a prompt may be long, in bytes: a window of 8,192 tokens with room for the answer.
const BYTES: usize = 20_000;

/// One way of asking one model.
#[derive(Debug)]
pub struct Run<'a> {
    /// The model.
    pub server: &'a Server,
    /// What can be called.
    pub homes: &'a Homes,
    /// How it is asked.
    pub asked: Asked,
    /// Ask again what was asked before.
    pub fresh: bool,
}

impl Run<'_> {
    /// Asks `utterances` and gives their records, those from before included.
    ///
    /// # Errors
    /// When the model does not answer, or nothing can be kept.
    pub async fn over(&self, utterances: &[Utterance], folder: &Path) -> Result<Vec<Record>> {
        let mut records = Records::open(folder, self.server.model(), &self.asked.to_string())?;
        if self.fresh {
            records.forget(utterances.iter().map(|utterance| utterance.id.as_str()))?;
        }
        let lane = self.server.asked(self.asked.way())?;
        let bar = ProgressBar::new(utterances.len() as u64);
        bar.set_style(ProgressStyle::with_template(
            "{prefix:9} [{bar:30}] {pos}/{len} {msg} {eta}",
        )?);
        bar.set_prefix(self.asked.to_string());
        let mut list = Vec::new();
        for utterance in utterances {
            list.push(self.one(&lane, utterance, &mut records).await?);
            let right = list.iter().filter(|record| record.right).count();
            bar.set_message(format!("{right} right"));
            bar.inc(1);
        }
        bar.finish();
        let known = list.len() - records.added();
        if known > 0 {
            eprintln!(
                "{}: {known} of {} were asked before; --fresh asks again",
                self.asked,
                list.len()
            );
        }
        Ok(list)
    }

    /// What comes of one, with the agent's prompt and forms, or with the first one's whole prompt.
    async fn one(
        &self,
        lane: &Lane,
        utterance: &Utterance,
        records: &mut Records<Record>,
    ) -> Result<Record> {
        let mut turn = Turn {
            actions: self.homes.with(utterance.skills),
            utterance,
            so_far: so_far(utterance)?,
        };
        let digest = turn.digest(lane, self.asked).await?;
        if let Some(known) = records.of(&utterance.id, &digest) {
            return Ok(self.judged_again(known, utterance));
        }
        let begun = Instant::now();
        let steps = turn.run(lane, self.asked).await?;
        let record = Record {
            id: utterance.id.clone(),
            group: utterance.group,
            lang: utterance.lang,
            split: utterance.split,
            right: false,
            say: utterance.say.clone(),
            digest,
            steps,
            actions: Vec::new(),
            error: None,
            ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let record = self.judged_again(&record, utterance);
        records.add(record.clone())?;
        Ok(record)
    }

    /// The record with the judgement of today: what is expected may have been corrected since.
    fn judged_again(&self, record: &Record, utterance: &Utterance) -> Record {
        let known = self.homes.with(utterance.skills);
        let (mut actions, mut error) = (Vec::new(), None);
        for (place, step) in record.steps.iter().enumerate() {
            match Answer::read(&step.completion(), known.cards(), &Shown::default()) {
                Ok(answer) => actions.extend(answer.actions),
                // What was done by then is done.
                Err(why) if place == 0 => error = Some(why.to_string()),
                Err(_) => {}
            }
        }
        let right = error.is_none() && score::is_right(utterance, &actions, known);
        Record {
            right,
            error,
            actions: actions.iter().map(shown).collect(),
            group: utterance.group,
            split: utterance.split,
            ..record.clone()
        }
    }
}

/// How many steps a turn may have here.
const STEPS: usize = 4;

/// One message being answered, as the agent's turn does it: its actions are not run, and bring what brought.toml says.
struct Turn<'a> {
    actions: &'a Actions,
    utterance: &'a Utterance,
    so_far: Vec<Observation>,
}

impl Turn<'_> {
    /// What tells what is asked first from everything else.
    async fn digest(&self, lane: &Lane, asked: Asked) -> Result<String> {
        if asked == Asked::Seed {
            let prompt = seed::prompt(self.utterance, self.actions);
            return Ok(lane.digest(&Ask::plain(&prompt)).await);
        }
        let (prompt, key) = (Prompt::new(Fence::new(7))?, session()?);
        let step = step(self.utterance, self.actions, &self.so_far, &key);
        let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
        Ok(lane.digest(&Ask::turn(&prompt, &sections, self.parts())).await)
    }

    /// The answers, one after the other, until one asks for no action or for the same again.
    async fn run(&mut self, lane: &Lane, asked: Asked) -> Result<Vec<Step>> {
        let (mut steps, mut before) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            let completion = self.think(lane, asked).await?;
            steps.push(Step::of(&completion));
            let read = Answer::read(&completion, self.actions.cards(), &Shown::default());
            let actions = read.map(|answer| answer.actions).unwrap_or_default();
            if actions.is_empty() || asked == Asked::Seed || before.contains(&actions) {
                break;
            }
            for action in &actions {
                self.so_far.push(brought(action)?);
            }
            before.push(actions);
        }
        Ok(steps)
    }

    async fn think(&self, lane: &Lane, asked: Asked) -> Result<Completion> {
        if asked == Asked::Seed {
            let prompt = seed::prompt(self.utterance, self.actions);
            return lane.ask(&Ask::plain(&prompt)).await;
        }
        // The same fence for all, so that a server reads the beginning once.
        let (prompt, key) = (Prompt::new(Fence::new(7))?, session()?);
        let step = step(self.utterance, self.actions, &self.so_far, &key);
        let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
        lane.ask(&Ask::turn(&prompt, &sections, self.parts())).await
    }

    fn parts(&self) -> TurnParts<'_> {
        TurnParts {
            message: &self.utterance.say,
            cards: self.actions.cards(),
            so_far: &self.so_far,
            memory: &NOTHING.0,
            history: &NOTHING.2,
            typed: &[],
        }
    }
}

/// What an action brings that nobody runs.
fn brought(action: &Action) -> Result<Observation> {
    let all: BTreeMap<String, Object> =
        toml::from_str(BROUGHT).context("eval/brought.toml can't be read")?;
    let mut fields = all.get(action.name.as_str()).cloned().unwrap_or_default();
    fields.insert("status".to_owned(), "ok".into());
    fields.insert("action".to_owned(), action.name.to_string().into());
    Ok(Observation::of_reply(action.name.clone(), Reply::from_fields(fields)))
}

/// The file, as it was when this was built.
const BROUGHT: &str = include_str!("../brought.toml");

/// The agent's own prompt for a small model: what is stable of it, and the rest.
///
/// # Errors
/// When the built-in template or what was seen can't be read.
pub async fn prompt(
    utterance: &Utterance,
    actions: &Actions,
    asked: Asked,
) -> Result<(String, String)> {
    let so_far = so_far(utterance)?;
    let fit = Fit { is_small: true, ..Fit::of(asked.way(), BYTES) };
    let key = session()?;
    let step = step(utterance, actions, &so_far, &key);
    let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
    let rendered = Prompt::new(Fence::new(7))?.render(&sections, fit);
    let (stable, rest) = rendered.text.split_at(rendered.stable);
    Ok((stable.to_owned(), rest.to_owned()))
}

/// The session in which everything is asked.
fn session() -> Result<SessionKey> {
    Ok(SessionKey::new("owner".to_owned())?)
}

fn step<'a>(
    utterance: &'a Utterance,
    actions: &'a Actions,
    so_far: &'a [Observation],
    session: &'a SessionKey,
) -> prompt::Step<'a> {
    prompt::Step {
        session,
        taint: Taint::CLEAN,
        soul: SOUL,
        cards: actions.cards(),
        memory: &NOTHING.0,
        artifact: &NOTHING.1,
        history: &NOTHING.2,
        message: &utterance.say,
        notes: None,
        known: &NOTHING.3,
        so_far,
        repair: None,
    }
}

/// Nothing is remembered, was done, was said before or was found.
static NOTHING: LazyLock<(Memory, Artifact, History, Passages)> = LazyLock::new(Default::default);

/// What the turn's actions have brought.
fn so_far(utterance: &Utterance) -> Result<Vec<Observation>> {
    let observed = |fields: &Object| {
        Ok(Observation::of_reply(action_of(fields)?, Reply::from_fields(fields.clone())))
    };
    utterance.seen.iter().map(observed).collect()
}
