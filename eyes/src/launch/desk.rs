//! Where the agent speaks to the driver: what is asked is looked at first.

use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use crate::asked;

/// How large a request may be, in bytes: a script and its arguments.
const LARGEST: usize = 4 * 1024 * 1024;

/// How an error begins when there is no driver to pass a request on to.
pub(crate) const ENDED: &str = "the driver has ended";

type Body = BoxBody<Bytes, hyper::Error>;

/// The way to the driver, while there is one: its port, and what its paths begin with.
#[derive(Debug, Default)]
pub(super) struct Way(Mutex<Option<(u16, String)>>);

impl Way {
    pub(super) fn lead_to(&self, port: u16, base: &str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((port, base.to_owned()));
    }

    pub(super) fn lead_nowhere(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn now(&self) -> Option<(u16, String)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A text that nobody guesses.
pub(super) fn secret() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// A listening desk. It closes when it is dropped.
#[derive(Debug)]
pub(super) struct Desk {
    port: u16,
    base: String,
    _serving: AbortOnDropHandle<()>,
}

impl Desk {
    /// Opens a desk before whatever `way` leads to.
    pub(super) async fn open(way: Arc<Way>, profiles: PathBuf) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let (port, base) = (listener.local_addr()?.port(), secret());
        let clerk = Arc::new(Clerk { way, profiles, base: base.clone() });
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
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
    profiles: PathBuf,
    base: String,
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

    async fn answer(
        &self,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, (StatusCode, String)> {
        let (head, body) = request.into_parts();
        let path = head.uri.path().to_owned();
        let inside = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.base.as_str()));
        let Some(inside) = inside.and_then(|path| path.strip_prefix('/')) else {
            return Err((StatusCode::NOT_FOUND, "this is nobody's driver".to_owned()));
        };
        let body = Limited::new(body, LARGEST).collect().await;
        let body = body.map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?.to_bytes();
        asked::check(&head.method, inside, &body, &self.profiles)
            .map_err(|why| (StatusCode::FORBIDDEN, why))?;
        let Some((port, base)) = self.way.now() else {
            return Err((StatusCode::BAD_GATEWAY, ENDED.to_owned()));
        };
        let request = Request::builder()
            .method(head.method)
            .uri(format!("/{base}/{inside}"))
            .header(HOST, format!("127.0.0.1:{port}"))
            .header(CONTENT_TYPE, "application/json; charset=utf-8")
            .body(Full::new(body))
            .map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
        pass_on(port, request)
            .await
            .map_err(|error| (StatusCode::BAD_GATEWAY, format!("{ENDED}: {error}")))
    }
}

async fn pass_on(
    port: u16,
    request: Request<Full<Bytes>>,
) -> Result<Response<Body>, Box<dyn std::error::Error + Send + Sync>> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let (mut driver, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(driver.send_request(request).await?.map(BodyExt::boxed))
}

/// An error as WebDriver words it (W3C WebDriver, "Errors").
fn sorry(status: StatusCode, why: &str) -> Response<Body> {
    let value = json!({"value": {"error": "unknown error", "message": why, "stacktrace": ""}});
    let body = Full::new(Bytes::from(value.to_string())).map_err(|never| match never {});
    let mut response = Response::new(body.boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
