//! A server that repeats the secret does not tell it to the client.

use http_body_util::Full;
use hyper::{Request, Response, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::kit::{Rig, SECRET, Seen, Server, Setup, raw_server};

async fn rig_for(port: u16) -> (Rig, String) {
    let origin = format!("http://nas.local:{port}");
    let setup = Setup::declared(&[]).server(&format!("nas.local:{port}")).secret_for(&origin);
    (setup.start().await, origin)
}

#[tokio::test]
async fn an_echo_in_headers_and_body_is_taken_out() {
    let echo = |seen: &Seen| {
        let authorization = seen.header("authorization");
        let response = Response::builder()
            .header("X-Echo", &authorization)
            .header("X-Echo", "harmless")
            .header("X-Other", "kept")
            .header("Set-Cookie", format!("a={SECRET}; Secure"));
        response.body(Full::from(format!("you sent {authorization}, {SECRET}!"))).unwrap()
    };
    let server = Server::plain("127.0.0.1:0", echo).await;
    let (rig, origin) = rig_for(server.port).await;
    let answer = rig.client.get(&origin).await;
    assert_eq!(answer.body, "you sent Bearer [secret], [secret]!");
    assert!(!format!("{:?}", answer.headers).contains(SECRET), "{:?}", answer.headers);
    assert_eq!(answer.headers["x-other"], "kept");
}

#[tokio::test]
async fn a_secret_that_comes_in_pieces_is_taken_out() {
    let server = raw_server(|mut stream| async move {
        let mut head = [0; 4096];
        let _ = stream.read(&mut head).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let status = format!("HTTP/1.1 200 {SECRET}\r\n");
        let head = format!("{status}Transfer-Encoding: chunked\r\nTrailer: x-t\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        for byte in format!("<{SECRET}{SECRET}>{}", &SECRET[..5]).bytes() {
            stream.write_all(&[b'1', b'\r', b'\n', byte, b'\r', b'\n']).await.unwrap();
            stream.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        let end = format!("0\r\nX-T: {SECRET}\r\n\r\n");
        stream.write_all(end.as_bytes()).await.unwrap();
    })
    .await;
    let (rig, origin) = rig_for(server.port()).await;
    let head =
        format!("GET {origin}/ HTTP/1.1\r\nHost: x\r\nTE: trailers\r\nConnection: close\r\n\r\n");
    let raw = rig.client.raw(&head).await;
    assert!(raw.starts_with("HTTP/1.1 200 OK"), "{raw}");
    assert!(!raw.to_lowercase().contains("x-t:"), "{raw}");
    assert_eq!(rig.client.get(&origin).await.body, format!("<[secret][secret]>{}", &SECRET[..5]));
}

#[tokio::test]
async fn an_answer_that_can_not_be_searched_is_not_passed_on() {
    let packed = |_: &_| {
        let response = Response::builder().header("Content-Encoding", "gzip");
        response.body(Full::from("packed")).unwrap()
    };
    let server = Server::plain("127.0.0.1:0", packed).await;
    let (rig, origin) = rig_for(server.port).await;
    let request =
        Request::get(&origin).header("Accept-Encoding", "gzip").header("Range", "bytes=0-3");
    let answer = rig.client.send(request.body(Full::default()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    assert!(answer.error("failed").contains("encoded (gzip)"), "{answer:?}");
    let seen = server.only();
    assert_eq!(
        (seen.header("accept-encoding").as_str(), seen.header("range").as_str()),
        ("identity", "")
    );
}

#[tokio::test]
async fn without_a_secret_encoding_and_range_pass_untouched() {
    let packed = |_: &_| {
        let response = Response::builder().status(206).header("Content-Encoding", "gzip");
        response.body(Full::from("packed")).unwrap()
    };
    let server = Server::plain("127.0.0.1:0", packed).await;
    let at = format!("nas.local:{}", server.port);
    let rig = Setup::declared(&[]).server(&at).start().await;
    let request = Request::get(format!("http://{at}/")).header("Accept-Encoding", "gzip");
    let request = request.header("Range", "bytes=0-5").body(Full::default()).unwrap();
    let answer = rig.client.send(request).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::PARTIAL_CONTENT, "packed"));
    let seen = server.only();
    assert_eq!(
        (seen.header("accept-encoding").as_str(), seen.header("range").as_str()),
        ("gzip", "bytes=0-5")
    );
}

#[tokio::test]
async fn an_answer_that_changes_the_protocol_is_not_passed_on() {
    let server = raw_server(|mut stream| async move {
        let mut head = [0; 4096];
        let _ = stream.read(&mut head).await.unwrap();
        let answer =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: raw\r\nConnection: upgrade\r\n\r\n";
        stream.write_all(format!("{answer}{SECRET}").as_bytes()).await.unwrap();
    })
    .await;
    let (rig, origin) = rig_for(server.port()).await;
    let request = Request::get(&origin).header("Upgrade", "raw").header("Connection", "upgrade");
    let answer = rig.client.send(request.body(Full::default()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::BAD_GATEWAY);
    assert!(!answer.body.contains(SECRET));
}
