//! Servers that keep what they saw, in plain text and over TLS.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivatePkcs8KeyDer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A request as a server saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    /// All values of a header, with commas between them.
    pub(crate) fn header(&self, name: &str) -> String {
        let values = self.headers.get_all(name).iter().map(|value| value.to_str().unwrap());
        values.collect::<Vec<_>>().join(", ")
    }
}

type Handler = Arc<dyn Fn(&Seen) -> Response<Full<Bytes>> + Send + Sync>;

/// A web server that answers as a test wants.
pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Answers `hello` to everything.
    pub(crate) async fn hello() -> Self {
        Self::plain("127.0.0.1:0", |_| Response::new("hello".into())).await
    }

    pub(crate) async fn plain(
        at: &str,
        handler: impl Fn(&Seen) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        Self::start(at, None, Arc::new(handler)).await
    }

    /// Speaks TLS with a certificate that `authority` made out to `name`.
    pub(crate) async fn tls(
        authority: &Authority,
        name: &str,
        handler: impl Fn(&Seen) -> Response<Full<Bytes>> + Send + Sync + 'static,
    ) -> Self {
        let acceptor = authority.acceptor(name);
        Self::start("127.0.0.1:0", Some(acceptor), Arc::new(handler)).await
    }

    async fn start(at: &str, tls: Option<TlsAcceptor>, handler: Handler) -> Self {
        let listener = TcpListener::bind(at).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let kept = Arc::clone(&seen);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, kept, handler) = (tls.clone(), Arc::clone(&kept), Arc::clone(&handler));
                tokio::spawn(async move {
                    match tls {
                        None => answer(stream, kept, handler).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => answer(stream, kept, handler).await,
                            Err(error) => eprintln!("no handshake: {error}"),
                        },
                    }
                });
            }
        });
        Self { port, seen, accepting }
    }

    /// What it saw so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The only request that it saw.
    pub(crate) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    kept: Arc<Mutex<Vec<Seen>>>,
    handler: Handler,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let (kept, handler) = (Arc::clone(&kept), Arc::clone(&handler));
        async move {
            let (head, body) = request.into_parts();
            let line = format!("{} {} {:?}", head.method, head.uri, head.version);
            let body = body.collect().await.unwrap().to_bytes();
            let seen = Seen { line, headers: head.headers, body };
            kept.lock().unwrap().push(seen.clone());
            Ok::<_, Infallible>(handler(&seen))
        }
    });
    let served = http1::Builder::new()
        .max_buf_size(4 * 1024 * 1024)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        eprintln!("a connection of the server ended: {error}");
    }
}

/// A server that does with each connection what `act` says.
pub(crate) async fn raw_server<F, Acting>(act: F) -> SocketAddr
where
    F: Fn(TcpStream) -> Acting + Send + 'static,
    Acting: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(act(stream));
        }
    });
    at
}

/// A certificate authority of the test's own.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn acceptor(&self, name: &str) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}
