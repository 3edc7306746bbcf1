//! Who is let in: programs of this machine that have the token, the page of an owner who is signed in, and no page of another
//! site that a browser has open.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use loopback::{Caller, guarded_headers, is_of_the_page, may_open};
use secrecy::{ExposeSecret, SecretString};
use settings::Bridge;
use subtle::ConstantTimeEq;

use super::refusal::Refusal;
use super::site::Sites;
use super::web::{Door, SignedIn, is_open};

/// What bridges may ask for.
const BRIDGED: [&str; 3] = ["/v1/messages", "/v1/cancel", "/v1/events"];

/// What is checked before anything else is looked at.
#[derive(Debug)]
pub(super) struct Guard {
    /// The names under which the channel is reached.
    pub(super) sites: Arc<Sites>,
    /// What a program has to show.
    pub(super) token: SecretString,
    /// The bridges, and what each has to show.
    pub(super) bridges: Vec<(Bridge, SecretString)>,
    /// Who is signed in on the page, if there is one.
    pub(super) door: Option<Arc<Door>>,
}

/// Who has sent a request.
#[derive(Debug, Clone)]
pub(super) enum Visitor {
    /// A program with the token.
    Program,
    /// A bridge with its own.
    Bridge(Bridge),
    /// The page of somebody who is signed in.
    Page(SignedIn),
    /// Anybody; what is asked for is everybody's.
    Anybody,
}

/// Lets a request through, or refuses it. What comes back is nothing that a browser should keep or guess about.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut response = match guard.admit(request.method(), request.uri().path(), request.headers())
    {
        Ok(visitor) => {
            if !matches!(visitor, Visitor::Anybody)
                && let Some(caller) = request.extensions().get::<Caller>()
            {
                caller.is_no_stranger();
            }
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in guarded_headers() {
        // The form to sign in has a word of its own on referrers.
        if name == header::REFERRER_POLICY {
            headers.entry(name).or_insert(value);
        } else {
            headers.insert(name, value);
        }
    }
    response
}

impl Guard {
    fn admit(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<Visitor, Refusal> {
        self.sites.of(headers)?;
        if shows(&self.token, headers) {
            return Ok(Visitor::Program);
        }
        if let Some((bridge, _)) = self.bridges.iter().find(|(_, token)| shows(token, headers)) {
            let why = "a bridge speaks, listens and stops in its own sessions, and nothing else";
            let may = BRIDGED.contains(&path);
            return may.then(|| Visitor::Bridge(bridge.clone())).ok_or(Refusal::Foreign(why));
        }
        let Some(door) = &self.door else { return Err(Refusal::NoToken) };
        if is_open(path) || storm_pages::is_open(path) {
            let may = may_open(method, headers);
            let why = "this is opened by a person, and not from another page";
            return may.then_some(Visitor::Anybody).ok_or(Refusal::Foreign(why));
        }
        match door.who(headers) {
            Some(who) if is_of_the_page(method, headers) => Ok(Visitor::Page(who)),
            Some(_) => Err(Refusal::Foreign("other pages can't use a sign-in")),
            None => Err(Refusal::NoToken),
        }
    }
}

/// The bridges, with what each has to show.
pub(super) fn bridges(names: Vec<Bridge>, token: &SecretString) -> Vec<(Bridge, SecretString)> {
    let shown = |name: Bridge| {
        let shown = name.token(token);
        (name, shown)
    };
    names.into_iter().map(shown).collect()
}

fn shows(token: &SecretString, headers: &HeaderMap) -> bool {
    let shown = headers.get(header::AUTHORIZATION).and_then(|shown| shown.to_str().ok());
    let shown = shown.and_then(|shown| shown.strip_prefix("Bearer "));
    let known = token.expose_secret().as_bytes();
    shown.is_some_and(|shown| bool::from(shown.trim().as_bytes().ct_eq(known)))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn admitted(headers: &[(header::HeaderName, &str)]) -> Result<(), Refusal> {
        let here = SocketAddr::from(([127, 0, 0, 1], 8787));
        let guard = Guard {
            sites: Arc::new(Sites::new(here, Vec::new())),
            token: TOKEN.into(),
            bridges: Vec::new(),
            door: None,
        };
        let pairs = headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        guard.admit(&Method::POST, "/v1/messages", &pairs.collect()).map(drop)
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
