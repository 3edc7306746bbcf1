//! A browser elsewhere: one that is not there, one that has no room, one that would use its own network.

use eyes::{Eyes, LookError, Network, Place};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use url::Url;

use crate::rig::look;

/// Eyes with a browser at `address`, whose network is trusted.
fn eyes(address: &str) -> Eyes {
    let network = Network::new(&[]).unwrap().remote(None, None, true).unwrap();
    Eyes::new(Place::Remote(address.parse().unwrap()), network)
}

async fn error(address: &str) -> String {
    let url = Url::parse("http://example.com/").unwrap();
    let error = eyes(address).look(look(url)).await.unwrap_err();
    assert!(matches!(error, LookError::Browser(_)), "{error}");
    error.to_string()
}

/// A server that says the same to everything.
async fn saying(status: &'static str, body: &'static str) -> String {
    saying_in_turn(status, &[body]).await
}

/// A server that says one after the other, and the last one to everything that comes after it.
async fn saying_in_turn(status: &'static str, bodies: &[&'static str]) -> String {
    let bodies = bodies.to_vec();
    let mut left = bodies.into_iter();
    let mut body = left.next().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 16 * 1024]).await;
            let size = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n{body}"
            );
            let _ = stream.write_all(answer.as_bytes()).await;
            body = left.next().unwrap_or(body);
        }
    });
    address
}

#[tokio::test]
async fn a_grid_that_is_not_there_is_named() {
    let error = error("http://127.0.0.1:1").await;
    assert_eq!(
        error,
        "the browser failed: nothing answers at http://127.0.0.1:1/; start the browser server there, or correct \
         its address"
    );
}

/// What Selenium Grid answers when a request has waited in its queue for too long (its LocalNewSessionQueue).
#[tokio::test]
async fn a_grid_that_is_full_is_named() {
    let full = r#"{"value": {"error": "session not created", "message": "Could not start a new session. Could not start a new session. Unable to create new session: request timed out in the queue\nBuild info: x", "stacktrace": ""}}"#;
    let address = saying("500 Internal Server Error", full).await;
    let error = error(&address).await;
    assert!(error.contains(&format!("{address}/ has no free browser")), "{error}");
    assert!(error.ends_with("try again later") && !error.contains("Build info"), "{error}");
}

const UNMATCHED: &str = r#"{"value": {"error": "session not created", "message": "no matching capabilities", "stacktrace": ""}}"#;

/// What ChromeDriver answers when Chromium ends before it can be driven.
const ENDED: &str = r#"{"value": {"error": "session not created", "message": "session not created: Chrome instance exited. Examine ChromeDriver verbose log to determine the cause.", "stacktrace": ""}}"#;

#[tokio::test]
async fn a_browser_that_ends_at_its_start_is_started_once_more_and_not_twice() {
    let address = saying_in_turn("500 Internal Server Error", &[ENDED, UNMATCHED]).await;
    let second = error(&address).await;
    assert!(second.contains("no matching capabilities"), "{second}");
    let address = saying_in_turn("500 Internal Server Error", &[ENDED, ENDED, UNMATCHED]).await;
    let twice = error(&address).await;
    assert!(twice.contains("Chrome instance exited"), "{twice}");
}

#[tokio::test]
async fn a_grid_without_such_a_browser_and_a_server_that_is_none_are_named() {
    let address = saying("500 Internal Server Error", UNMATCHED).await;
    let told = error(&address).await;
    assert!(
        told.contains(&format!("{address}/ gives no browser: no matching capabilities")),
        "{told}"
    );
    let address = saying("200 OK", "{}").await;
    let told = error(&address).await;
    assert!(told.contains(&address), "{told}");
}

#[tokio::test]
async fn a_remote_browser_is_not_used_before_its_network_is_decided_on() {
    let network = Network::new(&[]).unwrap().remote(None, None, false).unwrap();
    let eyes = Eyes::new(Place::Remote("http://127.0.0.1:1".parse().unwrap()), network);
    let error =
        eyes.look(look("http://example.com/".parse().unwrap())).await.unwrap_err().to_string();
    assert!(
        error.contains("browser.proxy_bind") && error.contains("browser.trust_remote_network"),
        "{error}"
    );
}
