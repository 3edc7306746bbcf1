//! Requests in absolute form: what arrives at the server, and what comes back.

use egress::{Proxy, Rules, Upstream};
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;

use crate::kit::{Authority, Server, Setup, raw_server, without_secret};

#[tokio::test]
async fn a_plain_request_arrives_as_it_was_meant() {
    let server = Server::hello().await;
    let at = format!("nas.local:{}", server.port);
    let mut rig = Setup::declared(&[]).server(&at).start().await;

    let request = Request::post(format!("http://{at}/a/b?c=d%20e"))
        .header("Host", "evil.test")
        .header("Connection", "X-Hop")
        .header("X-Hop", "1")
        .header("Proxy-Authorization", "Basic eA==")
        .header("Authorization", "mine")
        .header("X-End", "2");
    let answer = rig.client.send(request.body(Full::from("body")).unwrap()).await;

    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::OK, "hello"));
    assert_eq!(answer.headers["content-length"], "5");
    let seen = server.only();
    assert_eq!(seen.line, "POST /a/b?c=d%20e HTTP/1.1");
    assert_eq!(seen.header("host"), at);
    assert_eq!(
        (seen.header("authorization").as_str(), seen.header("x-end").as_str()),
        ("mine", "2")
    );
    assert_eq!((seen.header("x-hop"), seen.header("proxy-authorization")), Default::default());
    assert_eq!(seen.body, "body");
    assert_eq!(rig.decision(), without_secret());
}

#[tokio::test]
async fn the_proxy_speaks_tls_for_an_https_url() {
    let authority = Authority::new();
    let server = Server::tls(&authority, "api.test", |_| Response::new("hello".into())).await;
    let at = format!("api.test:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).trusting(&authority).start().await;
    assert_eq!(rig.client.get(&format!("https://{at}/x")).await.body, "hello");
    assert_eq!(server.only().line, "GET /x HTTP/1.1");
}

#[tokio::test]
async fn a_certificate_of_another_authority_or_for_another_name_is_not_believed() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let own = Server::tls(&authority, "other.test", |_| Response::new("hello".into())).await;
    let strange = Server::tls(&stranger, "api.test", |_| Response::new("hello".into())).await;
    for server in [own, strange] {
        let at = format!("api.test:{}", server.port);
        let rig = Setup::declared(&[]).server(&at).trusting(&authority).start().await;
        let answer = rig.client.get(&format!("https://{at}/")).await;
        assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
        let words = answer.error("unreached");
        assert!(
            words.contains("can't be spoken to over TLS") && words.contains("certificate"),
            "{words}"
        );
        assert!(server.seen().is_empty());
    }
}

#[tokio::test]
async fn a_chunked_upload_and_a_client_that_waits_for_continue_are_served() {
    let server = Server::hello().await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let head = format!(
        "POST http://{at}/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\
         Connection: close\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"
    );
    let answer = rig.client.raw(&head).await;
    assert!(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"), "{answer}");
    let seen = server.only();
    assert_eq!(seen.body, "abcdef");
    assert_eq!(seen.header("expect"), "");
}

#[tokio::test]
async fn a_get_with_a_chunked_body_keeps_its_body() {
    let server = Server::hello().await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let head = format!("GET http://{at}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n");
    let answer =
        rig.client.raw(&format!("{head}Connection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert_eq!(server.only().body, "abc");
}

#[tokio::test]
async fn redirects_go_back_to_the_client() {
    let redirect = |_: &_| {
        let response = Response::builder().status(302).header("Location", "http://127.0.0.1/");
        response.body(Full::default()).unwrap()
    };
    let server = Server::plain("127.0.0.1:0", redirect).await;
    let at = format!("nas.local:{}", server.port);
    let mut rig = Setup::declared(&["*"]).server(&at).start().await;
    let answer = rig.client.get(&format!("http://{at}/")).await;
    assert_eq!(answer.status, StatusCode::FOUND);
    assert_eq!(rig.decision(), without_secret());
    assert!(rig.attempts.try_recv().is_err());

    // The client that follows it meets the same check.
    let next = answer.headers["location"].to_str().unwrap();
    assert!(rig.client.get(next).await.refused().contains("is not public"));
}

#[tokio::test]
async fn a_response_streams_through_while_it_is_written() {
    let (go_on, wait) = mpsc::channel::<()>(1);
    let wait = std::sync::Arc::new(tokio::sync::Mutex::new(wait));
    let server = raw_server(move |mut stream| {
        let wait = wait.clone();
        async move {
            let mut head = [0; 1024];
            let _ = stream.read(&mut head).await.unwrap();
            let first = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst";
            stream.write_all(first.as_bytes()).await.unwrap();
            wait.lock().await.recv().await.unwrap();
            stream.write_all(b"-last").await.unwrap();
        }
    })
    .await;
    let at = format!("nas.local:{}", server.port());
    let rig = Setup::declared(&[]).server(&at).start().await;
    let request = Request::get(format!("http://{at}/")).body(Full::default()).unwrap();
    let mut body = rig.client.open(request).await.into_body();
    // The server writes the rest only when the client has the beginning.
    assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "first");
    go_on.send(()).await.unwrap();
    assert_eq!(body.collect().await.unwrap().to_bytes(), "-last");
}

#[tokio::test]
async fn a_server_can_not_speak_for_the_proxy() {
    let lie = |_: &_| {
        let response = Response::builder().header("X-SafeClaw-Proxy", "refused");
        response.body(Full::from("lie")).unwrap()
    };
    let server = Server::plain("127.0.0.1:0", lie).await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let answer = rig.client.get(&format!("http://{at}/")).await;
    assert_eq!((answer.body.as_str(), answer.headers.get("x-safeclaw-proxy")), ("lie", None));
}

#[tokio::test]
async fn one_connection_carries_request_after_request() {
    let server = Server::hello().await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let ask = format!("GET http://{at}/ HTTP/1.1\r\nHost: x\r\n\r\n");
    let refused = "GET http://other.test/ HTTP/1.1\r\nHost: x\r\n\r\n";
    let last = format!("HEAD http://{at}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answer = rig.client.raw(&format!("{ask}{refused}{last}")).await;
    let statuses: Vec<_> =
        answer.split("HTTP/1.1 ").skip(1).map(|response| &response[..3]).collect();
    assert_eq!(statuses, ["200", "403", "200"], "{answer}");
    assert_eq!(server.seen().len(), 2);
}

#[tokio::test]
async fn a_sandbox_reaches_the_proxy_over_a_unix_socket() {
    let server = Server::hello().await;
    let at = format!("127.0.0.1:{}", server.port);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proxy.sock");
    let rules = Rules {
        hosts: vec![at.parse().unwrap()],
        allow_private: vec![at.parse().unwrap()],
        ..Rules::default()
    };
    let (attempts, _heard) = mpsc::channel(8);
    let listener = UnixListener::bind(&path).unwrap();
    let _proxy = Proxy::serve(listener, rules, Upstream::usual().unwrap(), attempts);

    let mut stream = UnixStream::connect(&path).await.unwrap();
    let head = format!("GET http://{at}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("hello"), "{answer}");
}
