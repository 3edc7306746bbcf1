//! Reads what others have written apart from the conversation: a model is shown the text and what is wanted of it, and nothing
//! else. It can do nothing, so that an order in the text reaches nobody who could carry it out, and what comes back is short.
//!
//! It reads for `_LLM_SUMMARY`, for watches, and for the actions whose results the owner wants to have read apart: of these the
//! conversation never holds the text itself. What comes back brings the trust bits of the text all the same.

mod pieces;
mod prompt;

use std::collections::BTreeSet;
use std::sync::Arc;

use protocol::{ActionName, Code, Done, Object, Outcome, Reads, Stopped};
use serde_json::json;

use ::prompt::Fence;
use answer::Words;
use conversation::observation::{Observation, lines_of, speaks};
use conversation::workspace::{OutputText, SessionFiles};
use model::{Ask, Hearer, Model, ModelError, Picture, Progress, Usage};
use pieces::pieces;
use prompt::Wanted;
use session::Caller;

/// How much a model reads at once, in bytes: about 4,000 tokens, half of a small model's window.
const PIECE: usize = 16 * 1024;

/// How many pieces of a text are read: each is a thought of its own.
const PIECES: usize = 12;

/// How much of a text is read, in bytes.
pub(super) const LONGEST: u64 = (PIECE * PIECES) as u64;

/// How much of the notes on one piece is kept, in characters, so that all notes fit a model's window together.
const NOTES: usize = PIECE / PIECES;

/// How much of what was read apart comes into the conversation, in characters.
const BACK: usize = 1_200;

/// How much is shown where there is no model to read it, in characters.
const BEGINNING: usize = 1_500;

/// Has a model read texts that others have written.
pub struct ApartReader {
    model: Arc<dyn Model>,
    fence: Fence,
    /// The actions whose results are read here, and not in the conversation.
    apart: BTreeSet<ActionName>,
}

/// Who wants a text to be read, and as what.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// What is read, for people.
    pub(super) name: &'a ActionName,
    /// Who hears how it gets on.
    pub(super) caller: &'a Caller,
    /// What a person wants to find out; else a summary is wanted.
    pub(super) question: Option<&'a str>,
    /// What a model that sees is shown as well.
    pub(super) picture: Option<&'a Picture>,
}

impl ApartReader {
    /// Has `model` read; a text stands inside `fence`. The results of the actions in `apart` are read here.
    #[must_use]
    pub fn new(model: Arc<dyn Model>, fence: Fence, apart: BTreeSet<ActionName>) -> Self {
        Self { model, fence, apart }
    }

    /// What the conversation is shown of `seen`: it as it is, or what a model made of it that was asked what the person asks.
    /// The text itself is kept below the output folder.
    pub(crate) async fn instead_of(&self, seen: Observation, caller: &Caller) -> Observation {
        if !self.takes(&seen) {
            return seen;
        }
        let outcome = match seen.outcome.clone() {
            Outcome::Done(done) => self.in_place_of(done, &seen.action, caller).await,
            Outcome::Stopped(stopped) => Outcome::Stopped(without_words(stopped)),
        };
        seen.with_outcome(outcome)
    }

    /// The same where nobody can wait for a model: the text is kept below the output folder and not shown.
    #[must_use]
    pub fn set_aside(&self, seen: Observation, files: &SessionFiles) -> Observation {
        if !self.takes(&seen) {
            return seen;
        }
        let outcome = match seen.outcome.clone() {
            Outcome::Done(done) => {
                let told = match keep(&done, &seen.action, files) {
                    Some(place) => {
                        format!("not shown, for it is read apart: _LLM_SUMMARY reads {place}")
                    }
                    None => "not shown, for it is read apart, and not kept".to_owned(),
                };
                let result = Object::from_iter([("read_apart".to_owned(), json!(told))]);
                Outcome::Done(Done { result, text: Some(told), ..done })
            }
            Outcome::Stopped(stopped) => Outcome::Stopped(without_words(stopped)),
        };
        seen.with_outcome(outcome)
    }

    /// Whether others may speak in `seen`, and the owner wants to have that read here. The router's own words are not.
    fn takes(&self, seen: &Observation) -> bool {
        let is_others = match &seen.outcome {
            Outcome::Done(_) => true,
            Outcome::Stopped(stopped) => speaks(stopped),
        };
        is_others && self.apart.contains(&seen.action)
    }

    async fn in_place_of(&self, done: Done, name: &ActionName, caller: &Caller) -> Outcome {
        let text = lines_of(&done);
        let size = text.len() as u64;
        let end = text.floor_char_boundary(PIECE * PIECES);
        let file = OutputText { text: text[..end].to_owned(), size };
        let kept = keep(&done, name, &caller.files);
        let reading = Reading { name, caller, question: caller.entered.said(), picture: None };
        let told: String = match self.read(&file, reading).await {
            Ok(words) => words.chars().take(BACK).collect(),
            // Its words may hold the beginning of the text.
            Err(stopped) => {
                let why = "it can't be read apart, for no model answers";
                let stopped = Stopped { message: why.to_owned(), ..stopped };
                return Outcome::Stopped(Stopped { brings: done.brings, ..stopped });
            }
        };
        let mut result = Object::from_iter([("read_apart".to_owned(), json!(told))]);
        result.extend(kept.map(|place| ("whole".to_owned(), json!(place))));
        Outcome::Done(Done { result, text: Some(told), ..done })
    }

