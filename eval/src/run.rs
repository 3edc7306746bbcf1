//! Asks every utterance in one way, and keeps what is answered.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Instant;

use agent::answer::{Answer, Shown};
use agent::model::{Ask, Fit, TurnParts};
use agent::observation::Observation;
use agent::prompt::{Fence, Prompt, Sources, Step};
use agent::workspace::{Artifact, Entered, History, Memory, SOUL};
use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use protocol::{Object, Reply, SessionKey, Taint};

use crate::ask::{Lane, Server};
use crate::cards::Actions;
use crate::record::{Record, Records, shown};
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
    pub actions: &'a Actions,
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
        let mut records = Records::open(folder, self.server.model(), self.asked)?;
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

    /// What is answered to one, with the agent's prompt and forms, or with the first one's whole prompt.
    async fn one(
        &self,
        lane: &Lane,
        utterance: &Utterance,
        records: &mut Records,
    ) -> Result<Record> {
        if self.asked == Asked::Seed {
            let prompt = seed::prompt(utterance, self.actions);
            return self.answered(lane, &Ask::plain(&prompt), utterance, records).await;
        }
        let so_far = so_far(utterance)?;
        // The same fence for all, so that a server reads the beginning once.
        let prompt = Prompt::new(Fence::new(7))?;
        let key = session()?;
        let step = step(utterance, self.actions, &so_far, &key);
        let sections = Sources::built_in().gather(&step, &mut Entered::nothing()).await;
        let turn = TurnParts {
            message: &utterance.say,
            cards: self.actions.cards(),
            so_far: &so_far,
            memory: &Memory::default(),
            typed: &[],
        };
        self.answered(lane, &Ask::turn(&prompt, &sections, turn), utterance, records).await
    }

    /// The answer that is kept, or a new one.
    async fn answered(
        &self,
        lane: &Lane,
        ask: &Ask<'_>,
        utterance: &Utterance,
        records: &mut Records,
    ) -> Result<Record> {
        let digest = lane.digest(ask).await;
        if let Some(known) = records.of(&utterance.id, &digest) {
            return Ok(self.judged_again(known, utterance));
        }
        let begun = Instant::now();
        let completion = lane.ask(ask).await?;
        let record = Record {
            id: utterance.id.clone(),
            group: utterance.group,
            lang: utterance.lang,
            split: utterance.split,
            right: false,
            say: utterance.say.clone(),
            digest,
            calls: completion.calls.into_iter().map(|call| (call.name, call.params)).collect(),
            text: completion.text,
            actions: Vec::new(),
            error: None,
            ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            read: completion.usage.read,
            written: completion.usage.written,
        };
        let record = self.judged_again(&record, utterance);
        records.add(record.clone())?;
        Ok(record)
    }

    /// The record with the judgement of today: what is expected may have been corrected since.
    fn judged_again(&self, record: &Record, utterance: &Utterance) -> Record {
        let read = Answer::read(&record.completion(), self.actions.cards(), &Shown::default());
        let (actions, error) = match read {
            Ok(answer) => (answer.actions, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let right = error.is_none() && score::is_right(utterance, &actions, self.actions);
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
) -> Step<'a> {
    Step {
        session,
        taint: Taint::CLEAN,
        soul: SOUL,
        cards: actions.cards(),
        memory: &NOTHING.0,
        artifact: &NOTHING.1,
        history: &NOTHING.2,
        message: &utterance.say,
        known: &[],
        so_far,
        repair: None,
    }
}

/// Nothing is remembered, was done or was said before.
static NOTHING: LazyLock<(Memory, Artifact, History)> = LazyLock::new(Default::default);

/// What the turn's actions have brought.
fn so_far(utterance: &Utterance) -> Result<Vec<Observation>> {
    let observed = |fields: &Object| {
        Ok(Observation::of_reply(action_of(fields)?, Reply::from_fields(fields.clone())))
    };
    utterance.seen.iter().map(observed).collect()
}
