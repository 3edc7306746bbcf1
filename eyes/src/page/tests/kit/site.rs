//! A small site: it says exactly the bytes that a test wants, also those that no library would send.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// What is answered to a path.
#[derive(Clone)]
pub(crate) struct Answer {
    head: String,
    body: Vec<u8>,
    end: End,
}

/// What comes behind the body.
#[derive(Clone, Copy, PartialEq)]
enum End {
    Closed,
    /// Nothing more, for ever.
    Silence,
    /// The body again and again.
    Endless,
}

/// A site that is gone when it is dropped.
pub(crate) struct Site {
    port: u16,
    _tasks: JoinSet<()>,
}

impl Answer {
    /// A page of HTML in UTF-8.
    pub(crate) fn page(html: &str) -> Self {
        Self::of(200, "text/html; charset=utf-8", html)
    }

    /// Anything.
    pub(crate) fn of(status: u16, kind: &str, body: impl AsRef<[u8]>) -> Self {
        let head = format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n");
        Self { head, body: body.as_ref().to_vec(), end: End::Closed }
    }

    /// With one more header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    /// The connection stays open and nothing more comes.
    pub(crate) fn then_silence(mut self) -> Self {
        self.end = End::Silence;
        self
    }

    /// The body comes again and again.
    pub(crate) fn without_end(mut self) -> Self {
        self.end = End::Endless;
        self
    }

    /// No answer at all.
    pub(crate) fn none() -> Self {
        Self { head: String::new(), body: Vec::new(), end: End::Silence }
    }

    async fn send(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        if !self.head.is_empty() {
            let head = format!("{}Connection: close\r\n\r\n", self.head);
            stream.write_all(head.as_bytes()).await?;
        }
        stream.write_all(&self.body).await?;
        stream.flush().await?;
        match self.end {
            End::Closed => stream.shutdown().await,
            End::Silence => std::future::pending().await,
            End::Endless => loop {
                stream.write_all(&self.body).await?;
            },
        }
    }
}

impl Site {
    /// Serves the answers, each at its path.
    pub(crate) async fn serve<const N: usize>(answers: [(&str, Answer); N]) -> Self {
        let named = answers.map(|(path, answer)| (path.to_owned(), answer));
        let answers = Arc::new(HashMap::from(named));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                open.spawn(serve_one(stream, answers.clone()));
            }
        });
        Self { port, _tasks: tasks }
    }

    /// A path's address.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same path under a name that is another site to the browser.
    pub(crate) fn foreign_url(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }
}

async fn serve_one(mut stream: TcpStream, answers: Arc<HashMap<String, Answer>>) {
    let Some(path) = asked(&mut stream).await else { return };
    let missing = Answer::of(404, "text/html", "<p>nothing is here");
    let path = path.split('?').next().unwrap_or_default();
    // A browser that has enough hangs up.
    let _ = answers.get(path).unwrap_or(&missing).send(&mut stream).await;
}

/// The path of the request, whose headers are read to their end.
async fn asked(stream: &mut TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next_line().await.ok()??;
    while !lines.next_line().await.ok()??.is_empty() {}
    Some(first.split(' ').nth(1)?.to_owned())
}
