//! A server that speaks Ollama's HTTP API, with answers that the test has written.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Arrived;

/// What the server says to one prompt.
#[derive(Clone)]
pub enum Says {
    /// These pieces, and that it is done.
    Pieces(Vec<String>),
    /// This, and then nothing ever after.
    Begins(String),
    /// This, and then the connection ends before the answer does.
    Cut(String),
    /// This, and that it was as long as it may be.
    AtLimit(String),
    /// This, and how many tokens the prompt and the answer had.
    Counted(String, u64, u64),
    /// What this makes of the prompt, in one piece.
    Made(Arc<dyn Fn(&str) -> String + Send + Sync>),
    /// An error: its status, further lines of the head, and the body.
    Status(u16, Vec<String>, String),
}

impl std::fmt::Debug for Says {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pieces(pieces) => f.debug_tuple("Pieces").field(pieces).finish(),
            Self::Begins(piece) => f.debug_tuple("Begins").field(piece).finish(),
            Self::AtLimit(piece) => f.debug_tuple("AtLimit").field(piece).finish(),
            Self::Cut(piece) => f.debug_tuple("Cut").field(piece).finish(),
            Self::Counted(piece, read, written) => {
                f.debug_tuple("Counted").field(piece).field(read).field(written).finish()
            }
            Self::Made(_) => f.write_str("Made"),
            Self::Status(status, ..) => f.debug_tuple("Status").field(status).finish(),
        }
    }
}

impl Says {
    /// A whole answer in one piece.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Pieces(vec![text.to_owned()])
    }

    /// That it has too much to do; after `retry_after` seconds it may have less.
    #[must_use]
    pub fn busy(retry_after: u64) -> Self {
        Self::too_much(Some(retry_after))
    }

    fn too_much(retry_after: Option<u64>) -> Self {
        let body = json!({"error": "slow down"}).to_string();
        let wait = retry_after.map(|seconds| format!("Retry-After: {seconds}"));
        Self::Status(429, wait.into_iter().collect(), body)
    }

    /// That it does not have the model.
    #[must_use]
    pub fn unknown(model: &str) -> Self {
        let body = json!({"error": format!("model '{model}' not found")}).to_string();
        Self::Status(404, Vec::new(), body)
    }
}

/// A server at a port of its own that serves `/api/chat`, `/api/pull`, `/api/tags` and `/api/show` (Ollama's docs/api.md).
#[derive(Debug)]
pub struct OllamaServer {
    address: SocketAddr,
    served: Arc<Served>,
}

#[derive(Debug, Default)]
struct Served {
    answers: Mutex<VecDeque<Says>>,
    /// What it says whenever no other answer is left; then it keeps no prompts.
    always: Option<Says>,
    prompts: Mutex<Vec<String>>,
    temperatures: Mutex<Vec<f64>>,
    pulled: Mutex<Vec<String>>,
    /// What it chooses where the answer is to be one of some words, if not that of the first example.
    chooses: Mutex<Option<&'static str>>,
    sorted: Mutex<Vec<String>>,
    busy: Mutex<Option<Busy>>,
    left: AtomicUsize,
    stopped: AtomicBool,
}

/// Since when it has had too much to do, for how long, and what it asks for, in seconds.
#[derive(Debug)]
struct Busy {
    since: Option<Instant>,
    lasts: Duration,
    retry_after: Option<u64>,
}

impl OllamaServer {
    /// The models that it lists.
    pub const MODELS: [&str; 2] = ["llama3.1:8B", "qwen3:4b"];

    /// Starts it. Each prompt takes the next of `answers`; later ones are not answered at all. One whose answer is to be one of
    /// some words takes none of them: the word of the first example is chosen, or what [`Self::choose`] says.
    ///
    /// # Panics
    /// When no port can be had.
    #[must_use]
    pub fn start(answers: impl IntoIterator<Item = Says>) -> Self {
        Self::start_at("127.0.0.1:0", answers)
    }

    /// One that answers each prompt with `says`, for ever, and keeps none of them.
    ///
    /// # Panics
    /// When no port can be had.
    #[must_use]
    pub fn tireless(says: Says) -> Self {
        Self::serve("127.0.0.1:0", Served { always: Some(says), ..Served::default() })
    }

    /// The same as [`OllamaServer::start`] at this address, where another one was stopped.
    ///
    /// # Panics
    /// When it can't be had.
    #[must_use]
    pub fn start_at(address: &str, answers: impl IntoIterator<Item = Says>) -> Self {
        let answers = Mutex::new(answers.into_iter().collect());
        Self::serve(address, Served { answers, ..Served::default() })
    }

