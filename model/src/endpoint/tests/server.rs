//! A server that says what a test has written.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does once it has read a request.
pub(super) enum Says {
    /// Writes these bytes and closes.
    This(Vec<u8>),
    /// Writes these bytes, stops the clock, so that waiting costs nothing, and never says a word.
    Never(Vec<u8>),
    /// Writes the first bytes, stops the clock, and then writes the others every so often.
    Every(Vec<u8>, Duration, Vec<u8>),
}

/// A server on this machine.
pub(super) struct Server {
    pub(super) address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves what is posted with `script`, in order, and everything else with 404.
    pub(super) async fn start(script: impl IntoIterator<Item = Says>) -> Self {
        Self::described(script, &[]).await
    }

    /// The same; these paths end as a description's or a list's, and are answered with these bodies.
    pub(super) async fn described(
        script: impl IntoIterator<Item = Says>,
        descriptions: &[(&'static str, String)],
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let mut script: VecDeque<Says> = script.into_iter().collect();
        let descriptions = descriptions.to_vec();
        tokio::spawn(async move {
            loop {
                let (mut socket, _) = listener.accept().await.unwrap();
                let request = read(&mut socket).await;
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                if request.starts_with("GET") || path == "/api/show" {
                    let body = descriptions.iter().find(|(end, _)| path.ends_with(end));
                    let answer = match body {
                        Some((_, body)) => chunked("200 OK", &[body.as_bytes()], true),
                        None => chunked("404 Not Found", &[b"{}"], true),
                    };
                    socket.write_all(&answer).await.unwrap();
                    continue;
                }
                seen.lock().unwrap().push(request);
                let says = script.pop_front().expect("more was asked than the test has answers");
                tokio::spawn(say(socket, says));
            }
        });
        Self { address, requests }
    }

    /// What was posted by now, heads and bodies.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The bodies of what was posted by now.
    pub(super) fn bodies(&self) -> Vec<serde_json::Value> {
        let body = |request: &String| {
            serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
        };
        self.requests().iter().map(body).collect()
    }
}

async fn say(mut socket: TcpStream, says: Says) {
    match says {
        // A client that has heard enough closes first.
        Says::This(bytes) => drop(socket.write_all(&bytes).await),
        Says::Never(bytes) => {
            socket.write_all(&bytes).await.unwrap();
            tokio::time::pause();
            let _ = socket.read(&mut [0]).await;
        }
        Says::Every(first, pause, bytes) => {
            socket.write_all(&first).await.unwrap();
            tokio::time::pause();
            while socket.write_all(&bytes).await.is_ok() {
                tokio::time::sleep(pause).await;
            }
        }
    }
}

async fn read(socket: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let mut bytes = [0; 65_536];
        let count = socket.read(&mut bytes).await.unwrap();
        request.extend_from_slice(&bytes[..count]);
        let Ok(text) = std::str::from_utf8(&request) else { continue };
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return text.to_owned();
        }
    }
}

/// A response whose body comes in exactly these chunks. `status` may hold headers behind it.
pub(super) fn chunked(status: &str, chunks: &[&[u8]], is_whole: bool) -> Vec<u8> {
    let head =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n");
    let mut bytes = head.into_bytes();
    for chunk in chunks {
        bytes.extend(format!("{:x}\r\n", chunk.len()).bytes());
        bytes.extend(*chunk);
        bytes.extend(b"\r\n");
    }
    if is_whole {
        bytes.extend(b"0\r\n\r\n");
    }
    bytes
}
