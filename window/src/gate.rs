//! Who is let in: the window's own page with its token, Prometheus with its own, and anybody to the files, which hold nothing.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use loopback::{Caller, guarded_headers, header_text, is_of_the_page, may_open};
use protocol::Millis;
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::address::Address;
use crate::door::Door;
use crate::files;

/// What is checked before anything else is looked at.
#[derive(Debug)]
pub(super) struct Gate {
    pub(crate) address: Address,
    pub(crate) door: Door,
    /// What Prometheus has to show.
    pub(crate) metrics: String,
}

/// Where numbers for Prometheus are.
pub(crate) const METRICS: &str = "/metrics";

/// Where a code is used up.
pub(crate) const OPEN: &str = "/v1/open";

/// Why a request is not served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// It came under another name, or from a page of another site.
    Foreign,
    /// It shows no token, or one that opens nothing.
    Shut,
}

/// Lets a request through, or refuses it.
pub(crate) async fn check(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let admitted = gate.admit(request.method(), request.uri().path(), request.headers());
    let mut response = match admitted {
        Ok(is_known) => {
            if is_known && let Some(caller) = request.extensions().get::<Caller>() {
                caller.is_no_stranger();
            }
            next.run(request).await
        }
        Err(refused) => refused.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in guarded_headers() {
        headers.insert(name, value);
    }
    response
}

impl Gate {
    /// Whether whoever asks is somebody who has shown a token.
    pub(crate) fn admit(
        &self,
        method: &Method,
        path: &str,
        headers: &HeaderMap,
    ) -> Result<bool, Refused> {
        let site = self.address.site();
        // A name that somebody's DNS turns into this address is the name of a foreign site.
        let is_ours = header_text(headers, "host") == Some(&self.address.to_string());
        let origin = headers.get(header::ORIGIN);
        if !is_ours || origin.is_some_and(|origin| origin.as_bytes() != site.as_bytes()) {
            return Err(Refused::Foreign);
        }
        match path {
            METRICS => {
                let shown = bearer(headers).unwrap_or_default().as_bytes();
                let is_right = bool::from(shown.ct_eq(self.metrics.as_bytes()));
                if is_right { Ok(true) } else { Err(Refused::Shut) }
            }
            path if files::find(path).is_some() => {
                if may_open(method, headers) {
                    Ok(false)
                } else {
                    Err(Refused::Foreign)
                }
            }
            _ if !is_of_the_page(method, headers) => Err(Refused::Foreign),
            OPEN => Ok(false),
            _ => {
                let is_open = bearer(headers)
                    .is_some_and(|token| self.door.is_open(token, Millis::of_this_machine()));
                if is_open { Ok(true) } else { Err(Refused::Shut) }
            }
        }
    }
}

/// The token that a request shows. A cookie is never looked at: browsers send those to other ports, too.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    header_text(headers, "authorization")?.strip_prefix("Bearer ")
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, code, message) = match self {
            Self::Foreign => (
                StatusCode::FORBIDDEN,
                "foreign",
                "this comes under another name, or from another page".to_owned(),
            ),
            Self::Shut => (
                StatusCode::UNAUTHORIZED,
                "shut",
                format!("`{}` prints a link that opens it", home::router_command("window")),
            ),
        };
        (status, Json(json!({"error": {"code": code, "message": message}}))).into_response()
    }
}

#[cfg(test)]
mod tests {
    use loopback::Codes;

    use super::*;

    fn gate() -> (Gate, String) {
        let codes = Codes::new("test", b"secret");
        let door = Door::new(codes.clone());
        let token = door.open(&codes.make(Millis::of_this_machine()), Millis::of_this_machine());
        let gate = Gate { address: Address::USUAL, door, metrics: "m".repeat(64) };
        (gate, token.unwrap())
    }

