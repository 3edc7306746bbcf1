//! A web site of a test's own, and a place where nothing may ever arrive.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What a site answers to one path: the head's lines behind the status, and the body.
pub(crate) struct Page(pub(crate) String);

impl Page {
    pub(crate) fn html(body: &str) -> Self {
        Self::with("", body)
    }

    pub(crate) fn with(headers: &str, body: &str) -> Self {
        let size = body.len();
        Self(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n{headers}Content-Length: {size}\r\n\r\n{body}"
        ))
    }

    pub(crate) fn missing(body: &str) -> Self {
        Self(Self::html(body).0.replacen("200 OK", "404 Not Found", 1))
    }

    /// The connection ends before the answer begins.
    pub(crate) fn cut() -> Self {
        Self(String::new())
    }

    pub(crate) fn to(location: &str) -> Self {
        Self(format!(
            "HTTP/1.1 302 Found\r\nLocation: {location}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        ))
    }
}

/// A server at a port of its own. A path that ends with `/slow` is answered once the test opens it.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<HashMap<String, Vec<String>>>>,
    open: Arc<(Mutex<bool>, Notify)>,
}

impl Site {
    pub(crate) async fn start(page: impl Fn(&str) -> Page + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, open) = (Arc::default(), Arc::new((Mutex::new(false), Notify::new())));
        let site = Self { address, asked: Arc::clone(&asked), open: Arc::clone(&open) };
        let page = Arc::new(page);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (page, asked, open) =
                    (Arc::clone(&page), Arc::clone(&asked), Arc::clone(&open));
                tokio::spawn(async move { answer(stream, &*page, &asked, &open).await });
            }
        });
        site
    }

    pub(crate) fn url(&self, path: &str) -> url::Url {
        format!("http://{}{path}", self.address).parse().unwrap()
    }

    /// How often a path was asked for.
    pub(crate) fn asked(&self, path: &str) -> usize {
        self.asked.lock().unwrap().get(path).map_or(0, Vec::len)
    }

    /// The cookies that came with the latest request for a path.
    pub(crate) fn cookies(&self, path: &str) -> String {
        self.asked.lock().unwrap()[path].last().unwrap().clone()
    }

    /// Lets everything be answered that waits.
    pub(crate) fn open(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_waiters();
    }
}

async fn answer(
    mut stream: TcpStream,
    page: &(dyn Fn(&str) -> Page + Send + Sync),
    asked: &Mutex<HashMap<String, Vec<String>>>,
    open: &(Mutex<bool>, Notify),
) {
    let mut lines = BufReader::new(&mut stream).lines();
    let mut head = Vec::new();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    let Some(path) = head.first().and_then(|line| line.split(' ').nth(1)) else { return };
    let cookies = head.iter().find_map(|line| line.strip_prefix("cookie: ")).unwrap_or_default();
    asked.lock().unwrap().entry(path.to_owned()).or_default().push(cookies.to_owned());
    if path == "/done" {
        *open.0.lock().unwrap() = true;
        open.1.notify_waiters();
    }
    if path.ends_with("/slow") {
        let opened = open.1.notified();
        if !*open.0.lock().unwrap() {
            opened.await;
        }
    }
    let _ = stream.write_all(page(path).0.as_bytes()).await;
}

/// Where nothing may arrive.
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    arrived: Arc<AtomicUsize>,
}

impl Sink {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, arrived) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&arrived);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let answer =
                    "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbait";
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        Self { address, arrived }
    }

    pub(crate) fn arrived(&self) -> usize {
        self.arrived.load(Ordering::SeqCst)
    }
}
