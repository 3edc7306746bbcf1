//! The paths, and what each does.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Extension, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde_json::json;

use super::answered::Answered;
use super::asked::{Answer, Message, Where, read};
use super::events;
use super::guard::{self, Guard, Visitor};
use super::hub::Hub;
use super::listener::Wanted;
use super::numbers;
use super::refusal::Refusal;
use crate::{MAX_MESSAGE, Said};

/// How large a body may be, in bytes: the longest message with every byte of it escaped, and some names.
const BODY: usize = 6 * MAX_MESSAGE + 1024;

/// What programs may ask for, as OpenAPI has it.
const OPENAPI: &str = include_str!("../../web/openapi.json");

/// The paths for programs.
pub(super) fn programs(hub: Hub) -> Router {
    Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/answers", post(answers))
        .route("/v1/cancel", post(cancel))
        .route("/v1/events", get(listen))
        .route("/v1/status", get(status))
        .route("/v1/openapi.json", get(document))
        .route("/metrics", get(numbers::tell))
        .with_state(hub)
}

/// All of `paths`, behind the guard.
pub(super) fn behind(paths: Router, guard: Guard) -> Router {
    paths
        .fallback(async || Refusal::Unknown)
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::new(guard), guard::check))
}

/// What a body is, or why there is none.
type Body = Result<Bytes, BytesRejection>;

async fn messages(
    State(hub): State<Hub>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let message: Message = read(&headers, &whole(body)?)?;
    let (seat, stream, waits) = (message.seat(&visitor)?, message.stream, message.wait);
    let incoming = seat.says(message.said()?);
    if !waits {
        let mark = json!({"ticket": incoming.ticket.to_string()});
        let said = taken(hub.say_to_all(incoming).await)?;
        return Ok((said, Json(mark)).into_response());
    }
    // Before it is said, so that nothing of the answer is missed.
    let ear = hub.listen(&seat.session, Wanted::Answer(incoming.ticket));
    if !hub.say(incoming).await {
        return Err(Refusal::Over);
    }
    match stream {
        true => Ok(events::stream(ear)),
        false => Ok(Json(Answered::heard_by(ear).await?).into_response()),
    }
}

async fn answers(
    State(hub): State<Hub>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Refusal> {
    let answer: Answer = read(&headers, &whole(body)?)?;
    taken(hub.say(answer.given()?).await)
}

async fn cancel(
    State(hub): State<Hub>,
    Extension(visitor): Extension<Visitor>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Refusal> {
    let body = whole(body)?;
    let place = if body.is_empty() { Where::default() } else { read(&headers, &body)? };
    taken(hub.say(place.seat(&visitor)?.says(Said::Stop)).await)
}

async fn listen(
    State(hub): State<Hub>,
    Extension(visitor): Extension<Visitor>,
    place: Result<Query<Where>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, Refusal> {
    let Query(place) = place.map_err(|error| Refusal::Bad(error.body_text()))?;
    let session = place.seat(&visitor)?.session;
    Ok(events::stream(hub.listen(&session, Wanted::All)))
}

async fn status(State(hub): State<Hub>) -> Response {
    let busy: Vec<String> = hub.busy_sessions().iter().map(ToString::to_string).collect();
    Json(json!({"version": env!("CARGO_PKG_VERSION"), "busy": busy})).into_response()
}

async fn document() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

fn whole(body: Body) -> Result<Bytes, Refusal> {
    body.map_err(|error| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Refusal::TooLarge(format!("at most {BODY} bytes are read"))
        }
        _ => Refusal::Bad(error.body_text()),
    })
}

/// What was said is being done; how it goes is told by the events of the session.
fn taken(said: bool) -> Result<StatusCode, Refusal> {
    if said { Ok(StatusCode::ACCEPTED) } else { Err(Refusal::Over) }
}
