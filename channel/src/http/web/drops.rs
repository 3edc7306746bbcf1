//! Files that the owner drops into the chat, and those that come back. What is not a picture by its bytes is only ever saved:
//! the page's own site shows nothing else of them.
//!
//! ```text
//! POST /v1/files?name=...      keeps the body as a file
//! GET  /v1/files               all that are kept
//! GET  /v1/files/ID            one to save; /picture behind it shows it, if it is a picture
//! POST /v1/files/say           {"text": "...", "files": [ID, ...]}: a message that tells of files
//! POST /v1/files/remove        {"id": ID}
//! GET  /v1/output/NAME         a file that was asked for, to save
//! ```

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use conversation::workspace::SessionFiles;
use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::show::beside;
use crate::Said;
use crate::dropped::{DropError, Dropped, Files, LARGEST};
use crate::http::asked::{Message, read};
use crate::http::guard::Visitor;
use crate::http::hub::Hub;
use crate::http::refusal::Refusal;
use crate::kind;

/// How many files a message may tell of.
const A_MESSAGE: usize = 20;

/// How many files may come at the same time: each is held in memory until it is whole.
const AT_ONCE: usize = 4;

/// How long a file that comes may be silent.
const SILENT: Duration = Duration::from_secs(10);

/// How long a file may take to come.
const LONGEST: Duration = Duration::from_secs(300);

/// The largest file that is handed out, in bytes: what a skill may give, and more.
const OUTPUT: u64 = 16 * 1024 * 1024;

/// What keeps the files.
#[derive(Clone)]
struct Dropping {
    hub: Hub,
    files: Arc<Files>,
    session: Arc<SessionFiles>,
    places: Arc<Semaphore>,
}

