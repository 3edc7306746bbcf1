//! Sends a request through the router's proxy.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::Uri;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderName, HeaderValue, LOCATION, USER_AGENT};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::time::Instant;
use url::Url;

use super::redirect::{MAX_REDIRECTS, checked, may_cross, target};
use super::response::host;
use super::{Error, Request, Response};

/// The header by which the proxy marks an answer of its own: `refused` or `failed`.
const PROXY_SAYS: &str = "x-safeclaw-proxy";

/// What a request says of its sender, unless it says something else.
const USER_AGENT_TEXT: &str = concat!("safeclaw-skill/", env!("CARGO_PKG_VERSION"));

/// A way to the network: the router's proxy, or none.
#[derive(Debug, Clone)]
pub struct Client {
    proxy: Option<String>,
}

impl Client {
    pub(crate) fn through(proxy: Option<String>) -> Self {
        Self { proxy }
    }

    /// Sends a request and waits for the head of its answer. An answer of any status is an answer;
    /// [`Response::ok`] makes an error of those that are not 2xx.
    ///
    /// # Errors
    /// Everything in [`Error`] but [`Error::Answered`], [`Error::TooLarge`] and [`Error::BadBody`].
    pub fn send(&self, request: &Request) -> Result<Response, Error> {
        let mut url = checked(&request.url)?;
        let proxy = self.proxy.as_deref().ok_or(Error::NoNetwork)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(Error::Proxy)?;
        let deadline = Deadline::after(request.timeout);
        for _ in 0..=MAX_REDIRECTS {
            let response = exchange(&runtime, deadline, proxy, wire(request, &url)?, &url)?;
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let next =
                if request.follows { target(&url, response.status(), location)? } else { None };
            let Some(next) = next else {
                let (head, body) = response.into_parts();
                return proxys_own(Response { url, head, body, runtime, deadline });
            };
            url = next;
        }
        Err(Error::TooManyRedirects { host: host(&url) })
    }
}

/// An answer that the proxy gave in the host's place is an error.
fn proxys_own(response: Response) -> Result<Response, Error> {
    match response.header(PROXY_SAYS) {
        None => Ok(response),
        Some("refused") => Err(Error::Refused(response.words())),
        Some("unreached") => Err(Error::Unreached(response.words())),
        Some(_) => Err(Error::Failed(response.words())),
    }
}

/// The request as it goes to the proxy, for the first URL or for one that it was redirected to.
fn wire(request: &Request, url: &Url) -> Result<hyper::Request<Full<Bytes>>, Error> {
    let bad_url = |reason: String| Error::BadUrl { url: url.to_string(), reason };
    // The whole URI in the request line is the absolute form; hyper writes it as it stands.
    let uri = Uri::try_from(url.as_str()).map_err(|error| bad_url(error.to_string()))?;
    let host = uri.authority().map(ToString::to_string).unwrap_or_default();
    let stays = Url::parse(&request.url).is_ok_and(|first| first.origin() == url.origin());
    let mut wire = hyper::Request::new(Full::from(request.body.to_bytes()));
    *wire.method_mut() = request.method.clone();
    *wire.uri_mut() = uri;
    let headers = wire.headers_mut();
    headers.insert(HOST, HeaderValue::try_from(host).map_err(|error| bad_url(error.to_string()))?);
    headers.insert(USER_AGENT, HeaderValue::from_static(USER_AGENT_TEXT));
    for (name, value) in request.headers.iter().filter(|(name, _)| stays || may_cross(name)) {
        let bad = || Error::BadHeader { name: name.clone() };
        let header = HeaderName::try_from(name).map_err(|_| bad())?;
        headers.insert(header, HeaderValue::try_from(value).map_err(|_| bad())?);
    }
    Ok(wire)
}

/// One request and the head of its answer, over a connection of their own.
fn exchange(
    runtime: &Runtime,
    deadline: Deadline,
    proxy: &str,
    request: hyper::Request<Full<Bytes>>,
    url: &Url,
) -> Result<hyper::Response<Incoming>, Error> {
    let broken = |error| Error::Broken { host: host(url), source: Box::new(error) };
    runtime.block_on(deadline.keep(url, async {
        let stream = TcpStream::connect(proxy).await.map_err(Error::Proxy)?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        tokio::spawn(connection);
        sender.send_request(request).await.map_err(broken)
    }))
}

/// When the whole request has to be over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    at: Instant,
    after: Duration,
}

impl Deadline {
    fn after(after: Duration) -> Self {
        Self { at: Instant::now() + after, after }
    }

    /// Waits for `work` until the deadline.
    pub(super) async fn keep<T>(
        self,
        url: &Url,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        match tokio::time::timeout_at(self.at, work).await {
            Ok(done) => done,
            Err(_) => Err(Error::Timeout { host: host(url), after: self.after }),
        }
    }
}