    fn serve(address: &str, served: Served) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let served = Arc::new(served);
        let serving = Arc::clone(&served);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let serving = Arc::clone(&serving);
                std::thread::spawn(move || serving.serve(stream));
            }
        });
        Self { address, served }
    }

    /// Has too much to do from the next prompt on, for so long; says in `Retry-After` so many seconds, if any.
    ///
    /// # Panics
    /// When a thread that serves has panicked.
    pub fn be_busy(&self, lasts: Duration, retry_after: Option<u64>) {
        *self.served.busy.lock().unwrap() = Some(Busy { since: None, lasts, retry_after });
    }

    /// Its address, as OLLAMA_HOST takes it.
    #[must_use]
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Stops it: from then on nothing listens at its address, which is given for the next one.
    ///
    /// # Panics
    /// When it does not stop.
    #[must_use]
    pub fn stop(self) -> String {
        self.served.stopped.store(true, Ordering::SeqCst);
        // Whoever waits for the next client gets one, and leaves; others may come before the port is closed.
        crate::wait_until("nothing listens any more", || TcpStream::connect(self.address).is_err());
        self.host()
    }

    /// Chooses `word` from now on, wherever the answer is to be one of some words.
    ///
    /// # Panics
    /// When a thread that serves has panicked.
    pub fn choose(&self, word: &'static str) {
        *self.served.chooses.lock().unwrap() = Some(word);
    }

    /// What it was to sort by now, each the last message of its prompt.
    #[must_use]
    pub fn sorted(&self) -> Vec<String> {
        self.served.sorted.lock().unwrap().clone()
    }

    /// The prompts that it was sent by now, but for those whose answer is one of some words.
    #[must_use]
    pub fn prompts(&self) -> Vec<String> {
        self.served.prompts.lock().unwrap().clone()
    }

    /// The temperatures of those prompts that came with one.
    #[must_use]
    pub fn temperatures(&self) -> Vec<f64> {
        self.served.temperatures.lock().unwrap().clone()
    }

    /// The models that it was told to fetch.
    #[must_use]
    pub fn pulled(&self) -> Vec<String> {
        self.served.pulled.lock().unwrap().clone()
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
        if request.path() == "/api/show" {
            let window = json!({"model_info": {"test.context_length": 131_072}});
            let _ = write!(stream, "{HEAD}{window}");
            return;
        }
        // Somebody who takes it for another server looks around.
        if request.body.is_empty() {
            let _ = write!(stream, "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
            return;
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if request.path() == "/api/pull" {
            self.pulled.lock().unwrap().push(body["name"].as_str().unwrap().to_owned());
            let steps = [
                json!({"status": "pulling manifest"}),
                json!({"status": "pulling 8eeb52dfb3bb", "digest": "sha256:8eeb52dfb3bb", "total": 10, "completed": 5}),
                json!({"status": "success"}),
            ];
            let _ = write!(stream, "{HEAD}{}", steps.map(|step| format!("{step}\n")).concat());
            return;
        }
        let prompt = prompt(&body);
        if let Some(first) = first_choice(&body) {
            return self.choose_of(&mut stream, &first, &body);
        }
        if self.always.is_none() {
            self.prompts.lock().unwrap().push(prompt.clone());
            self.temperatures.lock().unwrap().extend(body["options"]["temperature"].as_f64());
        }
        if let Some(busy) = self.busy() {
            // A client that has gone misses nothing.
            let _ = self.say(&mut stream, busy, &prompt);
            return;
        }
        let next = self.answers.lock().unwrap().pop_front();
        let next = next.or_else(|| self.always.clone()).unwrap_or(Says::Begins(String::new()));
        if self.say(&mut stream, next, &prompt).is_err() {
            self.left.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn choose_of(&self, stream: &mut TcpStream, first: &str, body: &Value) {
        let said = body["messages"].as_array().and_then(|all| all.last()?["content"].as_str());
        self.sorted.lock().unwrap().extend(said.map(str::to_owned));
        let chosen = self.chooses.lock().unwrap().unwrap_or(first);
        // A client that has gone misses nothing.
        let _ = self.say(stream, Says::text(&json!({"choice": chosen}).to_string()), "");
    }

    /// What it says while it has too much to do.
    fn busy(&self) -> Option<Says> {
        let mut busy = self.busy.lock().unwrap();
        let Busy { since, lasts, retry_after } = busy.as_mut()?;
        let is_over = since.get_or_insert_with(Instant::now).elapsed() >= *lasts;
        (!is_over).then(|| Says::too_much(*retry_after))
    }

    /// Fails when the client has gone.
    fn say(&self, stream: &mut TcpStream, says: Says, prompt: &str) -> std::io::Result<()> {
        if let Says::Status(status, head, body) = says {
            let head = head.iter().map(|line| format!("{line}\r\n")).collect::<String>();
            return write!(stream, "HTTP/1.1 {status} -\r\n{head}Connection: close\r\n\r\n{body}");
        }
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
            Says::Counted(piece, read, written) => {
                line(stream, &piece, false)?;
                let ends = json!({"message": {"content": ""}, "done": true, "prompt_eval_count": read, "eval_count": written});
                stream.write_all(format!("{ends}\n").as_bytes())
            }
            Says::Made(make) => {
                line(stream, &make(prompt), false)?;
                line(stream, "", true)
            }
            Says::Cut(piece) => line(stream, &piece, false),
            Says::AtLimit(piece) => {
                line(stream, &piece, false)?;
                let ends =
                    json!({"message": {"content": ""}, "done": true, "done_reason": "length"});
                stream.write_all(format!("{ends}\n").as_bytes())
            }
            Says::Status(..) => Ok(()),
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

/// The prompt as it was written, which the agent cuts into messages at the end of a line.
fn prompt(body: &Value) -> String {
    let content = |message: &Value| message["content"].as_str().unwrap().to_owned();
    let contents: Vec<String> = body["messages"].as_array().unwrap().iter().map(content).collect();
    contents.join("\n")
}

/// What the first example chooses, if the answer is to be one of some words.
fn first_choice(body: &Value) -> Option<String> {
    let messages = body["messages"].as_array()?;
    let example = messages.iter().find(|message| message["role"] == "assistant")?;
    let example: Value = serde_json::from_str(example["content"].as_str()?).ok()?;
    example["choice"].as_str().map(str::to_owned)
}
