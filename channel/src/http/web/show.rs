//! What the page asks for: how the agent stands, what was said, and what is said now.

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use conversation::workspace::SessionFiles;
use mind::links::PATH;
use mind::slash::TABLE;
use protocol::{Millis, SessionKey};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::cookies::Cookie;
use super::door::Door;
use super::sign_in::{self, AtDoor};
use super::{Page, conversations, drops, files, markdown, thinks};
use crate::http::asked::read;
use crate::http::guard::Visitor;
use crate::http::hub::{Backlog, Hub};
use crate::http::ring::Joint;
use crate::http::site::Sites;
use crate::http::told::Told;
use crate::http::{events as sent, refusal::Refusal};
use crate::kind;

/// How many events of the journal are on a page of it.
const EVENTS: usize = 60;

/// How many texts are read as Markdown at once.
const TEXTS: usize = 200;

/// The largest picture that is shown, in bytes.
const PICTURE: u64 = 16 * 1024 * 1024;

/// What the page is made of.
#[derive(Clone)]
pub(super) struct Showing {
    hub: Hub,
    pub(super) page: Page,
    door: Arc<Door>,
    pub(super) files: Arc<SessionFiles>,
    /// What tells the numbers of this run from those of another.
    run: Arc<str>,
}

/// The paths of the page.
pub(in crate::http) fn routes(hub: Hub, page: Page, door: Arc<Door>, sites: Arc<Sites>) -> Router {
    let at = AtDoor { door: Arc::clone(&door), sites };
    let run = Uuid::new_v4().simple().to_string()[..8].into();
    let files = Arc::new(page.workspace.session_files(&SessionKey::owner()));
    let drops = drops::routes(hub.clone(), &page.given, &files);
    let showing = Showing { hub, page, door, files, run };
    let form = get(sign_in::show).post(sign_in::sign_in);
    let doors =
        Router::new().route(PATH, form).route("/v1/sign-out", post(sign_out)).with_state(at);
    Router::new()
        .route("/", get(files::serve))
        .route("/web/{*file}", get(files::serve))
        .route("/v1/page", get(standing))
        .route("/v1/model", get(thinks::model))
        .route("/v1/page/events", get(events))
        .route("/v1/history", get(history))
        .route("/v1/conversations", get(conversations::list))
        .route("/v1/conversations/{number}", get(conversations::one))
        .route("/v1/commands", get(commands))
        .route("/v1/markdown", post(as_trees))
        .route("/v1/pictures/{name}", get(picture))
        .with_state(showing)
        .merge(doors)
        .merge(drops)
}

/// How the agent stands.
async fn standing(
    State(showing): State<Showing>,
    Extension(visitor): Extension<Visitor>,
) -> Response {
    let entered = showing.files.entered();
    let signed_in = match visitor {
        Visitor::Page(who) => json!({"id": who.id, "since": who.since.0}),
        Visitor::Program | Visitor::Bridge(_) | Visitor::Anybody => Value::Null,
    };
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": showing.page.model.first().to_string(),
        "trust": {
            "untrusted": entered.taint().untrusted,
            "private": entered.taint().private,
            "sources": entered.sources(),
        },
        "signed_in": signed_in,
    }))
    .into_response()
}

/// All slash commands, as they are typed.
async fn commands() -> Response {
    let commands: Vec<Value> =
        TABLE.iter().map(|entry| json!({"usage": entry.usage, "about": entry.about})).collect();
    Json(json!({"commands": commands})).into_response()
}

/// What was told lately and is told now. Who connects again hears what was missed; where that is not possible, the first event
/// is `start`, and everything that is kept comes again.
async fn events(
    State(showing): State<Showing>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let Backlog { told, joint, ear } =
        showing.hub.listen_again(last.and_then(|id| showing.number(id)));
    let mut first = Vec::new();
    if let Some(joint) = joint {
        first.push(sent::event(&json!({"type": "start", "before": showing.place(joint).await?})));
    }
    first.extend(told.iter().map(|told| showing.event(told)));
    first.push(sent::event(&json!({"type": "now", "at": Millis::of_this_machine()})));
    let over = async move {
        match visitor {
            Visitor::Page(who) => showing.door.is_out(who.id).await,
            Visitor::Program | Visitor::Bridge(_) | Visitor::Anybody => {
                std::future::pending().await
            }
        }
    };
    let run = Arc::clone(&showing.run);
    Ok(sent::page_stream(first, ear, move |told| event(&run, told), over))
}

