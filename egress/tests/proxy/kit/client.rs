//! A client that sends its requests to the proxy, well-formed or as raw bytes.

use std::net::SocketAddr;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    /// The proxy's own words on why it did not pass the request on, with `says` in its header.
    pub(crate) fn error(&self, says: &str) -> String {
        assert_eq!(self.headers["x-safeclaw-proxy"], says, "{self:?}");
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap();
        body["error"].as_str().unwrap().to_owned()
    }

    /// The words of a refusal.
    pub(crate) fn refused(&self) -> String {
        assert_eq!(self.status, StatusCode::FORBIDDEN, "{self:?}");
        self.error("refused")
    }
}

/// A client of one proxy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Client {
    proxy: SocketAddr,
}

impl Client {
    pub(crate) fn new(proxy: SocketAddr) -> Self {
        Self { proxy }
    }

    /// Sends a request in absolute form and gives the response as it comes.
    pub(crate) async fn open(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        let stream = TokioIo::new(self.connect().await);
        let (mut sender, connection) = http1::handshake(stream).await.unwrap();
        tokio::spawn(connection);
        sender.send_request(request).await.unwrap()
    }

    /// Sends a request in absolute form and gives the whole response.
    pub(crate) async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let (head, body) = self.open(request).await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let body = String::from_utf8(body.to_vec()).unwrap();
        Answer { status: head.status, headers: head.headers, body }
    }

    pub(crate) async fn get(&self, url: &str) -> Answer {
        self.send(Request::get(url).body(Full::default()).unwrap()).await
    }

    /// Sends a head as it stands, and gives everything that comes until the proxy closes.
    pub(crate) async fn raw(&self, head: &str) -> String {
        let mut stream = self.connect().await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A proxy that closes with bytes unread resets the connection, after its answer.
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks for a tunnel: the stream once it is open, or the whole refusal.
    pub(crate) async fn tunnel(&self, to: &str) -> Result<TcpStream, String> {
        let mut stream = self.connect().await;
        let head = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        while !answer.ends_with("\r\n\r\n") {
            let Ok(byte) = stream.read_u8().await else { return Err(answer) };
            answer.push(char::from(byte));
        }
        if answer.starts_with("HTTP/1.1 200 ") {
            return Ok(stream);
        }
        let length = answer.split("content-length: ").nth(1).unwrap().split('\r').next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        stream.read_exact(&mut body).await.unwrap();
        Err(answer + &String::from_utf8(body).unwrap())
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.proxy).await.unwrap()
    }
}
