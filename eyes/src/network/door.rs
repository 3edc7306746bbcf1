//! Who may use a proxy that more than this machine can reach.
//!
//! A browser can't be given a password for its proxy over WebDriver. So the first page that it opens has a name that
//! only it was told, `<token>.safeclaw.invalid`, and is asked for like any other: of the proxy. From then on, until the look is
//! over, the proxy serves the address that this came from. What it does not keep out: others behind the same address (a second
//! browser in the same container) for as long as the look takes, and whoever reads the network between the two. They
//! reach public addresses, and what `allow_private` names.

use std::collections::HashSet;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use egress::Listener;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// What the name of the first page ends with. `.invalid` leads nowhere by its definition (RFC 2606).
pub(super) const ZONE: &str = "safeclaw.invalid";

/// How long a stranger may take to say the name.
const PATIENCE: Duration = Duration::from_secs(5);

/// How much a stranger may say, in bytes.
const HEAD: usize = 8 * 1024;

/// How many strangers are listened to at once.
const STRANGERS: usize = 16;

const WELCOME: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

const NO: &str =
    "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A listener that serves those who have said its token.
#[derive(Debug)]
pub(super) struct Door {
    listener: TcpListener,
    token: String,
    admitted: Arc<Mutex<HashSet<IpAddr>>>,
    strangers: Arc<tokio::sync::Semaphore>,
}

impl Door {
    pub(super) fn new(listener: TcpListener) -> Self {
        let token = uuid::Uuid::new_v4().simple().to_string();
        let strangers = Arc::new(tokio::sync::Semaphore::new(STRANGERS));
        Self { listener, token, admitted: Arc::default(), strangers }
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    fn knows(&self, address: IpAddr) -> bool {
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner).contains(&address)
    }

    /// Listens to a stranger, beside everything else.
    fn hear(&self, mut stream: TcpStream, address: IpAddr) {
        // Too many strangers at once are sent away unheard.
        let Ok(place) = Arc::clone(&self.strangers).try_acquire_owned() else { return };
        let (token, admitted) = (self.token.clone(), Arc::clone(&self.admitted));
        tokio::spawn(async move {
            let said = timeout(PATIENCE, says(&mut stream, &token)).await;
            let answer = if matches!(said, Ok(Ok(true))) {
                admitted.lock().unwrap_or_else(PoisonError::into_inner).insert(address);
                WELCOME
            } else {
                NO
            };
            // Whoever has left needs no answer.
            let _ = stream.write_all(answer.as_bytes()).await;
            drop(place);
        });
    }
}

impl Listener for Door {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<TcpStream> {
        loop {
            let (stream, address) = self.listener.accept().await?;
            let address = address.ip().to_canonical();
            if self.knows(address) {
                return Ok(stream);
            }
            self.hear(stream, address);
        }
    }
}

/// Reads the head of a request, and says whether it is for the page with the token.
async fn says(stream: &mut TcpStream, token: &str) -> io::Result<bool> {
    let mut head = Vec::new();
    while head.len() < HEAD && !head.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            break;
        }
    }
    Ok(head.starts_with(format!("GET http://{token}.{ZONE}/ HTTP/1.").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn exchange(port: u16, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn nobody_is_served_before_the_token_was_said() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let door = Door::new(listener);
        let token = door.token().to_owned();
        let served = tokio::spawn(async move {
            let mut stream = door.accept().await.unwrap();
            stream.write_all(b"served").await.unwrap();
        });
        let wrong = "0".repeat(32);
        for request in [
            "GET http://example.com/ HTTP/1.1\r\n\r\n".to_owned(),
            "CONNECT example.com:443 HTTP/1.1\r\n\r\n".to_owned(),
            format!("GET http://{wrong}.{ZONE}/ HTTP/1.1\r\n\r\n"),
            format!("GET http://example.com/{token}.{ZONE}/ HTTP/1.1\r\n\r\n"),
            "x".repeat(HEAD),
        ] {
            let answer = exchange(port, &request).await;
            assert!(answer.starts_with("HTTP/1.1 407"), "{request} {answer}");
        }
        let welcome = exchange(port, &format!("GET http://{token}.{ZONE}/ HTTP/1.1\r\n\r\n")).await;
        assert!(welcome.ends_with("ok"), "{welcome}");
        assert_eq!(exchange(port, "").await, "served");
        served.await.unwrap();
    }
}
