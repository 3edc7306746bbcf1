//! The thinking in a turn: prompt, model, answer, and one chance to mend an answer that can't be read.

use std::sync::Arc;

use protocol::{ActionCard, Taint};

use super::Turn;
use super::repeat::Repeat;
use crate::action::Observation;
use crate::answer::{Answer, Shown, Words};
use crate::channel::Outgoing;
use crate::mind::Mind;
use crate::model::{Ask, Completion, Fit, Hearer, Model, ModelError, Progress, TurnParts};
use crate::prompt::Parts;
use crate::session::Outlet;
use crate::workspace::Artifact;

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
    ) -> Result<Answer, String> {
        let cards = self.mind.cards();
        let cards = [cards[0].0.as_slice(), cards[1].0.as_slice()];
        let mut repair: Option<String> = None;
        let mut repeat = Repeat::default();
        loop {
            let thought = Thought { message, artifact, so_far, cards, repair: repair.as_deref() };
            let before = self.session.said.len();
            let completion = self.complete(&thought, &mut repeat).await?;
            let memory = self.session.papers.memory.read();
            let seen = so_far.iter().map(|seen| &seen.fields);
            let shown = Shown::of(seen.chain(&artifact.0).chain([&memory.facts]));
            let read = Answer::read(&completion, cards, &shown);
            self.session.usage = Some(completion.usage);
            match read {
                Ok(answer) => return Ok(answer),
                Err(error) if repair.is_none() => {
                    tracing::info!(%error, "the model is shown what is wrong with its answer");
                    repair = Some(error.to_string());
                    repeat = Repeat::of(self.session.said[before..].trim_start());
                }
                Err(error) => {
                    return Err(format!(
                        "the model's answer can't be read, and nothing of it was run: {error}"
                    ));
                }
            }
        }
    }

    /// One completion; its words go to the user as they come.
    async fn complete(
        &mut self,
        thought: &Thought<'_>,
        repeat: &mut Repeat,
    ) -> Result<Completion, String> {
        let Thought { message, artifact, so_far, cards, repair } = *thought;
        let (workspace, papers) = (&self.mind.workspace, Arc::clone(&self.session.papers));
        let memory = papers.memory.read();
        if memory.holds_private() {
            let private = Taint { untrusted: false, private: true };
            self.session.entered.raise(private, "memory.json");
        }
        for notice in self.session.prompt.check(workspace.prompt.read().as_str()) {
            self.outlet.say_fault(notice.to_string());
        }
        let (soul, history) = (workspace.soul.read(), papers.history.read());
        let parts = Parts {
            soul: soul.as_str(),
            agent_actions: cards[0],
            router_actions: cards[1],
            memory: &memory,
            artifact,
            history: &history,
            message,
            so_far,
            repair,
        };
        let prompt = &self.session.prompt;
        let write = |fit: Fit<'_>| {
            let rendered = prompt.render(&parts, fit);
            papers.write_prompt_cache(&rendered.text);
            rendered
        };
        let typed = self.session.entered.typed();
        let turn = TurnParts { message, cards, so_far, memory: &memory, typed: &typed };
        let hearer = Hearer::of(&self.session.key);
        let said = &mut self.session.said;
        let mut screen = Screen { outlet: self.outlet, said, repeat, hearer: &hearer };
        ask(self.mind, &mut screen, cards, &Ask::turn(&write, turn).heard_by(&hearer)).await
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

/// Where words go.
struct Screen<'a> {
    outlet: &'a Outlet,
    said: &'a mut String,
    repeat: &'a mut Repeat,
    hearer: &'a Hearer,
}

impl Screen<'_> {
    /// Shows a piece; one that begins what an answer says is set apart from what was said before.
    fn show(&mut self, piece: String, separate: &mut bool) {
        if piece.is_empty() {
            return;
        }
        if std::mem::take(separate) && !piece.starts_with('\n') {
            self.said.push('\n');
        }
        self.said.push_str(&piece);
        self.hearer.sees();
        self.outlet.say(Outgoing::Words(piece));
    }
}

/// Asks, and shows the words as they come.
async fn ask(
    mind: &Mind,
    screen: &mut Screen<'_>,
    cards: [&[ActionCard]; 2],
    ask: &Ask<'_>,
) -> Result<Completion, String> {
    let outlet = screen.outlet;
    let mut name = String::new();
    let (mut words, first) = (Words::new(cards), screen.repeat.clone());
    // A second try sets itself apart from the first.
    let mut separate = !screen.said.is_empty() && !screen.repeat.is_second();
    let mut hear = |progress: Progress<'_>| match progress {
        Progress::Asked { by, number } => {
            name = name_for(outlet, by, number);
            outlet.say(Outgoing::Working(format!("{name} is thinking")));
            // Of what the one before has written, nothing was shown.
            (words, *screen.repeat) = (Words::new(cards), first.clone());
        }
        Progress::Piece(piece) => {
            let piece = screen.repeat.new_of(words.push(piece));
            screen.show(piece, &mut separate);
        }
        Progress::Waiting { waited, limit } => outlet.say(Outgoing::Waiting(format!(
            "{name} is thinking, {} s of at most {} s",
            waited.as_secs(),
            limit.as_secs()
        ))),
        Progress::Notice(notice) => outlet.say_notice(&notice),
    };
    let completed = mind.model.complete(ask, &mut hear).await;
    let piece = screen.repeat.new_of(words.finish());
    screen.show(piece, &mut separate);
    completed.map_err(|error| words_for(outlet, &error))
}

/// What the people of `outlet` call the one who is asked for the so-manieth time.
fn name_for(outlet: &Outlet, by: &str, number: usize) -> String {
    // Where it is, is not a guest's business.
    let name = if outlet.is_owners() { by } else { "the model" };
    if number == 1 { name.to_owned() } else { format!("{name} (try {number})") }
}

/// What the people of `outlet` hear of a failure.
fn words_for(outlet: &Outlet, error: &ModelError) -> String {
    if outlet.is_owners() {
        return error.to_string();
    }
    tracing::warn!(%error, "a guest has no answer");
    error.for_guests().to_owned()
}
