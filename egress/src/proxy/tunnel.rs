//! A tunnel: bytes in both directions, untouched.

use hyper::Request;
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use crate::idle::Idle;

/// A tunnel whose far end is connected. It runs once the client has its answer to CONNECT.
pub(super) struct Tunnel {
    client: OnUpgrade,
    upstream: Idle<TcpStream>,
}

impl Tunnel {
    pub(super) fn new(connect: Request<Incoming>, upstream: Idle<TcpStream>) -> Self {
        Self { client: hyper::upgrade::on(connect), upstream }
    }

    /// Carries bytes until both sides are done, one breaks off, or nothing has moved for too long.
    pub(super) async fn run(mut self) {
        let carried = match self.client.await {
            Ok(client) => copy_bidirectional(&mut TokioIo::new(client), &mut self.upstream).await,
            Err(error) => Err(std::io::Error::other(error)),
        };
        if let Err(error) = carried {
            tracing::debug!(%error, "a tunnel broke off");
        }
    }
}
