//! The workbench's way to answer: reply after reply, each with its commands, until one has none.
//!
//! The model is shown the task and what it has done so far as a conversation of its own, and the screen at the end; nothing of
//! the chat is in it. Commands are calls of one action, so the wall judges each. Other actions run when they are asked for
//! between tags.

use answer::sanitize::tame;
use answer::{Action, Answer, Shown, Words};
use cadence::{Cadence, Floor, Next, TurnEnd};
use conversation::message::Outgoing;
use conversation::observation::Observation;
use drive::{
    FencedCommand, Misread, Reply, Side, Spent, Task, TaskLine, before_repetition, example, guide,
    together,
};
use llm::{Ended, Message, ProviderName};
use model::{Ask, Completion, Hearer, Model, ModelError, Progress};
use prompt::screen_of;
use protocol::{ActionName, Object, Outcome, Status};
use serde_json::{Value, json};
use session::Session;

use super::Turn;
use super::in_order::WORKBENCH;
use super::repeat::Repeat;
use super::screen::{Begin, Screen};
use super::think::words_for;

/// What tells of the project itself.
const PROJECT: &str = ".project";

/// How much of a task is shown, in bytes: about 15,000 tokens.
const ROOM: usize = 60_000;

/// The least that is shown of it to a model with a small window, in bytes.
const LEAST: usize = 2_000;

/// The environments that are always there.
const ENVIRONMENTS: [&str; 3] = ["bash", "python", "editor"];

impl Turn<'_> {
    /// Whether what is said is for the workbench: one is open here, whoever speaks may use it, and there is a model to work.
    pub(super) fn is_at_the_workbench(&self) -> bool {
        let speaker = self.session.speaker.as_ref();
        let target = speaker.map_or_else(|| self.mind.model.first(), |one| one.target.clone());
        let cards = self.mind.cards_for(self.session);
        self.session.task().is_open
            && target.provider != ProviderName::Offline
            && cards[1].0.iter().any(|card| card.name.as_str() == WORKBENCH)
    }

    /// Works on `message` to the end of the task, or of its budget. Its error is for the user.
    pub(super) async fn work(&mut self, message: &str) -> Result<(), String> {
        let mut task = self.session.task();
        if task.is_new() {
            task.begin(&self.look().await?);
        }
        task.says(message);
        let (spent, again) = (Spent::default(), Again::default());
        let mut work = Work { turn: self, task, spent, again, room: ROOM, fault: None };
        let (mut ended, mut steps) = (Ok(()), Vec::new());
        while Cadence::Drive.next(&Floor { ended: &steps, ..Floor::default() }) != Next::Person {
            work.keep();
            steps.push(work.step().await.unwrap_or_else(|why| {
                ended = Err(why);
                TurnEnd::Failed
            }));
        }
        // What was replied is kept, whatever came of it.
        work.keep();
        ended
    }

    /// What lies in the folder, as the workbench tells it.
    async fn look(&mut self) -> Result<String, String> {
        let seen = self.command(PROJECT, "show").await?;
        match &seen.outcome {
            Outcome::Done(_) => Ok(tame(output(&seen.fields))),
            Outcome::Stopped(stopped) => Err(stopped.message.clone()),
        }
    }

    /// Has one environment do something.
    async fn command(&mut self, environment: &str, text: &str) -> Result<Observation, String> {
        let name = ActionName::new(WORKBENCH).map_err(|error| error.to_string())?;
        let params = json!({"env": environment, "command": text});
        let params = params.as_object().cloned().unwrap_or_default();
        let mut brought = Vec::new();
        self.act(vec![Action { name, params }], &mut brought, &[]).await;
        brought.pop().ok_or_else(|| "the workbench gave no answer".to_owned())
    }
}

/// What a model is told that asks for what has just run.
const AGAIN: &str = "[not run: you ran exactly this before, and its result stands above. If the task is done, say so in plain \
                     words, without a block. If something has to happen first, such as a wait, put that into the command.]";

/// What a person should know whose model does not answer here.
const OPEN: &str =
    "a folder is open, so messages are for the workbench; /work off goes back to the chat";

/// How often in a row the same commands were asked for: a small model may never stop.
#[derive(Debug, Default)]
struct Again {
    last: Vec<FencedCommand>,
    times: usize,
}

impl Again {
    /// Takes in the commands of a reply, and gives how often the very same ones came right before.
    fn count(&mut self, commands: &[FencedCommand]) -> usize {
        self.times = if self.last == commands { self.times + 1 } else { 0 };
        self.last = commands.to_vec();
        self.times
    }
}

