//! What the proxy itself says to its client.

use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};

use super::body::{self, Body};
use crate::error::{Error, with_causes};

/// The header by which a client tells the proxy's own words from those of a server: `refused`, `unreached` when
/// nothing of the request has been sent, or `failed`.
pub(super) const PROXY_SAYS: HeaderName = HeaderName::from_static("x-safeclaw-proxy");

/// The answer to CONNECT once the other side is connected.
pub(super) fn tunnel_open() -> Response<Body> {
    Response::new(body::of(""))
}

/// Says why a request did not reach its target: `{"error": "..."}` with 403, 502 or 504.
pub(super) fn sorry(error: &Error) -> Response<Body> {
    let (status, says) = match error {
        Error::Refused(_) => (StatusCode::FORBIDDEN, "refused"),
        Error::Failed(failure) if failure.is_timeout() => (StatusCode::GATEWAY_TIMEOUT, "failed"),
        Error::Failed(failure) if failure.is_before_sending() => {
            (StatusCode::BAD_GATEWAY, "unreached")
        }
        Error::Failed(_) => (StatusCode::BAD_GATEWAY, "failed"),
    };
    let words = serde_json::json!({ "error": with_causes(error) });
    let mut response = Response::new(body::of(words.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(PROXY_SAYS, HeaderValue::from_static(says));
    response
}
