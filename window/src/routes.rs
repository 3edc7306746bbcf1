//! The paths, and what each does.

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use loopback::CodeError;
use protocol::Millis;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::door::Shut;
use crate::files;
use crate::gate::{self, Gate, METRICS, OPEN, bearer};
use crate::history::History;
use crate::wall::{Deed, Explain, Trouble, Wall};

/// How large a body may be, in bytes: the parameters of a call, and some names.
const BODY: usize = 256 * 1024;

/// How many rows of the audit log are shown.
const ROWS: usize = 200;

/// What the paths need.
#[derive(Clone)]
pub(crate) struct Showing {
    pub(crate) wall: Arc<dyn Wall>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) history: Arc<Mutex<History>>,
}

/// All paths, behind the gate.
pub(crate) fn routes(showing: Showing) -> Router {
    let gate = Arc::clone(&showing.gate);
    Router::new()
        .route(OPEN, post(open))
        .route("/v1/sight", get(sight))
        .route("/v1/rows", get(rows))
        .route("/v1/verify", post(verify))
        .route("/v1/explain", post(explain))
        .route("/v1/deeds", post(deeds))
        .route("/v1/lock", post(lock))
        .route(METRICS, get(metrics))
        .fallback(files::serve)
        .with_state(showing)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(gate, gate::check))
}

/// Why something was not shown or done.
enum Failed {
    /// The request can't be read.
    Bad(String),
    /// The wall says no.
    Trouble(Trouble),
    /// The window stays shut.
    Shut(Shut),
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let (status, code, message) = match self {
            Self::Bad(why) => (StatusCode::BAD_REQUEST, "bad_request", why),
            Self::Trouble(Trouble(why)) => (StatusCode::CONFLICT, "trouble", why),
            Self::Shut(Shut::TooMany) => (StatusCode::TOO_MANY_REQUESTS, "too_many", String::new()),
            Self::Shut(Shut::Code(CodeError::Unknown)) => {
                (StatusCode::FORBIDDEN, "unknown", String::new())
            }
            Self::Shut(Shut::Code(CodeError::Expired)) => {
                (StatusCode::FORBIDDEN, "expired", String::new())
            }
            Self::Shut(Shut::Code(CodeError::Used)) => {
                (StatusCode::FORBIDDEN, "used", String::new())
            }
        };
        (status, Json(json!({"error": {"code": code, "message": message}}))).into_response()
    }
}

fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &Bytes) -> Result<T, Failed> {
    // Any page of a browser can send other kinds without being asked about.
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if !is_json {
        return Err(Failed::Bad("send JSON, as application/json".to_owned()));
    }
    serde_json::from_slice(body).map_err(|error| Failed::Bad(error.to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    code: String,
}

async fn open(
    State(showing): State<Showing>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Failed> {
    let Opening { code } = read(&headers, &body)?;
    let token = showing.gate.door.open(&code, Millis::of_this_machine()).map_err(Failed::Shut)?;
    Ok(Json(json!({"token": token})).into_response())
}

async fn lock(State(showing): State<Showing>, headers: HeaderMap) -> StatusCode {
    if let Some(token) = bearer(&headers) {
        showing.gate.door.shut(token);
    }
    StatusCode::NO_CONTENT
}

async fn sight(State(showing): State<Showing>) -> Result<Response, Failed> {
    let sight = showing.wall.sight().await?;
    let samples = showing.history.lock().unwrap_or_else(PoisonError::into_inner).samples();
    Ok(Json(json!({"sight": sight, "samples": samples})).into_response())
}

async fn rows(State(showing): State<Showing>) -> Result<Response, Failed> {
    Ok(Json(showing.wall.rows(ROWS).await?).into_response())
}

async fn verify(State(showing): State<Showing>) -> Result<Response, Failed> {
    Ok(Json(json!({"proofs": showing.wall.verify().await?})).into_response())
}

async fn explain(
    State(showing): State<Showing>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Failed> {
    let asked: Explain = read(&headers, &body)?;
    Ok(Json(json!({"told": showing.wall.explain(asked).await?})).into_response())
}

async fn deeds(
    State(showing): State<Showing>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Failed> {
    let deed: Deed = read(&headers, &body)?;
    Ok(Json(showing.wall.perform(deed).await?).into_response())
}

async fn metrics(State(showing): State<Showing>) -> Result<Response, Failed> {
    let text = showing.wall.metrics().await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}