    fn admitted(
        gate: &Gate,
        method: Method,
        path: &str,
        pairs: &[(&str, &str)],
    ) -> Result<bool, Refused> {
        let name = |name: &str| axum::http::HeaderName::try_from(name).unwrap();
        let headers = pairs.iter().map(|(key, value)| (name(key), value.parse().unwrap()));
        gate.admit(&method, path, &headers.collect())
    }

    const HOST: (&str, &str) = ("host", "127.0.0.2:8799");
    const ORIGIN: (&str, &str) = ("origin", "http://127.0.0.2:8799");

    #[test]
    fn only_its_own_page_with_its_token_gets_anything() {
        let (gate, token) = gate();
        let token = format!("Bearer {token}");
        let own = ("authorization", token.as_str());
        let see = |more: &[(&str, &str)]| {
            let pairs = [&[HOST, own], more].concat();
            admitted(&gate, Method::GET, "/v1/sight", &pairs)
        };
        assert_eq!(see(&[("sec-fetch-site", "same-origin")]), Ok(true));
        // A browser that says nothing of where a request comes from.
        assert_eq!(see(&[]), Ok(true));
        for foreign in ["cross-site", "same-site"] {
            assert_eq!(see(&[("sec-fetch-site", foreign)]), Err(Refused::Foreign));
        }
        for origin in
            ["http://127.0.0.1:8787", "http://127.0.0.2:1", "null", "https://127.0.0.2:8799"]
        {
            assert_eq!(see(&[("origin", origin)]), Err(Refused::Foreign), "{origin}");
        }
        let did = |more: &[(&str, &str)]| {
            admitted(&gate, Method::POST, "/v1/deeds", &[&[HOST, own], more].concat())
        };
        assert_eq!(did(&[ORIGIN, ("sec-fetch-site", "same-origin")]), Ok(true));
        assert_eq!(did(&[]), Err(Refused::Foreign));
    }

    #[test]
    fn a_name_that_dns_gives_it_is_a_foreign_site() {
        let (gate, token) = gate();
        let token = format!("Bearer {token}");
        for host in ["evil.example:8799", "localhost:8799", "127.0.0.1:8799", "127.0.0.2", ""] {
            let pairs = [("host", host), ("authorization", token.as_str())];
            assert_eq!(
                admitted(&gate, Method::GET, "/v1/sight", &pairs),
                Err(Refused::Foreign),
                "{host}"
            );
            assert_eq!(admitted(&gate, Method::GET, "/", &[("host", host)]), Err(Refused::Foreign));
        }
    }

    #[test]
    fn a_cookie_opens_nothing_and_prometheus_sees_numbers_alone() {
        let (gate, token) = gate();
        let cookie = format!("safeclaw-8799={token}; token={token}");
        let pairs = [HOST, ("cookie", cookie.as_str())];
        assert_eq!(admitted(&gate, Method::GET, "/v1/sight", &pairs), Err(Refused::Shut));
        let metrics = format!("Bearer {}", "m".repeat(64));
        let pairs = [HOST, ("authorization", metrics.as_str())];
        assert_eq!(admitted(&gate, Method::GET, METRICS, &pairs), Ok(true));
        assert_eq!(admitted(&gate, Method::GET, "/v1/sight", &pairs), Err(Refused::Shut));
        let page = format!("Bearer {token}");
        let pairs = [HOST, ("authorization", page.as_str())];
        assert_eq!(admitted(&gate, Method::GET, METRICS, &pairs), Err(Refused::Shut));
        assert_eq!(admitted(&gate, Method::GET, METRICS, &[HOST]), Err(Refused::Shut));
    }

    #[test]
    fn the_files_open_in_a_window_of_their_own_and_in_no_frame() {
        let (gate, _) = gate();
        let opens = |dest| {
            let pairs = [
                HOST,
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", dest),
            ];
            admitted(&gate, Method::GET, "/", &pairs)
        };
        assert_eq!(opens("document"), Ok(false));
        assert_eq!(opens("iframe"), Err(Refused::Foreign));
    }
}
