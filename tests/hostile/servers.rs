//! Servers at the other end of every way out: they write down all that reaches them.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use testkit::Arrived;

use crate::case::Page;

type Seen = Arc<Mutex<Vec<String>>>;

/// Numbers the servers on port 80.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// An HTTP server with pages, and whatever was asked of it, headers and body included.
#[derive(Debug)]
pub(crate) struct WebServer {
    pub(crate) port: u16,
    address: SocketAddr,
    pages: Arc<Mutex<BTreeMap<String, Page>>>,
    seen: Seen,
    over: Arc<AtomicBool>,
}

impl WebServer {
    /// One at a port of its own, without pages yet: a page may name the ports of all servers.
    pub(crate) fn start() -> Self {
        // Of both families where there are two.
        let listener = TcpListener::bind("[::]:0").or_else(|_| TcpListener::bind("0.0.0.0:0"));
        Self::serve(listener.unwrap())
    }

    /// One on port 80 of a loopback address of its own; none where only root may listen there.
    pub(crate) fn start_at_80() -> Option<(Ipv4Addr, Self)> {
        let mut tries = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let [a, b] = u16::try_from(std::process::id() % 60_000).unwrap_or(1).to_be_bytes();
            let address = Ipv4Addr::new(127, a | 1, b, u8::try_from(number % 250).unwrap_or(0) + 2);
            match TcpListener::bind((address, 80)) {
                Ok(listener) => return Some((address, Self::serve(listener))),
                Err(error) if error.kind() == ErrorKind::AddrInUse && tries < 250 => tries += 1,
                Err(_) => return None,
            }
        }
    }

    fn serve(listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let port = address.port();
        let (pages, seen, over) =
            (Arc::default(), Seen::default(), Arc::new(AtomicBool::new(false)));
        let server = Self { port, address, pages, seen, over };
        let (pages, seen, over) = (server.pages.clone(), server.seen.clone(), server.over.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (pages, seen) = (Arc::clone(&pages), Arc::clone(&seen));
                std::thread::spawn(move || serve(&stream, &pages, &seen));
            }
        });
        server
    }

    pub(crate) fn show(&self, pages: BTreeMap<String, Page>) {
        *self.pages.lock().unwrap() = pages;
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let ip = self.address.ip();
        let ip = if ip.is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { ip };
        let _ = TcpStream::connect((ip, self.port));
    }
}

fn serve(stream: &TcpStream, pages: &Mutex<BTreeMap<String, Page>>, seen: &Seen) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
    // A connection is an effect, also when nothing is said on it.
    let place = {
        let mut seen = seen.lock().unwrap();
        seen.push("connected".to_owned());
        seen.len() - 1
    };
    let request = Arrived::read(stream);
    let (head, body) = (&request.head, String::from_utf8_lossy(&request.body));
    seen.lock().unwrap()[place] = format!("{head}{body}");
    let path = request.path().split('?').next().unwrap_or_default();
    let _ = answer(stream, pages.lock().unwrap().get(path), path, head);
}

fn answer(
    mut stream: &TcpStream,
    page: Option<&Page>,
    path: &str,
    head: &str,
) -> std::io::Result<()> {
    let json = "application/json".to_owned();
    let plain = |kind: String, body: &str| Page {
        status: 200,
        kind,
        headers: BTreeMap::new(),
        body: body.to_owned(),
    };
    let page = match (page, path) {
        (Some(page), _) => page.clone(),
        // What Mastodon's API documents.
        (None, "/api/v2/instance") => {
            plain(json, r#"{"configuration":{"statuses":{"max_characters":500}}}"#)
        }
        (None, "/api/v1/statuses") => {
            plain(json, r#"{"id":"77","url":"https://social.example/@me/77"}"#)
        }
        _ if head.starts_with("POST") => plain(json, r#"{"ok":true}"#),
        _ => plain("text/html".to_owned(), "<title>A page</title><p>Nothing special.</p>"),
    };
    let headers: String =
        page.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    write!(
        stream,
        "HTTP/1.1 {} X\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n{}",
        page.status,
        page.kind,
        page.body.len(),
        page.body
    )
}

/// A UDP port, and whatever came to it.
#[derive(Debug)]
pub(crate) struct UdpPort {
    pub(crate) port: u16,
    seen: Seen,
    over: Arc<AtomicBool>,
}

impl UdpPort {
    pub(crate) fn start() -> Self {
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        let (port, seen) = (socket.local_addr().unwrap().port(), Seen::default());
        let over = Arc::new(AtomicBool::new(false));
        let (kept, ended) = (seen.clone(), over.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 2048];
            while let Ok((size, _)) = socket.recv_from(&mut bytes) {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                kept.lock().unwrap().push(String::from_utf8_lossy(&bytes[..size]).into_owned());
            }
        });
        Self { port, seen, over }
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for UdpPort {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ =
            UdpSocket::bind("127.0.0.1:0").and_then(|s| s.send_to(b"", ("127.0.0.1", self.port)));
    }
}
