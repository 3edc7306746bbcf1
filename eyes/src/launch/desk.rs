//! Where the agent speaks to the driver: what is asked is looked at first.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use super::browsers::Browsers;
use crate::asked;

/// How large a request may be, in bytes: a script and its arguments.
const LARGEST: usize = 4 * 1024 * 1024;

/// How an error begins when there is no driver to pass a request on to.
pub(crate) const ENDED: &str = "the driver has ended";

/// How large an answer may be, in bytes: a picture of ten million pixels that can't be packed, in base64.
const LARGEST_ANSWER: usize = 64 * 1024 * 1024;

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Body = BoxBody<Bytes, Failure>;

/// The way to the driver, while there is one: its port, and what its paths begin with.
#[derive(Debug, Default)]
pub(super) struct Way {
    lead: Mutex<Option<(u16, String)>>,
    doubted: AtomicBool,
}

impl Way {
    pub(super) fn lead_to(&self, port: u16, base: &str) {
        *self.lead.lock().unwrap_or_else(PoisonError::into_inner) = Some((port, base.to_owned()));
    }

    pub(super) fn lead_nowhere(&self) {
        *self.lead.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Notes that the driver left a request without an answer: it may be about to end.
    pub(super) fn doubt(&self) {
        self.doubted.store(true, Ordering::Relaxed);
    }

    /// Whether there was doubt, and ends it.
    pub(super) fn settle(&self) -> bool {
        self.doubted.swap(false, Ordering::Relaxed)
    }

    fn now(&self) -> Option<(u16, String)> {
        self.lead.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A text that nobody guesses.
pub(super) fn secret() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// How long is waited after a connection could not be taken.
const REST: Duration = Duration::from_millis(100);

/// A listening desk. It closes when it is dropped.
#[derive(Debug)]
pub(super) struct Desk {
    port: u16,
    base: String,
    _serving: AbortOnDropHandle<()>,
}

impl Desk {
    /// Opens a desk before whatever `way` leads to.
    pub(super) async fn open(way: Arc<Way>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (port, base) = (listener.local_addr()?.port(), secret());
        let browsers = Browsers::default();
        let clerk = Arc::new(Clerk { way, base: base.clone(), browsers });
        let serving = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    // Such as when no descriptor is free; the desk is there for as long as the agent is.
                    tokio::time::sleep(REST).await;
                    continue;
                };
                let clerk = Arc::clone(&clerk);
                tokio::spawn(async move { clerk.serve(stream).await });
            }
        });
        Ok(Self { port, base, _serving: AbortOnDropHandle::new(serving) })
    }

    /// Where it is spoken to.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.base)
    }
}

struct Clerk {
    way: Arc<Way>,
    base: String,
    browsers: Browsers,
}

impl Clerk {
    async fn serve(self: Arc<Self>, stream: TcpStream) {
        let service = service_fn(move |request| {
            let clerk = Arc::clone(&self);
            async move {
                let answer = clerk.answer(request).await;
                Ok::<_, Infallible>(answer.unwrap_or_else(|(status, why)| sorry(status, &why)))
            }
        });
        // A client that leaves in the middle has nothing to be told.
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }

    /// A path relative to this desk.
    fn inside(&self, path: &str) -> Option<String> {
        let path = path.strip_prefix('/')?.strip_prefix(&self.base)?.strip_prefix('/')?;
        Some(path.to_owned())
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, (StatusCode, String)> {
        let (head, body) = request.into_parts();
        let Some(inside) = self.inside(head.uri.path()) else {
            return Err((StatusCode::NOT_FOUND, "this is nobody's driver".to_owned()));
        };
        let body = Limited::new(body, LARGEST).collect().await;
        let body = body.map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?.to_bytes();
        asked::check(&head.method, &inside, &body).map_err(|why| (StatusCode::FORBIDDEN, why))?;
        let Some((port, base)) = self.way.now() else {
            return Err((StatusCode::BAD_GATEWAY, ENDED.to_owned()));
        };
        let request = Request::builder()
            .method(&head.method)
            .uri(format!("/{base}/{inside}"))
            .header(HOST, format!("127.0.0.1:{port}"))
            .header(CONTENT_TYPE, "application/json; charset=utf-8")
            .body(Full::new(body))
            .map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
        let passed = pass_on(port, request);
        let answer = match ended(&head.method, &inside) {
            Some(session) => self.browsers.end(session, passed).await,
            None => passed.await,
        };
        let answer = answer.map_err(|error| self.gone(error))?;
        if inside == "session" { self.opened(answer).await } else { Ok(answer) }
    }

    /// An answer to a request for a session, which says which browser it has.
    async fn opened(&self, answer: Response<Body>) -> Result<Response<Body>, (StatusCode, String)> {
        let (head, body) = answer.into_parts();
        let body = body.collect().await.map_err(|error| self.gone(error))?.to_bytes();
        self.browsers.learn(head.status, &body);
        Ok(Response::from_parts(head, whole(body)))
    }

    #[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
    fn gone(&self, error: Failure) -> (StatusCode, String) {
        self.way.doubt();
        (StatusCode::BAD_GATEWAY, format!("{ENDED}: {error}"))
    }
}

/// The session that a request wants to end.
fn ended(method: &Method, path: &str) -> Option<String> {
    let session = path.strip_prefix("session/")?;
    (method == Method::DELETE && !session.contains('/')).then(|| session.to_owned())
}

async fn pass_on(port: u16, request: Request<Full<Bytes>>) -> Result<Response<Body>, Failure> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let (mut driver, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let mut answer = driver.send_request(request).await?;
    // What it says of its size need not be true, and no more than the limit is passed on.
    answer.headers_mut().remove(CONTENT_LENGTH);
    Ok(answer.map(|body| Limited::new(body, LARGEST_ANSWER).boxed()))
}

fn whole(body: impl Into<Bytes>) -> Body {
    Full::new(body.into()).map_err(|never| match never {}).boxed()
}

/// An error as WebDriver words it (W3C WebDriver, "Errors").
fn sorry(status: StatusCode, why: &str) -> Response<Body> {
    let value = json!({"value": {"error": "unknown error", "message": why, "stacktrace": ""}});
    let mut response = Response::new(whole(value.to_string()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests;
