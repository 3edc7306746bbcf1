//! Connections to a driver that answers within bounds: whoever serves a browser elsewhere may be broken, or somebody else.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::Uri;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tower_service::Service;

/// How much may come for one request, in bytes: the largest picture in base64, as the desk of an own driver has it.
pub(super) const LARGEST: usize = 64 * 1024 * 1024;

/// Connects to a driver.
#[derive(Debug, Clone)]
pub(super) struct Connector(HttpConnector);

/// A connection that breaks when too much comes.
#[derive(Debug)]
pub(super) struct Bounded {
    stream: TcpStream,
    /// What may still come before the next request.
    left: usize,
}

type Connecting = Pin<Box<dyn Future<Output = Result<TokioIo<Bounded>, Failure>> + Send>>;
type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Connector {
    pub(super) fn new() -> Self {
        Self(HttpConnector::new())
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Bounded>;
    type Error = Failure;
    type Future = Connecting;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Connecting {
        let connecting = self.0.call(to);
        Box::pin(async move {
            let stream = connecting.await?.into_inner();
            Ok(TokioIo::new(Bounded { stream, left: LARGEST }))
        })
    }
}

impl Connection for Bounded {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
        let came = into.filled().len() - before;
        let Some(left) = self.left.checked_sub(came) else {
            let why = format!("an answer has more than {LARGEST} bytes");
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::FileTooLarge, why)));
        };
        self.left = left;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.left = LARGEST;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
