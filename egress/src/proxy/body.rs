//! The bodies that the proxy sends to its client.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use tokio_util::task::AbortOnDropHandle;

use super::redact::Redactor;

/// Any of them.
pub(super) type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// A body that is there already.
pub(super) fn of(text: impl Into<Bytes>) -> Body {
    Full::new(text.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body that is passed on as it comes, without the secrets that `redactor` knows.
pub(super) fn streamed(
    body: Incoming,
    redactor: Option<Redactor>,
    driver: AbortOnDropHandle<()>,
) -> Body {
    Streamed { body, redactor, _driver: driver }.boxed_unsync()
}

/// Holds the connection's driver, so that the connection ends with the body.
struct Streamed {
    body: Incoming,
    redactor: Option<Redactor>,
    _driver: AbortOnDropHandle<()>,
}

impl Streamed {
    /// What may be passed on now that `data` has come. It is empty when all of it may begin a secret.
    fn pass(&mut self, data: Bytes) -> Bytes {
        match &mut self.redactor {
            Some(redactor) => redactor.push(&data),
            None => data,
        }
    }

    /// What was held back when the body ends.
    fn rest(&mut self) -> Bytes {
        self.redactor.as_mut().map(Redactor::finish).unwrap_or_default()
    }
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        loop {
            let passed = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                // Trailers are left out, as RFC 9110, 6.5.1 allows: they would be a second way for secrets.
                Some(Ok(frame)) => {
                    frame.into_data().map(|data| self.pass(data)).unwrap_or_default()
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    let rest = self.rest();
                    return Poll::Ready((!rest.is_empty()).then(|| Ok(Frame::data(rest))));
                }
            };
            if !passed.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(passed))));
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        if self.redactor.is_some() { SizeHint::default() } else { self.body.size_hint() }
    }
}
