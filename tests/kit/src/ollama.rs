//! A server that speaks Ollama's HTTP API, with answers that the test has written.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::http::Arrived;

/// What the server says to one prompt.
#[derive(Clone)]
pub enum Says {
    /// These pieces, and that it is done.
    Pieces(Vec<String>),
    /// This, and then nothing ever after.
    Begins(String),
    /// What this makes of the prompt, in one piece.
    Made(Arc<dyn Fn(&str) -> String + Send + Sync>),
}

impl std::fmt::Debug for Says {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pieces(pieces) => f.debug_tuple("Pieces").field(pieces).finish(),
            Self::Begins(piece) => f.debug_tuple("Begins").field(piece).finish(),
            Self::Made(_) => f.write_str("Made"),
        }
    }
}

impl Says {
    /// A whole answer in one piece.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Pieces(vec![text.to_owned()])
    }
}

/// A server at a port of its own that serves `/api/chat` and `/api/tags` (Ollama's docs/api.md).
#[derive(Debug)]
pub struct OllamaServer {
    address: SocketAddr,
    served: Arc<Served>,
}

#[derive(Debug, Default)]
struct Served {
    answers: Mutex<VecDeque<Says>>,
    prompts: Mutex<Vec<String>>,
    left: AtomicUsize,
}

impl OllamaServer {
    /// The models that it lists.
    pub const MODELS: [&str; 2] = ["llama3.1:8B", "qwen3:4b"];

    /// Starts it. Each prompt takes the next of `answers`; later ones are not answered at all.
    ///
    /// # Panics
    /// When no port can be had.
    #[must_use]
    pub fn start(answers: impl IntoIterator<Item = Says>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answers = Mutex::new(answers.into_iter().collect());
        let served = Arc::new(Served { answers, ..Served::default() });
        let serving = Arc::clone(&served);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serving = Arc::clone(&serving);
                std::thread::spawn(move || serving.serve(stream));
            }
        });
        Self { address, served }
    }

    /// Its address, as OLLAMA_HOST takes it.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// The prompts that it was sent by now.
    #[must_use]
    pub fn prompts(&self) -> Vec<String> {
        self.served.prompts.lock().unwrap().clone()
    }

    /// How many clients have closed the connection while they were owed words.
    #[must_use]
    pub fn left(&self) -> usize {
        self.served.left.load(Ordering::SeqCst)
    }
}

impl Served {
    fn serve(&self, mut stream: TcpStream) {
        let request = Arrived::read(&stream);
        if request.path() == "/api/tags" {
            let model =
                |name| json!({"name": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1});
            let list = json!({"models": OllamaServer::MODELS.map(model)});
            let _ = write!(stream, "{HEAD}{list}");
            return;
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let prompt = body["messages"][0]["content"].as_str().unwrap().to_owned();
        self.prompts.lock().unwrap().push(prompt.clone());
        let next = self.answers.lock().unwrap().pop_front();
        let next = next.unwrap_or(Says::Begins(String::new()));
        if self.say(&mut stream, next, &prompt).is_err() {
            self.left.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Fails when the client has gone.
    fn say(&self, stream: &mut TcpStream, says: Says, prompt: &str) -> std::io::Result<()> {
        stream.write_all(HEAD.as_bytes())?;
        match says {
            Says::Pieces(pieces) => {
                for piece in pieces {
                    line(stream, &piece, false)?;
                }
                line(stream, "", true)
            }
            Says::Begins(piece) => {
                line(stream, &piece, false)?;
                // A client that waits says nothing; one that goes is an end or an error.
                stream.read_exact(&mut [0])
            }
            Says::Made(make) => {
                line(stream, &make(prompt), false)?;
                line(stream, "", true)
            }
        }
    }
}

/// Without a length: the answer ends with the connection.
const HEAD: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";

fn line(stream: &mut TcpStream, piece: &str, done: bool) -> std::io::Result<()> {
    let message = json!({"role": "assistant", "content": piece});
    let line = json!({"model": "test", "message": message, "done": done});
    stream.write_all(format!("{line}\n").as_bytes())
}
