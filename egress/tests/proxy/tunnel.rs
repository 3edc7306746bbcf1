//! CONNECT.

use std::sync::Arc;

use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsConnector;

use crate::kit::{Authority, Server, Setup, raw_server, without_secret};

#[tokio::test]
async fn bytes_pass_in_both_directions_untouched() {
    let echo = raw_server(|mut stream| async move {
        let (mut from, mut to) = stream.split();
        tokio::io::copy(&mut from, &mut to).await.unwrap();
        to.shutdown().await.unwrap();
    })
    .await;
    let at = format!("echo.test:{}", echo.port());
    let mut rig = Setup::declared(&[]).server(&at).secret_for(&at).start().await;

    let mut tunnel = rig.client.tunnel(&at).await.unwrap();
    assert_eq!(rig.decision(), without_secret());
    let sent = b"GET / HTTP/1.1\r\nAuthorization: mine\r\n\r\n\0\xff".repeat(10_000);
    let (mut from, mut to) = tunnel.split();
    let mut back = Vec::new();
    let (written, read) = tokio::join!(
        async {
            to.write_all(&sent).await.unwrap();
            to.shutdown().await
        },
        from.read_to_end(&mut back)
    );
    written.unwrap();
    read.unwrap();
    assert!(back == sent);
}

#[tokio::test]
async fn a_client_speaks_tls_of_its_own_through_a_tunnel() {
    let authority = Authority::new();
    let server =
        Server::tls(&authority, "api.test", |_| hyper::Response::new("hello".into())).await;
    let at = format!("api.test:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).secret_for(&at).start().await;

    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let tunnel = rig.client.tunnel(&at).await.unwrap();
    let name = ServerName::try_from("api.test").unwrap();
    let mut tls = TlsConnector::from(Arc::new(config)).connect(name, tunnel).await.unwrap();
    tls.write_all(b"GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    tls.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("hello"), "{answer}");
    assert_eq!(server.only().header("authorization"), "");
}

#[tokio::test]
async fn a_tunnel_follows_the_same_rules() {
    let server = Server::hello().await;
    let port = server.port;
    let rig =
        Setup::declared(&["private.test:9", "usual.test"]).server(&format!("nas.local:{port}"));
    let rig = rig.start().await;

    assert!(rig.client.tunnel(&format!("nas.local:{port}")).await.is_ok());
    for (to, words) in [
        ("other.test:443".to_owned(), "other.test:443 is not declared"),
        ("usual.test:22".to_owned(), "usual.test:22 is not declared"),
        (format!("127.0.0.1:{port}"), "is not declared"),
        ("private.test:9".to_owned(), "private.test:9 leads to 127.0.0.1, which is not public"),
        ("usual.test:443".to_owned(), "which is not public"),
    ] {
        let answer = rig.client.tunnel(&to).await.unwrap_err();
        assert!(answer.starts_with("HTTP/1.1 403 "), "{to}: {answer}");
        assert!(answer.contains("x-safeclaw-proxy: refused"), "{to}: {answer}");
        assert!(answer.contains(words), "{to}: {answer}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_far_end_that_refuses_is_said_before_the_tunnel_opens() {
    let port = {
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        gone.local_addr().unwrap().port()
    };
    let at = format!("gone.test:{port}");
    let rig = Setup::declared(&[]).server(&at).start().await;
    let answer = rig.client.tunnel(&at).await.unwrap_err();
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(answer.contains("can't be connected to"), "{answer}");
}
