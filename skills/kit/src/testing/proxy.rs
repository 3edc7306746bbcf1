//! A stand-in for the router's proxy: a real HTTP server that records what it is asked.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// What the proxy was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// The request target as it stood in the request line: an absolute URL.
    pub target: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Asked {
    /// The value of a header, its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null when it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What the proxy answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// An answer with an empty body.
    #[must_use]
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// An answer of JSON.
    #[must_use]
    pub fn json(status: u16, body: Value) -> Self {
        Self::new(status).header("content-type", "application/json").body(body.to_string())
    }

    /// What the wall says when it refuses a host.
    #[must_use]
    pub fn refused(words: &str) -> Self {
        Self::json(403, serde_json::json!({"error": words})).header("x-safeclaw-proxy", "refused")
    }

    /// What the wall says when it cannot reach a host, and so has sent nothing.
    #[must_use]
    pub fn unreached(words: &str) -> Self {
        Self::json(502, serde_json::json!({"error": words})).header("x-safeclaw-proxy", "unreached")
    }

    /// What the wall says when a host that was reached gives no answer.
    #[must_use]
    pub fn failed(words: &str) -> Self {
        Self::json(502, serde_json::json!({"error": words})).header("x-safeclaw-proxy", "failed")
    }

    /// Changes the status.
    #[must_use]
    pub fn status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// An answer that HTTP does not allow becomes a 500, so that the test sees it.
    fn into_http(self) -> hyper::Response<Full<Bytes>> {
        let mut response = hyper::Response::builder().status(self.status);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(Full::from(self.body)).unwrap_or_else(|error| {
            let mut response = hyper::Response::new(Full::from(error.to_string()));
            *response.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
            response
        })
    }
}

type Script = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A stand-in for the router's proxy on a port of its own, until it is dropped.
pub struct Proxy {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Dropping it ends the server.
    _runtime: tokio::runtime::Runtime,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proxy").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Proxy {
    /// A proxy that answers every request with what `script` says.
    ///
    /// # Errors
    /// When this machine has no port or thread left for it.
    pub fn answering(
        script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let asked = Arc::new(Mutex::new(Vec::new()));
        runtime.spawn(accept(listener, Arc::new(script), Arc::clone(&asked)));
        Ok(Self { address, asked, _runtime: runtime })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was asked until now, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn accept(listener: TcpListener, script: Arc<Script>, record: Arc<Mutex<Vec<Asked>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (script, record) = (Arc::clone(&script), Arc::clone(&record));
        let answer = service_fn(move |request| {
            let (script, record) = (Arc::clone(&script), Arc::clone(&record));
            async move {
                let asked = read(request).await;
                record.lock().unwrap_or_else(PoisonError::into_inner).push(asked.clone());
                Ok::<_, Infallible>(script(&asked).into_http())
            }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
    }
}

async fn read(request: hyper::Request<Incoming>) -> Asked {
    let (head, body) = request.into_parts();
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers =
        head.headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes())));
    Asked {
        method: head.method.to_string(),
        target: head.uri.to_string(),
        headers: headers.collect(),
        // A body that breaks off is recorded as empty.
        body: body.collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default(),
    }
}