/// A task that is being worked on.
struct Work<'w, 't> {
    turn: &'w mut Turn<'t>,
    task: Task,
    spent: Spent,
    again: Again,
    /// How much of it is shown, in bytes.
    room: usize,
    /// What was wrong with the latest reply.
    fault: Option<Misread>,
}

impl Work<'_, '_> {
    /// Keeps what was done by now, so that a task that is stopped goes on where it was.
    fn keep(&mut self) {
        self.turn.session.hold_task(&self.task);
        drop(self.turn.session.keep(self.turn.outbox));
    }

    /// One reply, and what it asks for.
    async fn step(&mut self) -> Result<TurnEnd, String> {
        let budget = self.turn.mind.budget;
        if let Some(why) = self.spent.is_up(budget) {
            return Err(why);
        }
        self.turn.session.said.clear();
        let environments = environments(self.turn.session);
        let completion = self.reply(&environments).await?;
        let text = Words::alone().whole(&completion.text);
        let text = match completion.ended {
            Ended::Repeating => before_repetition(&text, &environments),
            _ => &text,
        };
        let tokens = completion.usage.read.unwrap_or_default()
            + completion.usage.written.unwrap_or(completion.text.len() as u64 / 4);
        if let Some(told) = self.spent.count(tokens, budget) {
            self.turn.outbox.say(Outgoing::Notice(told));
        }
        self.task.replied(&tame(text.trim()));
        let read = Reply::read(text, &environments);
        let cut = completion.cut();
        self.turn.session.usage = Some(completion.usage.clone());
        if let (Some(cut), true) = (cut, read.as_ref().map_or(true, |r| r.commands.is_empty())) {
            return Err(format!("the answer was cut off {cut}; {}", completion.ended.mend()));
        }
        match read {
            Ok(reply) if reply.commands.is_empty() => self.without_a_command(&completion).await,
            Ok(reply) => match self.again.count(&reply.commands) {
                0 => self.carry_out(reply.commands).await,
                1 => {
                    self.task.brought(AGAIN);
                    Ok(TurnEnd::GoesOn)
                }
                _ => Err("the model asks for the same command again and again, so it was stopped; say how to go on"
                    .to_owned()),
            },
            Err(fault) => self.repair(fault, &environments),
        }
    }

    /// Tells the model once what was wrong. A block that is none of its own twice is a part of the answer.
    fn repair(&mut self, fault: Misread, environments: &[String]) -> Result<TurnEnd, String> {
        match (&fault, self.fault.replace(fault.clone())) {
            (Misread::Unknown(_), Some(Misread::Unknown(_)))
            | (Misread::Listed(_), Some(Misread::Listed(_))) => return Ok(TurnEnd::Whole),
            (Misread::Open(_), Some(Misread::Open(_))) => {
                return Err("the model's command can't be read, and nothing of it was run; say \
                            how to go on"
                    .to_owned());
            }
            _ => {}
        }
        self.task.brought(&fault.told(environments));
        Ok(TurnEnd::GoesOn)
    }

    /// Runs commands in their order, until the wall stops one.
    async fn carry_out(&mut self, commands: Vec<FencedCommand>) -> Result<TurnEnd, String> {
        self.fault = None;
        for (at, FencedCommand { environment, text }) in commands.into_iter().enumerate() {
            // The model has not seen what the screen shows after the one before.
            let text = if at == 0 { text } else { together(&text) };
            let seen = self.turn.command(&environment, &text).await?;
            self.task.brought(&brought(&environment, &seen));
            self.keep();
            match seen.outcome.status() {
                Status::Ok => {}
                Status::Pending => return Ok(TurnEnd::Whole),
                _ => break,
            }
        }
        Ok(TurnEnd::GoesOn)
    }

    /// A reply without a command ends the task, unless it asks for another action.
    async fn without_a_command(&mut self, completion: &Completion) -> Result<TurnEnd, String> {
        let cards = self.turn.mind.cards_for(self.turn.session);
        // The model was shown all that the task has brought, not only the latest of it.
        let shown = |text: &str| Object::from_iter([("text".to_owned(), json!(text))]);
        let shown: Vec<Object> = self.task.was_shown().map(shown).collect();
        let read = Answer::read(
            completion,
            [cards[0].0.as_slice(), cards[1].0.as_slice()],
            &Shown::of(shown.iter()),
        );
        let Ok(answer) = read else { return Ok(TurnEnd::Whole) };
        if answer.actions.is_empty() {
            return Ok(TurnEnd::Whole);
        }
        let mut seen = Vec::new();
        self.turn.act(answer.actions, &mut seen, &[]).await;
        for seen in &seen {
            let what = seen.fields.get("env").and_then(Value::as_str);
            self.task.brought(&brought(what.unwrap_or(seen.action.as_str()), seen));
        }
        let waits = seen.iter().any(|seen| seen.outcome.status() == Status::Pending);
        Ok(if waits { TurnEnd::Whole } else { TurnEnd::GoesOn })
    }

