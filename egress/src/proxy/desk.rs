//! Where each request is judged, recorded and sent on its way.

use hyper::body::Incoming;
use hyper::{Method, Request, Response, Uri};
use tokio::sync::mpsc;

use super::attempt::{Attempt, Decision};
use super::body::Body;
use super::tunnel::Tunnel;
use super::{forward, reply};
use crate::dial::Pinned;
use crate::endpoint::Endpoint;
use crate::error::{Error, Failure, Refusal, with_causes};
use crate::rules::{Route, Rules};
use crate::target::{Target, TargetError};
use crate::upstream::{Limits, Upstream};

/// How much is recorded of what is no target, in characters.
const SHOWN: usize = 80;

/// One client's rules, and the means to follow them.
pub(super) struct Desk {
    rules: Rules,
    upstream: Upstream,
    attempts: mpsc::Sender<Attempt>,
}

impl Desk {
    pub(super) fn new(rules: Rules, upstream: Upstream, attempts: mpsc::Sender<Attempt>) -> Self {
        Self { rules, upstream, attempts }
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
        self.record(request.uri(), asked.ok(), decision(&judged, secrets)).await?;
        let stream = self.upstream.connect(&judged?).await?;
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
        self.record(request.uri(), endpoint, decision(&judged, secrets)).await?;
        let (route, pinned) = judged?;
        let target = asked.map_err(Refusal::Target)?;
        forward::forward(request, target.path(), &route, &self.upstream, &pinned).await
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

    async fn record(
        &self,
        uri: &Uri,
        endpoint: Option<Endpoint>,
        decision: Decision,
    ) -> Result<(), Failure> {
        let (host, port) = match endpoint {
            Some(endpoint) => (endpoint.host.to_string(), Some(endpoint.port)),
            None => (uri.to_string().chars().take(SHOWN).collect(), None),
        };
        let attempt = Attempt { host, port, decision };
        self.attempts.send(attempt).await.map_err(|_| Failure::Unrecorded)
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
