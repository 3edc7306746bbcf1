//! Three minds on three model servers of two providers, and the program that is told of them.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;

use serde_json::{Value, json};
use testkit::{Arrived, OllamaServer, Says, TempHome, json_server};

use crate::SAFECLAW;

/// A server with OpenAI's API whose answers this makes; the port, and what it was asked.
pub(crate) fn openai(
    says: impl Fn() -> Result<String, u16> + Send + 'static,
) -> (u16, Receiver<Arrived>) {
    json_server(move |request| {
        if !request.path().ends_with("chat/completions") {
            return json!({"data": [{"id": "m"}]}).to_string();
        }
        match says() {
            Ok(text) => {
                let chunk = |delta: Value, reason: Value| {
                    let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
                    format!("data: {}\n\n", json!({"choices": [choice]}))
                };
                let words: String = text
                    .split_inclusive(' ')
                    .map(|word| chunk(json!({"content": word}), Value::Null))
                    .collect();
                format!("{words}{}data: [DONE]\n\n", chunk(json!({}), json!("stop")))
            }
            Err(status) => json!({"error": {"message": "slow down", "code": status}}).to_string(),
        }
    })
}

/// What the model `name` says for the nth time: no two are the same.
fn counted(name: &'static str) -> impl Fn() -> String + Send + Sync + 'static {
    let count = AtomicUsize::new(0);
    move || {
        let count = count.fetch_add(1, Ordering::SeqCst);
        format!("[{name}]: {name} has thought of it {count} times.\n\n[Human]: I agree.")
    }
}

pub(crate) struct House {
    pub(crate) home: TempHome,
    pub(crate) host: String,
    /// They answer as long as this is there.
    _servers: (Vec<Receiver<Arrived>>, OllamaServer),
}

impl House {
    /// Alpha and Beta think on two servers with OpenAI's API, Gamma on Ollama's.
    pub(crate) fn new() -> Self {
        let home = TempHome::new();
        let mut arrived = Vec::new();
        for name in ["Alpha", "Beta"] {
            let says = counted(name);
            let (port, asked) = openai(move || Ok(says()));
            let file = format!(
                "<aistorm type=\"OpenAI\" model=\"m@http://127.0.0.1:{port}/v1\" />\n\nYou are {name}, a thinker.\n"
            );
            home.put(format!("workspace/personas/{name}.md"), file);
            arrived.push(asked);
        }
        let gamma: Arc<dyn Fn(&str) -> String + Send + Sync> = {
            let says = counted("Gamma");
            Arc::new(move |_: &str| says())
        };
        let answers = (0..200).map(|_| Says::Made(Arc::clone(&gamma)));
        let ollama = OllamaServer::start(answers);
        let file = "<aistorm type=\"ollama\" model=\"llama3.1:8B\" />\n\nYou think of the costs.\n";
        home.put("workspace/personas/Gamma.md", file);
        let host = ollama.host();
        Self { home, host, _servers: (arrived, ollama) }
    }

    pub(crate) fn storm(&self, args: &[&str]) -> Command {
        storm(&self.home, &self.host, args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        let (code, text) = ran(self.storm(args));
        assert_eq!(code, Some(0), "{args:?}: {text}");
        text
    }

    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let text = self.run(&["export", "weekend", "jsonl"]);
        let line = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            (line["from"].as_str().unwrap().to_owned(), line["text"].as_str().unwrap().to_owned())
        };
        text.lines().map(line).collect()
    }
}

pub(crate) fn storm(home: &TempHome, host: &str, args: &[&str]) -> Command {
    let mut command = Command::new(SAFECLAW);
    command.arg("storm").args(args).arg("--home").arg(home.root());
    command.env_clear().env("HOME", "/nonexistent").env("OLLAMA_HOST", host).stdin(Stdio::null());
    command
}

pub(crate) fn ran(mut command: Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// Lets agents speak until so many bytes were shown, kills the program, and gives what was shown.
pub(crate) fn killed_after(mut command: Command, bytes: usize) -> String {
    let mut program = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = program.stdout.take().unwrap();
    let (mut shown, mut piece) = (Vec::new(), [0; 64]);
    while shown.len() < bytes {
        match out.read(&mut piece).unwrap() {
            0 => break,
            read => shown.extend_from_slice(&piece[..read]),
        }
    }
    program.kill().unwrap();
    program.wait().unwrap();
    out.read_to_end(&mut shown).unwrap();
    String::from_utf8_lossy(&shown).into_owned()
}