    /// What the model makes of a text; of a long one, of its pieces first.
    pub(super) async fn read(
        &self,
        file: &OutputText,
        reading: Reading<'_>,
    ) -> Result<String, Stopped> {
        let mut fence = self.fence.clone();
        let cut = left_out(file);
        let wanted = Wanted { question: reading.question, cut: &cut };
        let parts = pieces(&file.text, PIECE);
        if let [text] = parts.as_slice() {
            let prompt = prompt::whole(text, wanted, &mut fence);
            let ask = Ask::plain(&prompt).with_picture(reading.picture);
            return self.ask(ask, ("reading it", &file.text), reading).await;
        }
        let mut notes = String::new();
        for (index, part) in parts.iter().enumerate() {
            let place = (index + 1, parts.len());
            let what = format!("reading part {} of {}", place.0, place.1);
            reading.caller.working(what.clone());
            let prompt = prompt::piece(part, place, wanted, &mut fence);
            let said = self.ask(Ask::plain(&prompt), (&what, &file.text), reading).await?;
            let said: String = said.chars().take(NOTES).collect();
            notes.push_str(&format!("Part {} of {}: {said}\n", place.0, place.1));
        }
        let what = "putting the parts together";
        reading.caller.working(what.to_owned());
        let prompt = prompt::whole(&notes, wanted, &mut fence);
        let ask = Ask::plain(&prompt).with_picture(reading.picture);
        self.ask(ask, (what, &file.text), reading).await
    }

    /// Whether `change`, the lines that went and came, is what somebody wants to hear of; the reason why nobody knows, if nobody
    /// does. `took` hears what the model has read and written.
    ///
    /// # Errors
    /// Words for people.
    pub async fn is_so(
        &self,
        condition: &str,
        change: &str,
        took: impl FnOnce(&Usage) + Send,
    ) -> Result<bool, String> {
        let mut fence = self.fence.clone();
        let prompt = prompt::whether(condition, change, &mut fence);
        let answered = self.model.complete(&Ask::plain(&prompt), &mut |_| {}).await;
        let completion = answered.map_err(|error| error.to_string())?;
        took(&completion.usage);
        let word =
            completion.text.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty());
        match word.map(str::to_lowercase).as_deref() {
            Some("yes") => Ok(true),
            Some("no") => Ok(false),
            _ => Err("the model said neither yes nor no".to_owned()),
        }
    }

    /// The model's words on what it is asked; where there is no model, how `text` begins. People hear how it gets on with
    /// `what`.
    async fn ask(
        &self,
        ask: Ask<'_>,
        (what, text): (&str, &str),
        Reading { name, caller, .. }: Reading<'_>,
    ) -> Result<String, Stopped> {
        let what = format!("{name}: {what}");
        let hearer = Hearer::of(&caller.session);
        let ask = if caller.heard.is_some() { ask.heard_by(&hearer) } else { ask };
        let mut hear = |progress: Progress<'_>| caller.progress(&what, &progress);
        let answer = match self.model.complete(&ask, &mut hear).await {
            Ok(answer) => answer,
            Err(ModelError::NeedsModel) => return Err(unread(text)),
            Err(error) => {
                return Err(Stopped::new(Code::SkillFailed, format!("no summary: {error}")));
            }
        };
        if let Some(cut) = answer.cut() {
            caller.notice(format!("{what}: the answer was cut off {cut}"));
        }
        let words = Words::of(&answer.text, [&[], &[]]);
        if words.is_empty() {
            return Err(Stopped::new(Code::BadResult, "no summary: the model answered nothing"));
        }
        Ok(words)
    }
}

/// Keeps what an action brought below the output folder, where the next result of the action replaces it, and gives its place.
fn keep(done: &Done, name: &ActionName, files: &SessionFiles) -> Option<String> {
    let place = format!("apart-{}.txt", name.as_str().to_ascii_lowercase());
    files
        .write_output(&place, lines_of(done).as_bytes(), done.brings.unwrap_or(Reads::BOTH))
        .ok()?;
    Some(format!("output/{place}"))
}

/// A failure without the words of whoever has failed.
fn without_words(stopped: Stopped) -> Stopped {
    let message = "it failed; what it says of that is not shown, for it is read apart".to_owned();
    Stopped { message, details: Object::new(), ..stopped }
}

/// Word for the model that a text was not read to its end; empty if it was.
fn left_out(file: &OutputText) -> String {
    if file.size > LONGEST {
        format!(" It is the first {LONGEST} of {} bytes; say so.", file.size)
    } else {
        String::new()
    }
}

/// Without a model nobody reads it but the person.
fn unread(text: &str) -> Stopped {
    let beginning: String = text.chars().take(BEGINNING).collect();
    let message =
        format!("no summary, as there is no language model; it begins like this:\n{beginning}");
    Stopped::new(Code::SkillFailed, message)
}
