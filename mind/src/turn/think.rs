//! The thinking in a turn: prompt, model, answer, and one chance to mend an answer that can't be read.

use std::sync::Arc;

use answer::{Answer, AnswerError, Shown};
use conversation::message::Outgoing;
use conversation::observation::Observation;
use conversation::workspace::Artifact;
use model::{Ask, Completion, Hearer, ModelError, Progress, TurnParts};
use prompt::Step;
use protocol::ActionCard;
use session::Outbox;

use super::Turn;
use super::repeat::Repeat;
use super::screen::{Begin, Screen};

/// What people hear when a model goes round in a circle.
pub(super) const STUCK: &str = "stopped: the model asked for the same again, and it brought the same again; \
     say how to go on";

/// What the model may choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offered {
    /// All actions.
    All,
    /// None: it should say how it stands.
    Nothing,
    /// None: it is asked for words, and may try twice.
    Words,
}

impl Turn<'_> {
    /// The model's answer to the turn as it stands.
    ///
    /// # Errors
    /// Words for the user: no model could answer, or the answer can't be read, twice.
    pub(super) async fn think(
        &mut self,
        message: &str,
        artifact: &Artifact,
        so_far: &[Observation],
        offered: Offered,
    ) -> Result<Answer, String> {
        let cards = self.mind.cards_for(self.session);
        let cards = match offered {
            Offered::All => [cards[0].0.as_slice(), cards[1].0.as_slice()],
            Offered::Nothing | Offered::Words => [&[] as &[ActionCard]; 2],
        };
        let mut repair: Option<String> = None;
        let mut repeat = Repeat::default();
        loop {
            let thought = Thought { message, artifact, so_far, cards, repair: repair.as_deref() };
            let before = self.session.said.len();
            let completion = self.complete(&thought, &mut repeat).await?;
            let memory = self.session.files.memory.read();
            let seen = so_far.iter().map(|seen| &seen.fields);
            let shown = Shown::of(seen.chain(&artifact.0).chain([&memory.facts]));
            let read = Answer::read(&completion, cards, &shown);
            let cut = completion.cut();
            self.session.usage = Some(completion.usage);
            if let Some(cut) = cut {
                let mend = completion.ended.mend();
                return self.cut_off((&cut, mend), read, !completion.calls.is_empty());
            }
            match read {
                Ok(answer) => return Ok(answer),
                Err(_) if offered == Offered::Nothing => return Err(STUCK.to_owned()),
                Err(error) if repair.is_none() => {
                    tracing::info!(%error, "the model is shown what is wrong with its answer");
                    repair = Some(error.to_string());
                    repeat = Repeat::of(self.session.said[before..].trim_start());
                }
                Err(AnswerError::Empty) => {
                    return Err("the model gave no answer, twice; say it again, or in other words"
                        .to_owned());
                }
                Err(error) => {
                    return Err(format!(
                        "the model's answer can't be read, and nothing of it was run: {error}"
                    ));
                }
            }
        }
    }

    /// What becomes of an answer that its server cut off: its words stand, and so do actions that were whole by then. Of
    /// calls beside the text nobody knows whether the last one was. Another try would be as long, and be cut off as well.
    fn cut_off(
        &self,
        (cut, more): (&str, &str),
        read: Result<Answer, AnswerError>,
        has_calls: bool,
    ) -> Result<Answer, String> {
        match read {
            Ok(answer) if !has_calls => {
                self.outbox.say(Outgoing::Notice(format!("the answer was cut off {cut}; {more}")));
                Ok(answer)
            }
            Err(AnswerError::Empty) => Err(format!(
                "the answer was cut off {cut} of thoughts, before its first word; {more}"
            )),
            _ => Err(format!("the answer was cut off {cut}, and no action of it was run; {more}")),
        }
    }

    /// One completion; its words go to the user as they come.
    async fn complete(
        &mut self,
        thought: &Thought<'_>,
        repeat: &mut Repeat,
    ) -> Result<Completion, String> {
        let Thought { message, artifact, so_far, cards, repair } = *thought;
        let (workspace, files) = (&self.mind.workspace, Arc::clone(&self.session.files));
        let (memory, notes) = (files.memory.read(), files.notes.read());
        let sources = &self.mind.sources;
        for notice in self.session.prompt.check(workspace.prompt.read().as_str(), sources) {
            self.outbox.say_fault(notice.to_string());
        }
        let speaker = self.session.speaker.clone();
        let model = self.mind.cast.model(speaker.as_deref(), &self.mind.model);
        let model = model.map_err(|error| error.to_string())?;
        let (soul, history) = (workspace.soul.read(), files.history.read());
        let soul = speaker.as_ref().map_or(soul.as_str(), |speaker| &speaker.soul);
        let (reception, concern) = (&self.mind.reception, self.session.concern);
        let business =
            reception.is_customer(&self.session.key).then(|| reception.profile().persona(concern));
        let soul = self.mind.instructions(&self.session.key, business.as_deref().unwrap_or(soul));
        let step = Step {
            session: &self.session.key,
            taint: self.session.entered.taint(),
            soul: &soul,
            cards,
            memory: &memory,
            notes: Some(&notes),
            artifact,
            history: &history,
            known: &self.session.known,
            message,
            so_far,
            repair,
        };
        let sections = sources.gather(&step, &mut self.session.entered).await;
        let prompt = &self.session.prompt;
        let typed = self.session.entered.typed();
        let turn =
            TurnParts { message, cards, so_far, memory: &memory, history: &history, typed: &typed };
        let hearer = Hearer::of(&self.session.key);
        let begin =
            Begin { cards, thinks_first: self.session.thinks_first.clone(), is_words_alone: false };
        let said = (&mut self.session.said, &mut self.session.prefix);
        let mut screen = Screen::new((self.outbox, said), &hearer, begin, repeat);
        let is_private = self.session.entered.taint().private;
        let mut ask = Ask::turn(prompt, &sections, turn).private(is_private).heard_by(&hearer);
        // What understands a few sentences without a model answers nothing from passages.
        ask = ask.by_a_model(business.is_some() || self.session.known.are_an_answer());
        if let Some(temperature) = speaker.as_ref().and_then(|speaker| speaker.temperature) {
            ask = ask.with_temperature(temperature);
        }
        let mut hear = |progress: Progress<'_>| match progress {
            Progress::Prompt(prompt) => files.write_prompt_cache(prompt),
            // Which model answers is none of a customer's business.
            Progress::Notice(notice) if business.is_some() => tracing::info!("{notice}"),
            progress => screen.hear(progress),
        };
        let completed = model.complete(&ask, &mut hear).await;
        let seen = screen.finish();
        let mut completion = completed.map_err(|error| words_for(self.outbox, &error))?;
        self.book(&completion);
        completion.usage.first_token = seen.first_token(completion.usage.first_token);
        self.session.thinks_first = seen.thinks_first();
        Ok(completion)
    }

    /// Takes in what a completion has cost, and whether it was an answer at all.
    fn book(&self, completion: &Completion) {
        if completion.unanswered {
            self.outbox.say(Outgoing::Failed);
        }
        self.mind.spent(&self.session.key, self.session.origin, &completion.usage);
    }
}

/// What is thought about.
#[derive(Clone, Copy)]
struct Thought<'a> {
    message: &'a str,
    artifact: &'a Artifact,
    so_far: &'a [Observation],
    cards: [&'a [ActionCard]; 2],
    /// What is wrong with the first try, if this is the second.
    repair: Option<&'a str>,
}

/// What the people of `outbox` hear of a failure.
pub(super) fn words_for(outbox: &Outbox, error: &ModelError) -> String {
    if outbox.is_owners() {
        return error.to_string();
    }
    tracing::warn!(%error, "a guest has no answer");
    error.for_guests().to_owned()
}
