//! The other side: how it is resolved, whom it has to convince, and how long it may take.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

use crate::carried::Carried;
use crate::dial::Pinned;
use crate::endpoint::{Endpoint, Host};
use crate::error::{Error, Failure};
use crate::idle::Idle;
use crate::resolve::{Resolve, SystemResolver};
use crate::rules::Rules;
use crate::target::Scheme;

/// A connection in plain text, or over TLS. It ends when it has been silent for too long.
pub(crate) type Connection = Either<Idle<TcpStream>, TlsStream<Idle<TcpStream>>>;

/// The limits of a proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long resolving a name, connecting to it, and a TLS handshake may each take: 10 s.
    pub connect: Duration,
    /// How long the other side, or a client between two requests, may be silent: 60 s.
    pub idle: Duration,
    /// How many clients are served at once: 64. Further ones wait.
    pub connections: usize,
    /// How many bytes of a head are collected before it is given up, at least 8192: 64 KiB. One that
    /// arrives whole may be twice as large.
    pub head: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            connections: 64,
            head: 64 * 1024,
        }
    }
}

/// The authorities whose certificates are believed.
#[derive(Debug, Clone)]
pub struct Trust(RootCertStore);

impl Default for Trust {
    /// The authorities that Mozilla trusts. They are compiled in, so that no file of the machine can add one.
    fn default() -> Self {
        Self(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect())
    }
}

impl Trust {
    /// The same, and the authorities in a PEM text, for a home server that signs for itself.
    ///
    /// # Errors
    /// [`TrustError`] when the text holds no certificate, or a broken one.
    pub fn and(mut self, pem: &[u8]) -> Result<Self, TrustError> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = certificates.map_err(|_| TrustError)?;
        if certificates.is_empty() {
            return Err(TrustError);
        }
        for certificate in certificates {
            self.0.add(certificate).map_err(|_| TrustError)?;
        }
        Ok(self)
    }
}

/// A text that is no list of certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no certificates: they stand in PEM, between BEGIN CERTIFICATE and END CERTIFICATE")]
pub struct TrustError;

/// This build has no cryptography to speak TLS with.
#[derive(Debug, thiserror::Error)]
#[error("this build can't speak TLS")]
pub struct NoTls(#[source] rustls::Error);

/// How the other side is reached. One serves all proxies of a process; it is cheap to clone.
#[derive(Clone)]
pub struct Upstream {
    resolver: Arc<dyn Resolve>,
    tls: TlsConnector,
    limits: Limits,
}

impl Upstream {
    /// The other side as this resolver finds it and these authorities vouch for it.
    ///
    /// # Errors
    /// [`NoTls`], which a build with a working cryptography never gives.
    pub fn new(resolver: Arc<dyn Resolve>, trust: Trust, limits: Limits) -> Result<Self, NoTls> {
        // Named, because a process in which two providers are linked would have to guess, and panic.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().map_err(NoTls)?;
        let mut config = builder.with_root_certificates(trust.0).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { resolver, tls: TlsConnector::from(Arc::new(config)), limits })
    }

    /// The machine's resolver, the authorities that Mozilla trusts, and the usual limits.
    ///
    /// # Errors
    /// As [`Upstream::new`].
    pub fn usual() -> Result<Self, NoTls> {
        Self::new(Arc::new(SystemResolver), Trust::default(), Limits::default())
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Resolves and checks an endpoint.
    pub(crate) async fn pin(&self, endpoint: &Endpoint, rules: &Rules) -> Result<Pinned, Error> {
        Pinned::check(endpoint, rules, self.resolver.as_ref(), self.limits.connect).await
    }

    /// Connects to what was checked, and counts what passes.
    pub(crate) async fn connect(
        &self,
        pinned: &Pinned,
        carried: Carried,
    ) -> Result<Idle<TcpStream>, Failure> {
        let stream = pinned.connect(self.limits.connect).await?;
        Ok(Idle::new(stream, self.limits.idle, carried))
    }

    /// Connects to what was checked, and speaks TLS there when the scheme says so.
    pub(crate) async fn open(
        &self,
        pinned: &Pinned,
        scheme: Scheme,
        carried: Carried,
    ) -> Result<Connection, Failure> {
        let stream = self.connect(pinned, carried).await?;
        if scheme == Scheme::Http {
            return Ok(Either::Left(stream));
        }
        let endpoint = || pinned.endpoint().clone();
        let name = server_name(&pinned.endpoint().host);
        let name = name.map_err(|source| Failure::Tls { endpoint: endpoint(), source })?;
        match timeout(self.limits.connect, self.tls.connect(name, stream)).await {
            Ok(Ok(stream)) => Ok(Either::Right(stream)),
            Ok(Err(source)) => Err(Failure::Tls { endpoint: endpoint(), source }),
            Err(_) => Err(Failure::Slow { endpoint: endpoint(), limit: self.limits.connect }),
        }
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The name that the certificate has to be made out to.
fn server_name(host: &Host) -> io::Result<ServerName<'static>> {
    match host {
        Host::Address(address) => Ok(ServerName::from(*address)),
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(io::Error::other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_certificates_says_so() {
        for pem in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert_eq!(Trust::default().and(pem.as_bytes()).err(), Some(TrustError), "{pem}");
        }
    }
}
