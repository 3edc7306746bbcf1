//! Where each request is judged, recorded and sent on its way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::body::Incoming;
use hyper::{Method, Request, Response, Uri};
use tokio::sync::mpsc;

use super::attempt::{Attempt, Decision};
use super::body::Body;
use super::tunnel::Tunnel;
use super::{forward, reply};
use crate::carried::Carried;
use crate::dial::Pinned;
use crate::endpoint::Endpoint;
use crate::error::{Error, Failure, Refusal, with_causes};
use crate::rules::{Route, Rules};
use crate::target::Target;
use crate::target_error::TargetError;
use crate::upstream::{Limits, Upstream};

/// How much is recorded of what is no target, in characters.
const SHOWN: usize = 80;

/// One client's rules, and the means to follow them.
pub(super) struct Desk {
    rules: Rules,
    upstream: Upstream,
    attempts: mpsc::Sender<Attempt>,
    /// Whether another machine's words may have come through.
    heard: Arc<AtomicBool>,
}

impl Desk {
    pub(super) fn new(
        rules: Rules,
        upstream: Upstream,
        attempts: mpsc::Sender<Attempt>,
        heard: Arc<AtomicBool>,
    ) -> Self {
        Self { rules, upstream, attempts, heard }
    }

    pub(super) fn limits(&self) -> &Limits {
        self.upstream.limits()
    }

    /// Answers one request. A tunnel is handed to `open_tunnel`, to run once the answer is out.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        open_tunnel: &mpsc::Sender<Tunnel>,
    ) -> Response<Body> {
        let answered = if request.method() == Method::CONNECT {
            self.tunnel(request, open_tunnel).await
        } else {
            self.forward(request).await
        };
        // Before the client has a byte of it.
        if answered.as_ref().err().is_none_or(Error::has_words_of_others) {
            self.heard.store(true, Ordering::Release);
        }
        answered.unwrap_or_else(|error| reply::sorry(&error))
    }

    async fn tunnel(
        &self,
        request: Request<Incoming>,
        open_tunnel: &mpsc::Sender<Tunnel>,
    ) -> Result<Response<Body>, Error> {
        let asked = request.uri().to_string().parse::<Endpoint>();
        let judged = self.judge_tunnel(asked.as_ref()).await;
        let secrets = |_: &Pinned| Vec::new();
        let carried = self.record(request.uri(), asked.ok(), decision(&judged, secrets)).await?;
        let stream = match self.upstream.connect(&judged?, carried).await {
            Ok(stream) => stream,
            Err(failure) => return Err(self.lost(request.uri(), failure.into()).await),
        };
        let tunnel = Tunnel::new(request, stream);
        open_tunnel.try_send(tunnel).map_err(|_| Failure::Unrecorded)?;
        Ok(reply::tunnel_open())
    }

    async fn judge_tunnel(&self, asked: Result<&Endpoint, &TargetError>) -> Result<Pinned, Error> {
        let endpoint = asked.map_err(|error| Refusal::Target(error.clone()))?;
        self.rules.tunnel(endpoint)?;
        self.upstream.pin(endpoint, &self.rules).await
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Body>, Error> {
        let asked = request.uri().to_string().parse::<Target>();
        let judged = self.judge_forward(asked.as_ref()).await;
        let secrets = |(route, _): &(Route<'_>, Pinned)| {
            route.injections.iter().map(|injection| injection.name().to_owned()).collect()
        };
        let endpoint = asked.as_ref().ok().map(|target| target.origin().endpoint.clone());
        let carried = self.record(request.uri(), endpoint, decision(&judged, secrets)).await?;
        let (route, pinned) = judged?;
        let target = asked.map_err(Refusal::Target)?;
        let upstream = (&self.upstream, carried);
        let uri = request.uri().clone();
        let forwarded = forward::forward(request, target.path(), &route, upstream, &pinned).await;
        match forwarded {
            Err(error) => Err(self.lost(&uri, error).await),
            forwarded => forwarded,
        }
    }

    /// Tells that a request was let through and did not arrive, or was not answered.
    async fn lost(&self, uri: &Uri, error: Error) -> Error {
        if let Error::Failed(failure) = &error {
            let endpoint = uri.to_string();
            let target = endpoint.parse::<Target>().map(|target| target.origin().endpoint.clone());
            let endpoint = target.ok().or_else(|| endpoint.parse().ok());
            let decision = Decision::Lost { reason: with_causes(failure) };
            // The client hears of it, whoever else does.
            let _ = self.record(uri, endpoint, decision).await;
        }
        error
    }

    async fn judge_forward(
        &self,
        asked: Result<&Target, &TargetError>,
    ) -> Result<(Route<'_>, Pinned), Error> {
        let target = asked.map_err(|error| Refusal::Target(error.clone()))?;
        let route = self.rules.route(target.origin())?;
        let pinned = self.upstream.pin(&route.origin.endpoint, &self.rules).await?;
        route.allows(&pinned)?;
        Ok((route, pinned))
    }

    /// Tells what was decided, and gives what counts the bytes of it.
    async fn record(
        &self,
        uri: &Uri,
        endpoint: Option<Endpoint>,
        decision: Decision,
    ) -> Result<Carried, Failure> {
        let (host, port) = match endpoint {
            Some(endpoint) => (endpoint.host.to_string(), Some(endpoint.port)),
            None => (uri.to_string().chars().take(SHOWN).collect(), None),
        };
        let carried = Carried::default();
        let attempt = Attempt { host, port, decision, carried: carried.clone() };
        self.attempts.send(attempt).await.map_err(|_| Failure::Unrecorded)?;
        Ok(carried)
    }
}

/// What to record about a request that was judged, with the names of the secrets that it is given.
fn decision<T>(judged: &Result<T, Error>, secrets: impl Fn(&T) -> Vec<String>) -> Decision {
    match judged {
        Ok(permitted) => Decision::Allowed { injected: secrets(permitted) },
        Err(Error::Refused(refusal)) => Decision::Refused { reason: with_causes(refusal) },
        Err(Error::Failed(failure)) => Decision::Failed { reason: with_causes(failure) },
    }
}
