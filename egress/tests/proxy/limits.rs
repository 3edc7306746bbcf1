//! Servers and clients that misbehave, and many at once.

use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::kit::{Rig, Server, Setup, raw_server};

/// A server that reads a request, sends `answer`, and hangs up when `then_hang_up`.
async fn server_that_says(answer: &'static str, then_hang_up: bool) -> u16 {
    let server = raw_server(move |mut stream| async move {
        let mut head = [0; 4096];
        let _ = stream.read(&mut head).await.unwrap();
        stream.write_all(answer.as_bytes()).await.unwrap();
        if !then_hang_up {
            let _ = stream.read(&mut head).await;
        }
    });
    server.await.port()
}

/// A proxy in front of a server on this port, which may be silent only for a moment.
async fn impatient(port: u16) -> (Rig, String) {
    let at = format!("nas.local:{port}");
    let limits = |limits: &mut egress::Limits| limits.idle = Duration::from_millis(200);
    (Setup::declared(&[]).server(&at).limits(limits).start().await, format!("http://{at}/"))
}

#[tokio::test]
async fn a_server_that_hangs_up_or_speaks_no_http_is_a_bad_gateway() {
    for answer in ["", "HTTP/1.1 200 OK\r\nX-Half: ", "SSH-2.0-OpenSSH_9.6\r\n", "\0\0\0\0"] {
        let at = format!("nas.local:{}", server_that_says(answer, true).await);
        let rig = Setup::declared(&[]).server(&at).start().await;
        let answer = rig.client.get(&format!("http://{at}/")).await;
        assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
        assert!(
            answer.error("failed").contains("did not answer as a web server does"),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_does_not_listen_is_a_bad_gateway() {
    let gone = Server::hello().await.port;
    let at = format!("nas.local:{gone}");
    let rig = Setup::declared(&[]).server(&at).start().await;
    // The server's port closes when its task has ended.
    loop {
        let answer = rig.client.get(&format!("http://{at}/")).await;
        if answer.status == StatusCode::BAD_GATEWAY {
            let words = answer.error("unreached");
            break assert!(words.contains("can't be connected to"), "{words}");
        }
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_breaks_off_for_the_client_too() {
    for head in ["Content-Length: 100\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n"] {
        let answer = format!("HTTP/1.1 200 OK\r\n{head}begin");
        let at = format!("nas.local:{}", server_that_says(answer.leak(), true).await);
        let rig = Setup::declared(&[]).server(&at).start().await;
        let request = Request::get(format!("http://{at}/")).body(Full::default()).unwrap();
        let response = rig.client.open(request).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.into_body().collect().await.is_err());
    }
}

#[tokio::test]
async fn a_server_that_is_silent_is_a_gateway_timeout() {
    let (rig, url) = impatient(server_that_says("", false).await).await;
    let answer = rig.client.get(&url).await;
    assert_eq!(answer.status, StatusCode::GATEWAY_TIMEOUT);
    assert!(answer.error("failed").contains("was silent for 0.2 seconds"), "{answer:?}");
}

#[tokio::test]
async fn a_server_that_falls_silent_in_its_body_is_cut_off() {
    let begun = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin";
    let (rig, url) = impatient(server_that_says(begun, false).await).await;
    let response = rig.client.open(Request::get(url).body(Full::default()).unwrap()).await;
    assert!(response.into_body().collect().await.is_err());
}

#[tokio::test]
async fn a_tunnel_and_a_client_that_are_silent_are_closed() {
    let port = server_that_says("", false).await;
    let (rig, _) = impatient(port).await;
    let mut tunnel = rig.client.tunnel(&format!("nas.local:{port}")).await.unwrap();
    assert_eq!(tunnel.read(&mut [0; 8]).await.unwrap_or(0), 0);
    // Before the first request, in the middle of one, and after one: each ends by itself.
    for sent in ["", "GET http://a.b/ HTTP/1.1\r\nX-Half", "GET http://a.b/ HTTP/1.1\r\n\r\n"] {
        let _ = rig.client.raw(sent).await;
    }
}

#[tokio::test]
async fn heads_that_are_too_large_are_not_taken() {
    let server = Server::hello().await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let huge = "x".repeat(1_000_000);
    let head = format!("GET http://{at}/ HTTP/1.1\r\nHost: x\r\nX-Huge: {huge}\r\n\r\n");
    assert!(rig.client.raw(&head).await.starts_with("HTTP/1.1 431 "));
    let many = "X-Many: 1\r\n".repeat(500);
    let head = format!("GET http://{at}/ HTTP/1.1\r\nHost: x\r\n{many}\r\n");
    assert!(rig.client.raw(&head).await.starts_with("HTTP/1.1 431 "));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_response_with_a_head_that_is_too_large_is_a_bad_gateway() {
    let answer = |_: &_| {
        let response = Response::builder().header("X-Huge", "x".repeat(1_000_000));
        response.body(Full::default()).unwrap()
    };
    let server = Server::plain("127.0.0.1:0", answer).await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    assert_eq!(rig.client.get(&format!("http://{at}/")).await.status, StatusCode::BAD_GATEWAY);
}

#[tokio::test]
async fn many_requests_at_once_each_get_their_own_answer() {
    let echo = |seen: &crate::kit::Seen| Response::new(Full::from(seen.line.clone()));
    let server = Server::plain("127.0.0.1:0", echo).await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..200 {
        let (client, url) = (rig.client, format!("http://{at}/{number}"));
        asking.spawn(async move { (number, client.get(&url).await.body) });
    }
    while let Some(answered) = asking.join_next().await {
        let (number, body) = answered.unwrap();
        assert_eq!(body, format!("GET /{number} HTTP/1.1"));
    }
}

#[tokio::test]
async fn clients_beyond_the_limit_wait_for_their_turn() {
    let echo = raw_server(|mut stream| async move {
        let (mut from, mut to) = stream.split();
        let _ = tokio::io::copy(&mut from, &mut to).await;
    })
    .await;
    let at = format!("nas.local:{}", echo.port());
    let limits = |limits: &mut egress::Limits| limits.connections = 2;
    let mut rig = Setup::declared(&[]).server(&at).limits(limits).start().await;
    let first = rig.client.tunnel(&at).await.unwrap();
    let _second = rig.client.tunnel(&at).await.unwrap();
    let client = rig.client;
    let third = tokio::spawn(async move { client.get("http://other.test/").await.refused() });
    for _ in 0..2 {
        rig.attempts.recv().await.unwrap();
    }
    // Whatever else is ready runs first: the third client is still not served.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert!(rig.attempts.try_recv().is_err());
    drop(first);
    assert!(third.await.unwrap().contains("is not declared"));
}

#[tokio::test]
async fn a_dropped_proxy_closes_everything() {
    let port = server_that_says("", false).await;
    let at = format!("nas.local:{port}");
    let rig = Setup::declared(&[]).server(&at).start().await;
    let client = rig.client;
    let mut tunnel = client.tunnel(&at).await.unwrap();
    let mut waiting = client.connect().await;
    let head = format!("GET http://{at}/ HTTP/1.1\r\nHost: x\r\n\r\n");
    waiting.write_all(head.as_bytes()).await.unwrap();
    let mut attempts = rig.attempts;
    for _ in 0..2 {
        attempts.recv().await.unwrap();
    }
    drop(rig.proxy);
    for stream in [&mut tunnel, &mut waiting] {
        assert_eq!(stream.read(&mut [0; 8]).await.unwrap_or(0), 0);
    }
    // Nobody is left who could record anything, so the tasks are gone.
    assert!(attempts.recv().await.is_none());
}

#[tokio::test]
async fn what_can_not_be_recorded_does_not_happen() {
    let server = Server::hello().await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    drop(rig.attempts);
    let answer = rig.client.get(&format!("http://{at}/")).await;
    assert_eq!(
        (answer.status, answer.error("unreached").as_str()),
        (StatusCode::BAD_GATEWAY, "the proxy is closing")
    );
    assert!(rig.client.tunnel(&at).await.is_err());
    assert!(server.seen().is_empty());
}