/// The paths of files.
pub(super) fn routes(hub: Hub, files: &Arc<Files>, session: &Arc<SessionFiles>) -> Router {
    let (files, session) = (Arc::clone(files), Arc::clone(session));
    let places = Arc::new(Semaphore::new(AT_ONCE));
    Router::new()
        .route("/v1/files", get(list).post(keep))
        .route("/v1/files/say", post(say))
        .route("/v1/files/remove", post(remove))
        .route("/v1/files/{id}", get(save))
        .route("/v1/files/{id}/picture", get(picture))
        .route("/v1/output/{name}", get(output))
        .with_state(Dropping { hub, files, session, places })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

async fn keep(
    State(dropping): State<Dropping>,
    named: Result<Query<Named>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Query(Named { name }) = named.map_err(|error| Refusal::Bad(error.body_text()))?;
    let busy = || Refusal::Busy(format!("{AT_ONCE} files are on their way already; wait for one"));
    let _place = dropping.places.try_acquire().map_err(|_| busy())?;
    let said = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    if said.and_then(|said| said.parse().ok()).is_some_and(|said: usize| said > LARGEST) {
        return Err(too_large());
    }
    let slow = || Refusal::Slow("the file came too slowly; send it again".to_owned());
    let bytes = timeout(LONGEST, whole(body)).await.map_err(|_| slow())??;
    if bytes.is_empty() {
        return Err(Refusal::Bad("the file is empty".to_owned()));
    }
    let files = Arc::clone(&dropping.files);
    let kept = beside(move || Ok(files.keep(&name, &bytes))).await?;
    let (id, dropped) = kept.map_err(|error| match error {
        DropError::Full(_) | DropError::Many => Refusal::Full(error.to_string()),
        DropError::Disk(_) => Refusal::Failed(error.to_string()),
    })?;
    let place = dropping.files.place(&id, &dropped);
    Ok((StatusCode::CREATED, Json(shown(&id, &dropped, &place))).into_response())
}

/// A body that is neither too long nor too slow.
async fn whole(body: Body) -> Result<Vec<u8>, Refusal> {
    let (mut pieces, mut bytes) = (body.into_data_stream(), Vec::new());
    loop {
        let next = timeout(SILENT, pieces.next()).await;
        let next = next.map_err(|_| {
            Refusal::Slow(format!("nothing came for {} s; send the file again", SILENT.as_secs()))
        })?;
        let Some(piece) = next else { return Ok(bytes) };
        let torn =
            |error: axum::Error| Refusal::Bad(format!("the file did not come whole: {error}"));
        let piece = piece.map_err(torn)?;
        if bytes.len() + piece.len() > LARGEST {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
}

fn too_large() -> Refusal {
    Refusal::TooLarge(format!("a file may be {} MiB large", LARGEST / 1024 / 1024))
}

/// A file as the page reads it.
fn shown(id: &str, dropped: &Dropped, place: &std::path::Path) -> Value {
    json!({
        "id": id, "name": dropped.name, "bytes": dropped.bytes, "kind": dropped.kind,
        "at": dropped.at.0, "place": place.display().to_string(), "paper": dropped.paper().is_some(),
    })
}

async fn list(State(dropping): State<Dropping>) -> Result<Response, Refusal> {
    let files = Arc::clone(&dropping.files);
    let mut all: Vec<_> = beside(move || Ok(files.all())).await?.0.into_iter().collect();
    all.sort_by_key(|(_, dropped)| std::cmp::Reverse(dropped.at));
    let shown =
        |(id, dropped): &(String, Dropped)| shown(id, dropped, &dropping.files.place(id, dropped));
    let all: Vec<Value> = all.iter().map(shown).collect();
    Ok(Json(json!({"files": all})).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Says {
    text: String,
    files: Vec<String>,
}

/// A message of the owner's that tells of files: what each is called, how large it is, and what it is.
async fn say(
    State(dropping): State<Dropping>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Refusal> {
    let Says { text, files } = read(&headers, &body)?;
    if files.len() > A_MESSAGE {
        return Err(Refusal::Many(format!("a message takes at most {A_MESSAGE} files")));
    }
    if text.trim_start().starts_with('/') {
        let why = "a command takes no files; send them with a message of their own";
        return Err(Refusal::Bad(why.to_owned()));
    }
    let kept = Arc::clone(&dropping.files);
    let all = beside(move || Ok(kept.all())).await?;
    let line = |id: &String| {
        let gone = || Refusal::Bad("one of the files is not here any more".to_owned());
        Ok(all.0.get(id).ok_or_else(gone)?.line(id))
    };
    let mut lines = files.iter().map(line).collect::<Result<Vec<String>, Refusal>>()?;
    if !text.trim().is_empty() {
        lines.insert(0, text.clone());
    }
    let message = Message::of_owner(lines.join("\n"));
    let seat = message.seat(&Visitor::Program)?;
    let incoming = seat.says(match message.said()? {
        Said::Message(whole) if !files.is_empty() => Said::WithFiles { text: whole, typed: text },
        said => said,
    });
    match dropping.hub.say_to_all(incoming).await {
        true => Ok(StatusCode::ACCEPTED),
        false => Err(Refusal::Over),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    id: String,
}

async fn remove(
    State(dropping): State<Dropping>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<StatusCode, Refusal> {
    let Which { id } = read(&headers, &body)?;
    match beside(move || dropping.files.remove(&id)).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refusal::Unknown),
    }
}

async fn save(
    State(dropping): State<Dropping>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let found = beside(move || dropping.files.read(&id)).await?;
    let (dropped, bytes) = found.ok_or(Refusal::Unknown)?;
    Ok(to_save(&dropped.name, bytes))
}

async fn picture(
    State(dropping): State<Dropping>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let found = beside(move || dropping.files.read(&id)).await?;
    let (_, bytes) = found.ok_or(Refusal::Unknown)?;
    let kind = kind::picture(&bytes).ok_or(Refusal::Unknown)?;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

async fn output(
    State(dropping): State<Dropping>,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    if name.contains('/') {
        return Err(Refusal::Unknown);
    }
    let (session, wanted) = (dropping.session, format!("output/{name}"));
    let read = beside(move || Ok(session.read_output_bytes(&wanted, OUTPUT))).await?;
    let (bytes, _) = read.map_err(|_| Refusal::Unknown)?;
    Ok(to_save(&name, bytes))
}

/// A file that a browser saves and never shows, whatever it holds.
fn to_save(name: &str, bytes: Vec<u8>) -> Response {
    // RFC 8187: all but letters and digits are written as their bytes, so that no name ends the header.
    let encode = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    let name: String = name.bytes().map(encode).collect();
    let head = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{name}")),
    ];
    (head, bytes).into_response()
}
