//! The conversation of one storm: what was said, who is next, a person's word, and letting it go on.

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use storm::{Format, Message, export as exported};
use storm_runner::{Ended, Heard, RunError, Runner, Stored};
use tokio_util::sync::CancellationToken;

use crate::live::message;
use crate::refusal::Refusal;
use crate::revision::revision;
use crate::sessions::{Asked, own};
use crate::told::Told;
use crate::{Storms, beside};

/// How many messages are told at once.
const PAGE: usize = 100;

/// How many agents may speak at one wish.
const MOST: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// The number of the message before which stands what is wanted; without it the last ones are.
    before: Option<usize>,
}

/// One session, with what was said last, or earlier.
pub(crate) async fn one(
    State(storms): State<Storms>,
    Path(id): Path<String>,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Value>, Refusal> {
    let shown = beside(move || {
        let stored = storms.shelf.open(&id)?;
        let said: Vec<&Message> = stored.log.log().messages().collect();
        let end = wanted.before.unwrap_or(said.len()).min(said.len());
        let first = end.saturating_sub(PAGE);
        let agents: Vec<Value> =
            own(&stored)?.iter().map(|agent| storms.line(agent, true)).collect();
        Ok(json!({
            "name": stored.name.as_str(),
            "premise": stored.premise.as_str(),
            "revision": revision(stored.premise.as_str()),
            "agents": agents,
            "fault": stored.cast().err().as_ref().map(Told::from),
            "next": next_of(&stored),
            "count": said.len(),
            "first": first,
            "messages": said[first..end].iter().map(|said| message(said)).collect::<Vec<_>>(),
            "warnings": warnings(&stored),
            "elsewhere": !storms.live.is_running(&stored.name) && stored.is_running(),
        }))
    });
    shown.await.map(Json)
}

fn next_of(stored: &Stored) -> Option<String> {
    stored.next().ok().map(|agent| agent.name.to_string())
}

fn warnings(stored: &Stored) -> Vec<Told> {
    stored.log.warnings().iter().map(Told::from).collect()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Words {
    text: String,
}

/// A person speaks, which moves no turn.
pub(crate) async fn say(
    State(storms): State<Storms>,
    Path(id): Path<String>,
    asked: Asked<Words>,
) -> Result<Json<Value>, Refusal> {
    let Json(Words { text }) = asked?;
    let said = beside(move || {
        let mut stored = storms.shelf.open(&id)?;
        stored.say(&text, &mut |_| {})?;
        if let Some(said) = stored.log.log().messages().last() {
            storms.live.person(&stored.name, said);
        }
        Ok(json!({"next": next_of(&stored)}))
    });
    said.await.map(Json)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turns {
    #[serde(default = "one_turn")]
    count: usize,
    /// How many tokens the agents may take in all; the usual limit if it is absent.
    #[serde(default)]
    tokens: Option<u64>,
}

fn one_turn() -> usize {
    1
}

/// Lets the next agents speak. How it goes on is told as events.
pub(crate) async fn next(
    State(storms): State<Storms>,
    Path(id): Path<String>,
    asked: Asked<Turns>,
) -> Result<StatusCode, Refusal> {
    let Json(turns) = asked?;
    if !(1..=MOST).contains(&turns.count) {
        return Err(Refusal::Bad(format!("count is 1 to {MOST}").into()));
    }
    let shelf = storms.shelf.clone();
    let stored = beside(move || {
        let stored = shelf.open(&id)?;
        stored.cast()?;
        Ok(stored)
    });
    let stored = stored.await?;
    let Some(leaves) = storms.live.begin(&stored.name) else {
        let (name, why) = (&stored.name, format_args!("{} goes on already", stored.name));
        return Err(Refusal::Conflict(Told::new("error.goesOn", why).with("name", name)));
    };
    tokio::spawn(storms.go_on(stored, turns, leaves));
    Ok(StatusCode::ACCEPTED)
}

impl Storms {
    async fn go_on(self, mut stored: Stored, turns: Turns, leaves: CancellationToken) {
        let (live, name) = (self.live.clone(), stored.name.clone());
        // Whatever becomes of this task, the storm does not seem to go on.
        let mut ending = Ending {
            event: Some(failed(Told::new("error.ended", "it was ended"))),
            live: live.clone(),
            name,
        };
        let speaks = self.models.speaks();
        let limit = turns.tokens.unwrap_or(self.tokens);
        let mut hear = |heard: Heard<'_>| live.hear(&ending.name, &heard);
        let mut runner = Runner { stored: &mut stored, speaks: &*speaks, limit };
        let ended = tokio::select! {
            ended = runner.next(turns.count, &mut hear) => Some(ended),
            // The answer of whoever was awaited is not taken down.
            () = leaves.cancelled() => None,
        };
        let mut event = match ended {
            None | Some(Ok(Ended::Stopped)) => json!({"type": "ended", "stopped": true}),
            Some(Ok(Ended::Done)) => json!({"type": "ended", "stopped": false}),
            Some(Err(RunError::Budget { spent, limit, .. })) => {
                json!({"type": "failed", "spent": spent, "limit": limit})
            }
            Some(Err(error)) => failed(Told::from(&error)),
        };
        event["next"] = next_of(&stored).into();
        ending.event = Some(event);
    }
}

fn failed(why: Told) -> Value {
    json!({"type": "failed", "text": why.to_string(), "told": why})
}

/// Says that a storm does not go on any more, when it is dropped.
struct Ending {
    event: Option<Value>,
    live: crate::live::Live,
    name: storm::Name,
}

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(event) = self.event.take() {
            self.live.end(&self.name, event);
        }
    }
}

/// Stops it after the speaker who is awaited; asked again, that one is not waited for.
pub(crate) async fn stop(
    State(storms): State<Storms>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let stopped = beside(move || {
        let stored = storms.shelf.open(&id)?;
        let is_here = storms.live.stop(&stored.name);
        let is_asked = stored.stop()?;
        Ok(json!({"stopping": is_here || is_asked}))
    });
    stopped.await.map(Json)
}

/// The whole conversation, as a file to save.
pub(crate) async fn export(
    State(storms): State<Storms>,
    Path((id, form)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let named = Format::ALL.iter().find(|(name, _)| *name == form);
    let format = named.map(|(_, format)| *format);
    let format =
        format.ok_or_else(|| Refusal::Bad("a form is md, html or jsonl".to_owned().into()))?;
    let (name, text) = beside(move || {
        let stored = storms.shelf.open(&id)?;
        let text = exported(format, stored.name.as_str(), &stored.premise, stored.log.log());
        Ok((stored.name, text))
    })
    .await?;
    // Nothing of it is ever shown by the page's own site.
    let head = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, saved_as(name.as_str(), format.ending())),
    ];
    Ok((head, text).into_response())
}

/// The header that names a file, in the form of RFC 6266 for names that are not ASCII.
fn saved_as(name: &str, ending: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_ ".contains(c);
    let ascii: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    let whole: String = name
        .bytes()
        .map(|byte| match byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect();
    format!("attachment; filename=\"{ascii}.{ending}\"; filename*=UTF-8''{whole}.{ending}")
}