impl Showing {
    /// The number in the id of an event of this run.
    fn number(&self, id: &str) -> Option<u64> {
        let (run, number) = id.split_once('-')?;
        number.parse().ok().filter(|_| *run == *self.run)
    }

    fn event(&self, told: &Told) -> Event {
        event(&self.run, told)
    }

    fn journal(&self) -> PathBuf {
        self.files.folder().join("journal.jsonl")
    }

    /// The place in the journal before which stands what is not told again.
    async fn place(&self, joint: Joint) -> Result<u64, Refusal> {
        let path = self.journal();
        let found = move || {
            let first = joint.first.as_ref().map(|(at, words)| (*at, words.as_str()));
            journal::place(&path, first, joint.since)
        };
        beside(found).await
    }
}

fn event(run: &str, told: &Told) -> Event {
    sent::event(&told.page_json()).id(format!("{run}-{}", told.id))
}

/// Reads a file beside everything else.
pub(super) async fn beside<T: Send + 'static>(
    read: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |error: &dyn std::fmt::Display| Refusal::Failed(error.to_string());
    let done = tokio::task::spawn_blocking(read).await.map_err(|error| failed(&error))?;
    done.map_err(|error| failed(&error))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    before: u64,
}

/// What was said in this conversation before a place in the journal; what was said before it was put away comes last.
async fn history(
    State(showing): State<Showing>,
    before: Result<Query<Before>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(Before { before }) = before.map_err(|error| Refusal::Bad(error.body_text()))?;
    let (path, files) = (showing.journal(), showing.files);
    let read = move || {
        let mut page = journal::page(&path, before, EVENTS)?;
        let open = files.chat.read().number.filter(|_| page.start == 0);
        if let Some(chat) = open.and_then(|number| files.chats().read(number)) {
            page.events.splice(0..0, chat.events);
        }
        Ok(page)
    };
    let page = beside(read).await?;
    let event = |event: &journal::JournalEvent| {
        json!({
            "at": event.at.0, "role": event.role.name(), "from": event.from, "text": event.text,
        })
    };
    let events: Vec<Value> = page.events.iter().map(event).collect();
    Ok(Json(json!({"events": events, "before": page.start})).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    texts: Vec<String>,
}

/// Texts as trees of what is in them.
async fn as_trees(headers: HeaderMap, body: Bytes) -> Result<Response, Refusal> {
    let Texts { texts } = read(&headers, &body)?;
    if texts.len() > TEXTS {
        return Err(Refusal::TooLarge(format!("at most {TEXTS} texts are read at once")));
    }
    let trees: Vec<Vec<Value>> = texts.iter().map(|text| markdown::tree(text)).collect();
    Ok(Json(json!({"trees": trees})).into_response())
}

/// A picture that an action has made, by its name.
async fn picture(
    State(showing): State<Showing>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = name.ends_with(".png") && !name.starts_with('.') && name.bytes().all(fits);
    if !is_name {
        return Err(Refusal::Unknown);
    }
    let path = showing.files.output().join(name);
    let read = beside(move || home::file::read(&path, PICTURE).map_err(std::io::Error::other));
    let bytes = read.await?.ok_or(Refusal::Unknown)?;
    let kind = kind::picture(&bytes).ok_or(Refusal::Unknown)?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

/// Signs out the browser that asks for it.
async fn sign_out(
    State(at): State<AtDoor>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let site = at.sites.of(&headers)?;
    if let Visitor::Page(who) = visitor {
        let door = Arc::clone(&at.door);
        beside(move || door.sign_out(&who).map_err(std::io::Error::other)).await?;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = Cookie::SignedIn.forget(at.door.port(), &site) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
