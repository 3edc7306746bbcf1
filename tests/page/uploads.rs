//! Bytes that are sent to the page as a file, by who may and by who may not.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use testkit::with_browser;

use crate::files::kept;
use crate::house::{House, TOKEN};

/// What the page answers to these bytes on a connection of their own; half of them may be all that comes.
fn raw(house: &House, request: &[u8], ends: bool) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    // A server that has answered may not take the rest.
    let _ = stream.write_all(request);
    if ends {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("{error}"),
        _ => String::from_utf8_lossy(&answer).into_owned(),
    }
}

fn head(house: &House, name: &str, more: &str) -> String {
    let port = house.port;
    format!(
        "POST /v1/files?name={name} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{more}\r\n"
    )
}

#[tokio::test]
async fn only_the_page_of_who_is_signed_in_keeps_a_file() {
    let house = House::start([]);
    let cookie = with_browser(async |client| {
        house.sign_in(client).await;
        let all = client.get_all_cookies().await.unwrap();
        let all: Vec<String> =
            all.iter().map(|one| format!("{}={}", one.name(), one.value())).collect();
        all.join("; ")
    })
    .await;
    let own = format!("http://127.0.0.1:{}", house.port);
    let length = "Content-Length: 2\r\n";
    for (who, more, status) in [
        ("no cookie", format!("{length}Origin: {own}\r\n"), "HTTP/1.1 401"),
        (
            "another cookie",
            format!("{length}Origin: {own}\r\nCookie: {cookie}x\r\n"),
            "HTTP/1.1 401",
        ),
        ("no origin", format!("{length}Cookie: {cookie}\r\n"), "HTTP/1.1 403"),
        (
            "another origin",
            format!("{length}Origin: http://evil.example\r\nCookie: {cookie}\r\n"),
            "HTTP/1.1 403",
        ),
        (
            "another site",
            format!("{length}Origin: {own}\r\nSec-Fetch-Site: cross-site\r\nCookie: {cookie}\r\n"),
            "HTTP/1.1 403",
        ),
    ] {
        let request = format!("{}hi", head(&house, "a.txt", &more));
        let answer = raw(&house, request.as_bytes(), false);
        assert!(answer.starts_with(status), "{who}: {answer}");
        assert_eq!(kept(&house), Vec::<String>::new(), "{who}");
    }
    let right = format!(
        "{}hi",
        head(&house, "..%2F..%2Fa.txt", &format!("{length}Origin: {own}\r\nCookie: {cookie}\r\n"))
    );
    let answer = raw(&house, right.as_bytes(), false);
    assert!(
        answer.starts_with("HTTP/1.1 201") && answer.contains("\"name\":\"a.txt\""),
        "{answer}"
    );
    assert_eq!(kept(&house).len(), 1);
    let stray = house.home.root().join("a.txt");
    assert!(!stray.exists() && !house.home.root().join("workspace/a.txt").exists());
}

#[test]
fn a_body_that_is_too_long_torn_or_slow_leaves_nothing() {
    let house = House::start([]);
    let token = format!("Authorization: Bearer {TOKEN}\r\n");
    let said = |more: &str| head(&house, "a.bin", &format!("{token}{more}"));
    let large = raw(&house, said("Content-Length: 10485761\r\n").as_bytes(), false);
    assert!(large.starts_with("HTTP/1.1 413") && large.contains("10 MiB"), "{large}");
    // Nothing says how long it is, and it never ends.
    let mut endless = said("Transfer-Encoding: chunked\r\n").into_bytes();
    for _ in 0..11 {
        endless.extend_from_slice(b"100000\r\n");
        endless.resize(endless.len() + 0x10_0000, b'x');
        endless.extend_from_slice(b"\r\n");
    }
    let answer = raw(&house, &endless, false);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
    let torn = raw(&house, format!("{}half", said("Content-Length: 100\r\n")).as_bytes(), true);
    assert!(!torn.contains("201 Created"), "{torn}");
    let slow = raw(&house, format!("{}half", said("Content-Length: 100\r\n")).as_bytes(), false);
    assert!(slow.starts_with("HTTP/1.1 408") && slow.contains("nothing came for"), "{slow}");
    assert_eq!(kept(&house), Vec::<String>::new());
    // What is larger than it says is cut there, and its rest is no other request.
    let more = raw(
        &house,
        format!("{}hiGET /v1/files HTTP/1.1\r\n\r\n", said("Content-Length: 2\r\n")).as_bytes(),
        false,
    );
    assert!(more.starts_with("HTTP/1.1 201") && more.contains("\"bytes\":2"), "{more}");
    assert_eq!(more.matches("HTTP/1.1").count(), 1, "{more}");
}
