//! A forward proxy (HTTP/1.1, RFC 9112) that lets through what its rules allow.
//!
//! `CONNECT host:port` is tunnelled untouched. A request in absolute form (`GET https://host/path`) is sent
//! on by the proxy itself, which adds the secrets that belong to the origin and takes them out of the
//! response again. One connection of a client is one task; when the [`Proxy`] is dropped all of them end.

mod attempt;
mod body;
mod desk;
mod forward;
mod headers;
mod listener;
mod redact;
mod reply;
mod tunnel;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

pub use attempt::{Attempt, Decision};
pub use listener::Listener;

use crate::rules::Rules;
use crate::upstream::Upstream;
use desk::Desk;
use tunnel::Tunnel;

/// How long accepting rests after it failed, for example because the process has no descriptors left.
const ACCEPT_REST: Duration = Duration::from_millis(100);

/// A running proxy. Dropping it closes the listener and every connection.
#[derive(Debug)]
pub struct Proxy {
    _accepting: AbortOnDropHandle<()>,
    heard: Arc<AtomicBool>,
}

impl Proxy {
    /// Serves the clients of `listener` by `rules`, as a task of the current runtime.
    ///
    /// What is decided on each request goes to `attempts`, before anything is sent. A full channel makes the
    /// request wait and a closed one makes it fail: what can't be recorded does not happen.
    #[must_use = "a proxy that is dropped stops"]
    pub fn serve(
        listener: impl Listener,
        rules: Rules,
        upstream: Upstream,
        attempts: mpsc::Sender<Attempt>,
    ) -> Self {
        let heard = Arc::default();
        let desk = Arc::new(Desk::new(rules, upstream, attempts, Arc::clone(&heard)));
        let accepting = AbortOnDropHandle::new(tokio::spawn(accept_all(listener, desk)));
        Self { _accepting: accepting, heard }
    }

    /// Whether anything that another machine has sent may have come through, be it a word in an error. Where no name was
    /// found, no connection came about, or the other side was silent, nothing has.
    #[must_use]
    pub fn has_heard(&self) -> bool {
        self.heard.load(Ordering::Acquire)
    }
}

async fn accept_all(listener: impl Listener, desk: Arc<Desk>) {
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if clients.len() < desk.limits().connections => {
                match accepted {
                    Ok(stream) => {
                        clients.spawn(serve_client(stream, Arc::clone(&desk)));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the proxy can't accept a connection");
                        tokio::time::sleep(ACCEPT_REST).await;
                    }
                }
            }
            Some(_) = clients.join_next() => {}
        }
    }
}

/// Answers one client's requests, one after the other, until it leaves or a tunnel takes its place.
async fn serve_client(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    desk: Arc<Desk>,
) {
    let (open_tunnel, mut tunnels) = mpsc::channel::<Tunnel>(1);
    let answering = Arc::clone(&desk);
    let service = service_fn(move |request| {
        let (desk, open_tunnel) = (Arc::clone(&answering), open_tunnel.clone());
        async move { Ok::<_, std::convert::Infallible>(desk.answer(request, &open_tunnel).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(desk.limits().idle)
        .max_buf_size(desk.limits().head)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a client of the proxy left in the middle");
    }
    if let Ok(tunnel) = tunnels.try_recv() {
        tunnel.run().await;
    }
}
