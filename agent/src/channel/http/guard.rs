//! Who is let in: programs of this machine that have the token, and no page of another site that a browser has open.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::connections::Caller;
use super::refusal::Refusal;

/// What is checked before anything else is looked at.
#[derive(Debug)]
pub(super) struct Guard {
    /// Where the channel listens.
    pub(super) here: SocketAddr,
    /// What a program has to show.
    pub(super) token: SecretString,
}

/// Lets a request through, or refuses it. What comes back is nothing that a browser should keep or guess about.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.admit(request.headers()) {
        Ok(()) => {
            if let Some(caller) = request.extensions().get::<Caller>() {
                caller.is_no_stranger();
            }
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

impl Guard {
    fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        // A name that somebody's DNS turns into 127.0.0.1 is the name of a foreign site.
        let host = text(header::HOST).filter(|host| self.is_here(host));
        let Some(host) = host else {
            return Err(Refusal::Foreign("the Host header names another machine"));
        };
        if let Some(origin) = headers.get(header::ORIGIN)
            && origin.as_bytes() != format!("http://{host}").as_bytes()
        {
            return Err(Refusal::Foreign("pages of other sites are not served"));
        }
        let shown = text(header::AUTHORIZATION).and_then(|shown| shown.strip_prefix("Bearer "));
        let known = self.token.expose_secret().as_bytes();
        match shown.map(|shown| bool::from(shown.trim().as_bytes().ct_eq(known))) {
            Some(true) => Ok(()),
            _ => Err(Refusal::NoToken),
        }
    }

    fn is_here(&self, host: &str) -> bool {
        let port = self.here.port();
        let names = ["127.0.0.1", "localhost", "[::1]"];
        self.here.to_string() == host || names.iter().any(|name| format!("{name}:{port}") == host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn admitted(headers: &[(header::HeaderName, &str)]) -> Result<(), Refusal> {
        let here = SocketAddr::from(([127, 0, 0, 1], 8787));
        let guard = Guard { here, token: TOKEN.into() };
        let pairs = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        guard.admit(&pairs.collect())
    }

    #[test]
    fn only_who_has_the_token_and_speaks_to_this_machine_is_let_in() {
        let right = format!("Bearer {TOKEN}");
        let with = |host: &'static str, token: &str| {
            admitted(&[(header::HOST, host), (header::AUTHORIZATION, token)])
        };
        for host in ["127.0.0.1:8787", "localhost:8787", "[::1]:8787"] {
            assert_eq!(with(host, &right), Ok(()));
        }
        for host in
            ["127.0.0.1", "evil.example:8787", "127.0.0.1:80", "127.0.0.1.evil.example:8787"]
        {
            assert!(matches!(with(host, &right), Err(Refusal::Foreign(_))), "{host}");
        }
        for token in
            ["", "Bearer ", "Bearer 0123", TOKEN, &format!("{right}0"), &right.to_lowercase()]
        {
            assert_eq!(with("localhost:8787", token), Err(Refusal::NoToken), "{token}");
        }
        assert_eq!(admitted(&[(header::HOST, "localhost:8787")]), Err(Refusal::NoToken));
        assert!(matches!(admitted(&[(header::AUTHORIZATION, &right)]), Err(Refusal::Foreign(_))));
    }

    #[test]
    fn a_page_of_another_site_is_refused_even_with_the_token() {
        let right = format!("Bearer {TOKEN}");
        let from = |origin| {
            admitted(&[
                (header::HOST, "localhost:8787"),
                (header::ORIGIN, origin),
                (header::AUTHORIZATION, &right),
            ])
        };
        assert_eq!(from("http://localhost:8787"), Ok(()));
        for origin in ["https://evil.example", "null", "http://localhost", "http://127.0.0.1:8787"]
        {
            assert!(matches!(from(origin), Err(Refusal::Foreign(_))), "{origin}");
        }
    }
}
