//! What the desk passes on, and what it keeps from the driver.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::capabilities;

/// A desk before a driver that answers everything with `answer` and keeps what it was asked.
struct House {
    desk: Desk,
    way: Arc<Way>,
    asked: Arc<Mutex<Vec<String>>>,
}

async fn house(answer: impl AsRef<[u8]> + Send + 'static) -> House {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let way = Arc::new(Way::default());
    way.lead_to(listener.local_addr().unwrap().port(), "hidden");
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = vec![0; 64 * 1024];
            let count = stream.read(&mut bytes).await.unwrap();
            let head = String::from_utf8_lossy(&bytes[..count]).into_owned();
            kept.lock().unwrap().push(head.lines().next().unwrap_or_default().to_owned());
            let _ = stream.write_all(answer.as_ref()).await;
        }
    });
    let desk = Desk::open(Arc::clone(&way)).await.unwrap();
    House { desk, way, asked }
}

impl House {
    /// Asks at the desk, whose address it may know; gives the answer's first line and its body.
    async fn ask(&self, base: &str, line: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.desk.port)).await.unwrap();
        let (method, path) = line.split_once(' ').unwrap();
        let size = body.len();
        let request = format!(
            "{method} {base}{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        (head.lines().next().unwrap_or_default().to_owned(), body.to_owned())
    }

    /// The status of what is asked by somebody who knows the way.
    async fn status(&self, line: &str, body: &str) -> String {
        let base = format!("/{}/", self.desk.base);
        let (first, _) = self.ask(&base, line, body).await;
        first.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

const WELL: &[u8] =
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 14\r\n\r\n{\"value\":null}";

#[tokio::test]
async fn the_driver_hears_what_looking_at_a_page_needs_and_nothing_else() {
    let house = house(WELL).await;
    let page = json!({"url": "https://example.com/"}).to_string();
    assert_eq!(house.status("POST session/1/url", &page).await, "200");
    let ours = capabilities::own("http://127.0.0.1:4711");
    let ours = json!({"capabilities": {"alwaysMatch": ours}}).to_string();
    assert_eq!(house.status("POST session", &ours).await, "200");
    let heard = ["POST /hidden/session/1/url HTTP/1.1", "POST /hidden/session HTTP/1.1"];
    assert_eq!(house.asked(), heard);
    let file = json!({"url": "file:///etc/passwd"}).to_string();
    let shell =
        json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"binary": "/bin/sh"}}}});
    for (line, body) in [
        ("POST session/1/url", file.as_str()),
        ("POST session/1/url/", &file),
        ("POST session/1/./url", &file),
        ("POST session", &shell.to_string()),
        ("GET shutdown", ""),
        ("GET ../hidden/shutdown", ""),
    ] {
        assert_eq!(house.status(line, body).await, "403", "{line}");
    }
    assert_eq!(house.asked(), [""; 0]);
}

#[tokio::test]
async fn whoever_does_not_know_the_desks_path_is_nobody_to_it() {
    let house = house(WELL).await;
    for base in ["/", "/hidden/", "//", "/00000000000000000000000000000000/"] {
        let (first, _) = house.ask(base, "GET status", "").await;
        assert_eq!(first, "HTTP/1.1 404 Not Found", "{base}");
    }
    assert_eq!(house.asked(), [""; 0]);
    assert_eq!(house.status("GET status", "").await, "200");
}

#[tokio::test]
async fn requests_have_a_size_and_a_driver_that_has_gone_is_told() {
    let house = house(WELL).await;
    let large = format!("\"{}\"", "x".repeat(LARGEST));
    assert_eq!(house.status("POST session/1/execute/sync", &large).await, "400");
    house.way.lead_nowhere();
    assert_eq!(house.status("GET status", "").await, "502");
    assert_eq!(house.asked(), [""; 0]);
}

#[tokio::test]
async fn a_driver_that_leaves_a_request_is_doubted_once() {
    let good = house(WELL).await;
    good.status("GET status", "").await;
    assert!(!good.way.settle());
    let cut = house("").await;
    assert_eq!(cut.status("GET status", "").await, "502");
    assert!(cut.way.settle());
    assert!(!cut.way.settle());
}

#[tokio::test]
async fn an_answer_that_is_too_large_breaks_off() {
    let size = LARGEST_ANSWER + 8 * 1024 * 1024;
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n");
    let house = house([head.into_bytes(), vec![b' '; size]].concat()).await;
    let base = format!("/{}/", house.desk.base);
    let (first, body) = house.ask(&base, "GET status", "").await;
    assert_eq!(first, "HTTP/1.1 200 OK");
    assert!(body.len() <= LARGEST_ANSWER, "{}", body.len());
}
