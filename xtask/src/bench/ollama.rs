//! A stand-in for an Ollama server: it lists one model, the usual one, and answers `/api/chat` with the texts
//! that it is given, at once.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use anyhow::{Context, Result};

/// A message, and what the model says to it: one text for each time that it is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Exchange<'a> {
    /// What a person says.
    pub(super) message: &'a str,
    /// Each as it stands within a JSON string.
    pub(super) answers: &'a [&'a str],
}

/// Serves in a thread for as long as there are answers, and gives its address. `asked` is called before
/// each answer.
pub(super) fn serve<'a>(
    answers: impl Iterator<Item = &'a str>,
    mut asked: impl FnMut() + Send + 'static,
) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let answers: Vec<String> = answers.map(str::to_owned).collect();
    thread::spawn(move || {
        let mut answers = answers.into_iter();
        while answers.len() > 0 {
            let served = listener.accept().map_err(Into::into).and_then(|(stream, _)| {
                let request = read_request(&stream)?;
                if request.contains("/api/tags") {
                    return write(stream, MODELS);
                }
                if request.contains("/api/show") || request.contains("/api/version") {
                    return write(stream, "{}");
                }
                asked();
                let answer = answers.next().unwrap_or_default();
                write(
                    stream,
                    &format!(
                        r#"{{"message":{{"role":"assistant","content":"{answer}"}},"done":true}}"#
                    ),
                )
            });
            if let Err(error) = served {
                eprintln!("the stand-in for Ollama: {error:#}");
            }
        }
    });
    Ok(address)
}

/// The model that a fresh home asks for.
const MODELS: &str =
    r#"{"models":[{"name":"llama3.1:8B","modified_at":"2026-01-01T00:00:00Z","size":1}]}"#;

/// Reads one request to its end and gives its first line.
fn read_request(stream: &TcpStream) -> Result<String> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().context("content-length")?;
        }
        if line.is_empty() {
            reader.read_exact(&mut vec![0; length])?;
            return Ok(first);
        }
    }
}

fn write(mut stream: TcpStream, body: &str) -> Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";
    Ok(stream.write_all(format!("{head}{body}\n").as_bytes())?)
}
