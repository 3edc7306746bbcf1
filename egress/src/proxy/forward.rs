//! Sending one request on to its origin, and streaming the response back.

use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{EXPECT, HOST, HeaderValue, TRANSFER_ENCODING};
use hyper::{Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::TokioIo;
use tokio_util::task::AbortOnDropHandle;

use super::body::{self, Body};
use super::headers;
use super::redact::Redactor;
use crate::carried::Carried;
use crate::dial::Pinned;
use crate::error::{Error, Failure, Refusal};
use crate::rules::Route;
use crate::target_error::TargetError;
use crate::upstream::{Connection, Upstream};

/// Sends `request` for `path` along `route` to the addresses in `pinned`. Each request has a connection of
/// its own, so that none can end up on a connection that was checked for another one.
pub(super) async fn forward(
    request: Request<Incoming>,
    path: &str,
    route: &Route<'_>,
    (upstream, carried): (&Upstream, Carried),
    pinned: &Pinned,
) -> Result<Response<Body>, Error> {
    let request = outgoing(request, path, route).map_err(Refusal::Target)?;
    let broke =
        |source: hyper::Error| Failure::http(pinned.endpoint(), source, upstream.limits().idle);
    let connection = upstream.open(pinned, route.origin.scheme, carried).await?;
    let (mut sender, driver) =
        speak_http(connection, upstream.limits().head).await.map_err(broke)?;
    let response = sender.send_request(request).await.map_err(broke)?;
    Ok(incoming(response, route, driver)?)
}

/// The HTTP side of a connection, and the task that moves its bytes.
async fn speak_http(
    connection: Connection,
    head: usize,
) -> hyper::Result<(SendRequest<Incoming>, AbortOnDropHandle<()>)> {
    let stream = TokioIo::new(connection);
    let (sender, connection) = http1::Builder::new().max_buf_size(head).handshake(stream).await?;
    let driver = tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection of the proxy broke off");
        }
    });
    Ok((sender, AbortOnDropHandle::new(driver)))
}

/// The client's request as the origin gets it: only the target's own host and path, none of what was said
/// to the proxy, and the secrets in place of whatever the client put there.
fn outgoing(
    request: Request<Incoming>,
    path: &str,
    route: &Route<'_>,
) -> Result<Request<Incoming>, TargetError> {
    let (mut head, body) = request.into_parts();
    head.uri = Uri::try_from(path).map_err(|_| TargetError::not_url(path))?;
    head.version = Version::HTTP_11;
    head.extensions.clear();
    headers::strip_hop_by_hop(&mut head.headers);
    // The proxy has said "continue" to the client already.
    head.headers.remove(EXPECT);
    let authority = route.origin.authority();
    let host = HeaderValue::try_from(&authority).map_err(|_| TargetError::host(&authority))?;
    head.headers.insert(HOST, host);
    if body.size_hint().exact().is_none() {
        head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    if !route.injections.is_empty() {
        headers::ask_for_plain_whole(&mut head.headers);
    }
    for injection in &route.injections {
        let (name, value) = injection.header();
        head.headers.insert(name, value);
    }
    Ok(Request::from_parts(head, body))
}

/// The origin's response as the client gets it: without what concerns the connection alone, and without the
/// secrets that went out with the request.
fn incoming(
    response: Response<Incoming>,
    route: &Route<'_>,
    driver: AbortOnDropHandle<()>,
) -> Result<Response<Body>, Failure> {
    let (mut head, body) = response.into_parts();
    let unfit = |why: String| Failure::Unfit { endpoint: route.origin.endpoint.clone(), why };
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        return Err(unfit("it changes the protocol, for which CONNECT is the way".to_owned()));
    }
    let redactor = if route.injections.is_empty() {
        None
    } else {
        if let Some(encoding) = headers::encoding(&head.headers) {
            return Err(unfit(format!(
                "it is encoded ({encoding}) and can't be searched for secrets"
            )));
        }
        let secrets = route.injections.iter().flat_map(|one| one.secrets().cloned());
        let redactor = Redactor::new(secrets);
        headers::drop_secrets(&mut head.headers, &redactor);
        Some(redactor)
    };
    headers::strip_hop_by_hop(&mut head.headers);
    headers::drop_own_words(&mut head.headers);
    // It holds the reason phrase, in which a server can put anything.
    head.extensions.clear();
    head.version = Version::HTTP_11;
    Ok(Response::from_parts(head, body::streamed(body, redactor, driver)))
}
