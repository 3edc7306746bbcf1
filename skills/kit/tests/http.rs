//! The client against a real server in the proxy's place.

#![allow(clippy::unwrap_used, reason = "what a test builds on has to be there")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use safeclaw_skill::http::{Error, MAX_BODY, Prefix, Request, Response};
use safeclaw_skill::testing::{Answer, Asked, Proxy, Trial};
use serde_json::{Value, json};

fn proxy(script: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Proxy {
    Proxy::answering(script).unwrap()
}

fn send(proxy: &Proxy, request: &Request) -> Result<Response, Error> {
    Trial::default().proxy(proxy).call().http().send(request)
}

#[test]
fn the_request_line_holds_the_whole_https_url_and_no_secret_leaves_from_here() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        let mut buffer = [0; 1024];
        while !seen.ends_with(b"{\"text\":\"Hi\"}") {
            let read = stream.read(&mut buffer).unwrap();
            assert_ne!(read, 0, "the request broke off");
            seen.extend_from_slice(&buffer[..read]);
        }
        stream.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n").unwrap();
        String::from_utf8(seen).unwrap()
    });
    let request = Request::post("https://api.x.com/2/tweets?a=b#c")
        .secret("Authorization", "Bearer {}", "X_TOKEN")
        .json(json!({"text": "Hi"}));
    let client = Trial::default().through(&address.to_string()).call().http();
    assert_eq!(client.send(&request).unwrap().status(), 201);
    let seen = server.join().unwrap();
    assert!(seen.starts_with("POST https://api.x.com/2/tweets?a=b HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains("host: api.x.com\r\n"), "{seen}");
    assert!(!seen.to_lowercase().contains("authorization"), "{seen}");
}

#[test]
fn an_answer_of_any_status_is_an_answer() {
    let proxy = proxy(|_| Answer::json(422, json!({"error": "Text is empty"})).header("x-id", "7"));
    let response = send(&proxy, &Request::get("http://example.com/")).unwrap();
    assert_eq!((response.status(), response.header("X-Id")), (422, Some("7")));
    assert_eq!(response.json::<Value>().unwrap(), json!({"error": "Text is empty"}));
    let error = send(&proxy, &Request::get("http://example.com/")).unwrap().ok().unwrap_err();
    assert_eq!(error.to_string(), "example.com answered 422: Text is empty");
}

#[test]
fn a_host_that_gave_up_in_the_middle_may_have_acted() {
    for (status, expected) in [
        (408, true),
        (500, true),
        (502, true),
        (503, true),
        (504, true),
        (200, false),
        (429, false),
    ] {
        let proxy = proxy(move |_| Answer::new(status));
        let response = send(&proxy, &Request::post("http://example.com/")).unwrap();
        assert_eq!(response.may_have_acted(), expected, "{status}");
        let arrived = response.ok().err().is_some_and(|error| error.may_have_arrived());
        assert_eq!(arrived, expected, "{status}");
    }
}

#[test]
fn the_walls_refusal_is_told_apart_from_the_hosts_and_from_trouble_on_the_way() {
    let refused = proxy(|_| Answer::refused("example.com is not declared"));
    let error = send(&refused, &Request::get("https://example.com/")).unwrap_err();
    assert!(matches!(&error, Error::Refused(words) if words == "example.com is not declared"));
    assert!(!error.may_have_arrived());
    let failed = proxy(|_| Answer::failed("example.com does not answer"));
    let error = send(&failed, &Request::get("https://example.com/")).unwrap_err();
    assert!(matches!(&error, Error::Failed(words) if words == "example.com does not answer"));
    assert!(error.may_have_arrived());
    let host = proxy(|_| Answer::json(403, json!({"error": "no"})));
    assert_eq!(send(&host, &Request::get("https://example.com/")).unwrap().status(), 403);
}

#[test]
fn without_a_network_or_a_proxy_it_says_so() {
    let request = Request::get("https://example.com/");
    let error = Trial::default().call().http().send(&request).unwrap_err();
    assert!(matches!(error, Error::NoNetwork));
    // Nothing listens on the port of tcpmux.
    let error = Trial::default().through("127.0.0.1:1").call().http().send(&request);
    assert!(matches!(error.unwrap_err(), Error::Proxy(_)));
}

#[test]
fn what_cannot_be_asked_is_refused_before_anything_is_sent() {
    let proxy = proxy(|_| Answer::new(200));
    for url in ["", "example.com", "ftp://example.com/", "https://", "https://me:pw@example.com/"] {
        let error = send(&proxy, &Request::get(url)).unwrap_err();
        assert!(matches!(error, Error::BadUrl { .. }), "{url}: {error}");
    }
    for (name, value) in [("Bad Name", "x"), ("X-Split", "a\r\nHost: evil")] {
        let request = Request::get("https://example.com/").header(name, value);
        assert!(matches!(send(&proxy, &request).unwrap_err(), Error::BadHeader { .. }));
    }
    assert_eq!(proxy.asked(), []);
}

#[test]
fn a_redirect_is_followed_only_on_request_and_only_by_a_get() {
    let proxy = proxy(|asked| match asked.target.as_str() {
        "https://example.com/new" => Answer::new(200).body("here"),
        _ => Answer::new(302).header("location", "/new"),
    });
    let old = "https://example.com/old";
    assert_eq!(send(&proxy, &Request::get(old)).unwrap().status(), 302);
    assert_eq!(send(&proxy, &Request::post(old).follow_redirects()).unwrap().status(), 302);
    let response = send(&proxy, &Request::get(old).follow_redirects()).unwrap();
    assert_eq!(response.url().as_str(), "https://example.com/new");
    assert_eq!(response.text().unwrap(), "here");
}

#[test]
fn five_redirects_are_followed_and_a_sixth_is_not() {
    let proxy = proxy(|asked| {
        let left: u32 = asked.target.rsplit('/').next().unwrap().parse().unwrap();
        match left {
            0 => Answer::new(200),
            left => Answer::new(301).header("location", &(left - 1).to_string()),
        }
    });
    let from = |n: u32| Request::get(format!("https://example.com/{n}")).follow_redirects();
    assert_eq!(send(&proxy, &from(5)).unwrap().status(), 200);
    assert!(matches!(send(&proxy, &from(6)).unwrap_err(), Error::TooManyRedirects { .. }));
}

#[test]
fn a_header_that_may_be_a_credential_stays_with_its_origin() {
    let proxy = proxy(|asked| match asked.target.as_str() {
        "https://example.com/" => Answer::new(302).header("location", "https://example.com/in"),
        "https://example.com/in" => Answer::new(302).header("location", "https://example.org/"),
        _ => Answer::new(200),
    });
    let request = Request::get("https://example.com/")
        .header("X-Api-Key", "k")
        .header("Accept", "text/html")
        .follow_redirects();
    send(&proxy, &request).unwrap();
    let sent: Vec<_> = proxy
        .asked()
        .iter()
        .map(|a| (a.header("x-api-key").is_some(), a.header("accept").is_some()))
        .collect();
    assert_eq!(sent, [(true, true), (true, true), (false, true)]);
}

#[test]
fn a_redirect_out_of_the_web_is_an_error() {
    let proxy = proxy(|_| Answer::new(302).header("location", "file:///etc/passwd"));
    let error = send(&proxy, &Request::get("https://example.com/").follow_redirects()).unwrap_err();
    assert!(error.to_string().starts_with("\"file:///etc/passwd\" cannot be asked"), "{error}");
}

#[test]
fn a_body_is_read_up_to_a_limit() {
    let proxy = proxy(|_| Answer::new(200).body(vec![b'x'; MAX_BODY + 1]));
    let get = || send(&proxy, &Request::get("https://example.com/")).unwrap();
    assert!(matches!(get().bytes().unwrap_err(), Error::TooLarge { limit: MAX_BODY, .. }));
    assert_eq!(get().prefix(3).unwrap(), Prefix { bytes: b"xxx".to_vec(), cut: true });
    let whole = get().prefix(MAX_BODY + 1).unwrap();
    assert_eq!((whole.bytes.len(), whole.cut), (MAX_BODY + 1, false));
}

#[test]
fn a_host_that_says_nothing_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let request = Request::get("https://example.com/").timeout(Duration::from_millis(50));
    let error = Trial::default().through(&address).call().http().send(&request).unwrap_err();
    assert_eq!(error.to_string(), "example.com gave no answer within 0.05 s");
    assert!(error.may_have_arrived());
}

#[test]
fn a_body_that_stalls_or_breaks_off_is_given_up() {
    for (ends, expected) in [(true, "the connection to"), (false, "example.com gave no answer")] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (done, wait) = std::sync::mpsc::channel::<()>();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf").unwrap();
            if !ends {
                let _ = wait.recv();
            }
        });
        let timeout = Duration::from_millis(if ends { 60_000 } else { 200 });
        let request = Request::get("https://example.com/").timeout(timeout);
        let client = Trial::default().through(&address).call().http();
        let error = client.send(&request).and_then(Response::bytes).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
        drop(done);
        server.join().unwrap();
    }
}
