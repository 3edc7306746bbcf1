//! Requests that are not served: a status, a word for programs and a sentence for people.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a request is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No token, or another, and nobody who is signed in.
    NoToken,
    /// It came under another name than this machine's, or from a page of another.
    Foreign(&'static str),
    /// It can't be read.
    Bad(String),
    /// It is too large.
    TooLarge(String),
    /// There are too many of something.
    Many(String),
    /// The chat has no room for it.
    Full(String),
    /// It came too slowly.
    Slow(String),
    /// The session takes no more.
    Busy(String),
    /// The answer came faster than it could be taken in.
    Missed,
    /// Something of the agent's own is wrong.
    Failed(String),
    /// There is no such path.
    Unknown,
    /// The agent has ended.
    Over,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, message) = match self {
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "no_token",
                "send SAFECLAW_HTTP_TOKEN of .env as `Authorization: Bearer ...`".to_owned(),
            ),
            Self::Foreign(why) => (StatusCode::FORBIDDEN, "foreign", why.to_owned()),
            Self::Bad(why) => (StatusCode::BAD_REQUEST, "bad_request", why),
            Self::TooLarge(why) => (StatusCode::PAYLOAD_TOO_LARGE, "too_large", why),
            Self::Many(why) => (StatusCode::BAD_REQUEST, "too_many", why),
            Self::Full(why) => (StatusCode::INSUFFICIENT_STORAGE, "full", why),
            Self::Slow(why) => (StatusCode::REQUEST_TIMEOUT, "too_slow", why),
            Self::Busy(why) => (StatusCode::TOO_MANY_REQUESTS, "busy", why),
            Self::Unknown => (
                StatusCode::NOT_FOUND,
                "unknown",
                "there are POST /v1/messages, /v1/answers, /v1/cancel and GET /v1/events, /v1/status, /v1/openapi.json"
                    .to_owned(),
            ),
            Self::Missed => {
                let why = "a part of the answer is lost; the session's history has it whole";
                (StatusCode::INTERNAL_SERVER_ERROR, "missed", why.to_owned())
            }
            Self::Failed(why) => (StatusCode::INTERNAL_SERVER_ERROR, "failed", why),
            Self::Over => {
                (StatusCode::SERVICE_UNAVAILABLE, "over", "the agent is ending".to_owned())
            }
        };
        let body = Json(json!({"error": {"code": code, "message": message}}));
        match status {
            StatusCode::UNAUTHORIZED => {
                (status, [(header::WWW_AUTHENTICATE, "Bearer")], body).into_response()
            }
            _ => (status, body).into_response(),
        }
    }
}
