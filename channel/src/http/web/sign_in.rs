//! The form that signs a browser in: one button, no script. Opening a link uses nothing up, so that what looks at links ahead of
//! people burns none; the button does.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use mind::links::{CodeError, PATH};
use serde::Deserialize;
use settings::Site;
use words::Words;

use super::cookies::Cookie;
use super::door::{Closed, Door};
use super::words::wanted_by;
use crate::http::site::Sites;

/// A longer code than any that was made is none, in bytes.
const LONGEST: usize = 200;

/// What the form needs.
#[derive(Clone)]
pub(super) struct AtDoor {
    pub(super) door: Arc<Door>,
    pub(super) sites: Arc<Sites>,
}

/// What stands in a link.
#[derive(Debug, Deserialize)]
pub(super) struct Opened {
    #[serde(default)]
    code: Option<String>,
}

/// Shows the button. The code of a link goes into a cookie first: what a browser remembers as visited has none.
pub(super) async fn show(
    State(at): State<AtDoor>,
    headers: HeaderMap,
    Query(opened): Query<Opened>,
) -> Response {
    let words = wanted_by(&headers);
    let is_code = |code: &String| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=LONGEST).contains(&code.len()) && code.bytes().all(fits)
    };
    let Ok(site) = at.sites.of(&headers) else { return StatusCode::FORBIDDEN.into_response() };
    match opened.code {
        None => page(words, StatusCode::OK, &button(words)),
        Some(code) if is_code(&code) => {
            let cookie = Cookie::Code.set(at.door.port(), &site, &code);
            away(PATH, cookie)
        }
        Some(_) => refused(words, StatusCode::FORBIDDEN, "signIn.unknown"),
    }
}

/// Uses the link up, and opens the page.
pub(super) async fn sign_in(State(at): State<AtDoor>, headers: HeaderMap) -> Response {
    let words = wanted_by(&headers);
    let Ok(site) = at.sites.of(&headers) else { return StatusCode::FORBIDDEN.into_response() };
    let port = at.door.port();
    let Some(code) = Cookie::Code.values(port, &headers).next().map(str::to_owned) else {
        return refused(words, StatusCode::FORBIDDEN, "signIn.noCode");
    };
    let browser = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let browser = browser.unwrap_or_default().to_owned();
    let door = Arc::clone(&at.door);
    let signed_in = tokio::task::spawn_blocking(move || door.sign_in(&code, &browser)).await;
    match signed_in {
        Ok(Ok(secret)) => welcome(port, &site, &secret),
        Ok(Err(Closed::TooMany)) => refused(words, StatusCode::TOO_MANY_REQUESTS, "signIn.tooMany"),
        Ok(Err(Closed::Link(error))) => {
            let why = match error {
                CodeError::Unknown => "signIn.unknown",
                CodeError::Expired => "signIn.expired",
                CodeError::Used => "signIn.used",
            };
            refused(words, StatusCode::FORBIDDEN, why)
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// To the page, with the cookie that opens it.
fn welcome(port: u16, site: &Site, secret: &str) -> Response {
    let cookies = [Cookie::SignedIn.set(port, site, secret), Cookie::Code.forget(port, site)];
    away("/", cookies.into_iter().flatten())
}

fn away(to: &'static str, cookies: impl IntoIterator<Item = HeaderValue>) -> Response {
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    for cookie in cookies {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn button(words: &Words) -> String {
    format!(
        "<p>{}</p><form method=\"post\" action=\"{PATH}\"><button class=\"main\">{}</button></form>",
        words.get("signIn.lead"),
        words.get("signIn.button"),
    )
}

fn refused(words: &Words, status: StatusCode, why: &'static str) -> Response {
    let command = home::agent_command_by_name("web");
    let how = words.fill("signIn.how", &[("command", &command)]);
    let told = format!("<p role=\"alert\">{}</p><p>{how}</p>", words.get(why));
    page(words, status, &told)
}

/// `body` as a page. Only words of the program's own stand in it.
fn page(words: &Words, status: StatusCode, body: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"{}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>{title}</title>\
         <link rel=\"icon\" href=\"/web/icon.svg\"><link rel=\"stylesheet\" href=\"/web/style.css\"></head>\
         <body class=\"door\"><main><h1>{title}</h1>{body}</main></body></html>",
        words.language(),
        title = words.get("signIn.title"),
    );
    // With `no-referrer` a browser would not say that the form is sent from here.
    let headers: [(HeaderName, &str); 2] = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::REFERRER_POLICY, "same-origin"),
    ];
    (status, headers, html).into_response()
}