    /// The model's reply to the task as it stands. What is too long for its window is shown shorter.
    async fn reply(&mut self, environments: &[String]) -> Result<Completion, String> {
        let speaker = self.turn.session.speaker.clone();
        let model = self.turn.mind.cast.model(speaker.as_deref(), &self.turn.mind.model);
        let model = model.map_err(|error| error.to_string())?;
        loop {
            self.task.fit(self.room);
            match self.ask(&*model, environments).await {
                Err(error) if error.is_of_size() && self.room > LEAST => self.room /= 2,
                other => {
                    let outbox = self.turn.outbox;
                    return other.map_err(|error| format!("{}; {OPEN}", words_for(outbox, &error)));
                }
            }
        }
    }

    async fn ask(
        &mut self,
        model: &dyn Model,
        environments: &[String],
    ) -> Result<Completion, ModelError> {
        let (mind, outbox) = (self.turn.mind, self.turn.outbox);
        let session = &mut *self.turn.session;
        let speaker = session.speaker.clone();
        let soul = mind.workspace.soul.read();
        let soul = speaker.as_ref().map_or(soul.as_str(), |speaker| speaker.soul.as_str());
        let system = guide(soul, environments);
        let artifact = session.files.artifact.read();
        let screen = screen_of(artifact.0.iter().rev()).map(|screen| tame(&screen));
        let task = self.task.messages(&screen.unwrap_or_default());
        let mut earlier: Vec<Message> = example().into_iter().chain(task).map(message).collect();
        let last = earlier.pop().map(|message| message.text).unwrap_or_default();
        session.files.write_prompt_cache(&written(&system, &earlier, &last));
        let hearer = Hearer::of(&session.key);
        let is_private = session.entered.taint().private;
        let ask = Ask::chat(&system, &earlier, &last).private(is_private).heard_by(&hearer);
        let temperature = speaker.as_ref().and_then(|speaker| speaker.temperature);
        let ask = temperature.map_or(ask, |temperature| ask.with_temperature(temperature));
        let (mut repeat, begin) = (
            Repeat::default(),
            Begin { cards: [&[], &[]], thinks_first: None, is_words_alone: true },
        );
        let said = (&mut session.said, &mut session.prefix);
        let mut shows = Screen::new((outbox, said), &hearer, begin, &mut repeat);
        let completed = model.complete(&ask, &mut |step: Progress<'_>| shows.hear(step)).await;
        shows.finish();
        completed
    }
}

/// What the whole request says, for people who want to see what the model saw.
fn written(system: &str, earlier: &[Message], last: &str) -> String {
    let earlier: String = earlier.iter().map(|message| format!("{}\n\n", message.text)).collect();
    format!("{system}\n{earlier}{last}")
}

fn message(TaskLine { role, text }: TaskLine) -> Message {
    let role = match role {
        Side::User => llm::Role::User,
        Side::Assistant => llm::Role::Assistant,
    };
    Message { role, text }
}

/// The environments that the latest screen shows, or those that are always there.
fn environments(session: &Session) -> Vec<String> {
    let artifact = session.files.artifact.read();
    let shown = artifact.0.iter().rev().find_map(|fields| fields.get("screen")?.as_object());
    let shown = shown.into_iter().flat_map(|panels| panels.keys().map(String::as_str));
    let mut names: Vec<String> = ENVIRONMENTS.map(str::to_owned).to_vec();
    names.extend(shown.filter(|name| !ENVIRONMENTS.contains(name)).map(str::to_owned));
    names
}

/// What the model is told of a command that has run, or why it has not.
fn brought(environment: &str, seen: &Observation) -> String {
    let told = match &seen.outcome {
        Outcome::Stopped(stopped) if seen.outcome.status() == Status::Pending => {
            format!("[{environment}] not run yet, a person is asked: {}", stopped.message)
        }
        Outcome::Stopped(stopped) => format!("[{environment}] not run: {}", stopped.message),
        Outcome::Done(_) => {
            let code = seen.fields.get("exit_code").and_then(Value::as_i64);
            let code = code.map(|code| format!(" exit code {code}")).unwrap_or_default();
            let text = match seen.fields.get("output") {
                Some(_) => output(&seen.fields).to_owned(),
                None => seen.text(),
            };
            format!("[{environment}]{code}\n{}", text.trim_end())
        }
    };
    tame(&told)
}

fn output(fields: &Object) -> &str {
    fields.get("output").and_then(Value::as_str).unwrap_or_default()
}
