//! Ollama against real servers that misbehave.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::*;

/// What a server does with its one connection once it has read the request.
enum Script {
    /// Writes these bytes and closes.
    Says(Vec<u8>),
    /// Stops the clock, so that waiting for it costs nothing, and never says a word.
    Never(Vec<u8>),
}

/// A server for one request; gives its address and, in the end, the request.
async fn server(script: Script) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let served = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let request = request(&mut socket).await;
        match script {
            Script::Says(bytes) => drop(socket.write_all(&bytes).await),
            Script::Never(bytes) => {
                socket.write_all(&bytes).await.unwrap();
                tokio::time::pause();
                let _ = socket.read(&mut [0]).await;
            }
        }
        request
    });
    (address, served)
}

async fn request(socket: &mut TcpStream) -> String {
    let mut request = String::new();
    loop {
        let mut bytes = [0; 65_536];
        let count = socket.read(&mut bytes).await.unwrap();
        request.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        let Some((head, body)) = request.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
            return request;
        }
    }
}

/// A response whose body comes in exactly these chunks.
fn chunked(status: &str, chunks: &[&[u8]], is_whole: bool) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {status}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
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

fn token(text: &str) -> String {
    let text = serde_json::json!(text);
    format!(
        "{{\"model\":\"m\",\"message\":{{\"role\":\"assistant\",\"content\":{text}}},\"done\":false}}\n"
    )
}

const DONE: &str = "{\"done\":true,\"done_reason\":\"stop\"}\n";

/// The pieces that were shown, and how it ended, without the port, which differs from run to run.
async fn ask(script: Script) -> (Vec<String>, Result<String, String>) {
    let (address, served) = server(script).await;
    let ollama = Ollama::new(Host::new(&address).unwrap(), "llama3.1:8B").unwrap();
    let mut shown = Vec::new();
    let mut hear = |progress: Progress<'_>| match progress {
        Progress::Piece(piece) => shown.push(piece.to_owned()),
        other => panic!("{other:?}"),
    };
    let result = ollama.complete(&Ask::plain("hi"), &mut hear).await;
    drop(served);
    let result = result.map(|done| done.text).map_err(|error| error.to_string());
    (shown, result.map_err(|error| error.replace(&address, "HOST")))
}

async fn error(bytes: Vec<u8>) -> String {
    ask(Script::Says(bytes)).await.1.unwrap_err()
}

#[tokio::test]
async fn words_come_as_they_are_said_wherever_the_chunks_end() {
    let lines = [token("Grüße "), token("数"), DONE.to_owned()].concat();
    let bytes: Vec<&[u8]> = lines.as_bytes().chunks(1).collect();
    let (shown, result) = ask(Script::Says(chunked("200 OK", &bytes, true))).await;
    assert_eq!(shown, ["Grüße ", "数"]);
    assert_eq!(result.unwrap(), "Grüße 数");
}

#[tokio::test]
async fn the_last_line_needs_no_line_break_and_reasoning_is_not_shown() {
    let thinking =
        "{\"message\":{\"role\":\"assistant\",\"thinking\":\"hm\"},\"done\":false}\n\r\n";
    let body = [thinking, &token("Hi"), DONE.trim()].concat();
    let (shown, result) = ask(Script::Says(chunked("200 OK", &[body.as_bytes()], true))).await;
    assert_eq!((shown.concat(), result.unwrap()), ("Hi".to_owned(), "Hi".to_owned()));
}

#[tokio::test]
async fn the_request_is_one_message_with_streaming_and_a_window() {
    let (address, served) = server(Script::Says(chunked("200 OK", &[DONE.as_bytes()], true))).await;
    let ollama = Ollama::new(Host::new(&address).unwrap(), "llama3.1:8B").unwrap();
    ollama.complete(&Ask::plain("hi"), &mut |_| {}).await.unwrap();
    let request = served.await.unwrap();
    assert!(request.starts_with("POST /api/chat HTTP/1.1\r\n"), "{request}");
    insta::assert_snapshot!(request.split_once("\r\n\r\n").unwrap().1);
    assert_eq!([window("hi"), window(&"x".repeat(24_000))], [8_192, 16_384]);
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let ollama = Ollama::new(Host::new(&address).unwrap(), "m").unwrap();
    let reason = "Connection refused (os error 111)".to_owned();
    let mend = "start it with `ollama serve`".to_owned();
    let expected = ModelError::Unreachable { address, reason, mend };
    assert_eq!(ollama.models().await, Err(expected.clone()));
    assert_eq!(ollama.complete(&Ask::plain("hi"), &mut |_| {}).await, Err(expected));
}

#[tokio::test]
async fn servers_that_refuse() {
    let json = b"{\"error\":\"model 'llama3.1:8B' not found\"}".as_slice();
    insta::assert_snapshot!(
        error(chunked("404 Not Found", &[json], true)).await,
        @"HOST does not have the model llama3.1:8B; fetch it with `ollama pull llama3.1:8B`"
    );
    let out_of_memory = b"{\"error\":\"model requires more system memory\"}".as_slice();
    insta::assert_snapshot!(
        error(chunked("500 Internal Server Error", &[out_of_memory], true)).await,
        @"the model server at HOST answered 500: model requires more system memory"
    );
    insta::assert_snapshot!(
        error(chunked("502 Bad Gateway", &[b"<html>", b"<h1>Bad</h1>"], true)).await,
        @"the model server at HOST answered 502: a web page, so this may not be Ollama"
    );
    insta::assert_snapshot!(
        error(chunked("404 Not Found", &[], true)).await,
        @"the model server at HOST answered 404: no reason"
    );
}

#[tokio::test]
async fn servers_that_are_no_ollama_or_stop_half_way() {
    insta::assert_snapshot!(
        error(chunked("200 OK", &[b"<!DOCTYPE html>\n<html>"], true)).await,
        @r#"what came from HOST is not what Ollama sends ("<!DOCTYPE html>"); check the address"#
    );
    let failing = [token("Well"), "{\"error\":\"out of memory\"}\n".to_owned()].concat();
    insta::assert_snapshot!(
        error(chunked("200 OK", &[failing.as_bytes()], true)).await,
        @"the model server at HOST failed in the middle of the answer: out of memory"
    );
    let cut = "the answer was cut off: HOST closed the connection; ask again";
    assert_eq!(error(chunked("200 OK", &[], true)).await, cut);
    assert_eq!(error(chunked("200 OK", &[token("Well").as_bytes()], true)).await, cut);
    assert_eq!(error(chunked("200 OK", &[&token("Wéll").as_bytes()[..50]], true)).await, cut);
    for broken in [Vec::new(), chunked("200 OK", &[token("Well").as_bytes()], false)] {
        let error = error(broken).await;
        assert!(error.starts_with("the connection to HOST broke ("), "{error}");
    }
}

#[tokio::test]
async fn answers_without_an_end_are_stopped() {
    let too_large = "the answer of HOST has no end and was stopped after 1048576 bytes; ask for less, or try \
                     another model";
    let one_line = vec![b'x'; 10 << 20];
    assert_eq!(error(chunked("200 OK", &[&one_line], true)).await, too_large);
    let lines = token(&"x".repeat(1_000)).repeat(10_000);
    assert_eq!(error(chunked("200 OK", &[lines.as_bytes()], true)).await, too_large);
    let thinking = format!("{{\"message\":{{\"thinking\":\"{}\"}}}}\n", "x".repeat(1_000));
    let lines = thinking.repeat(10_000);
    assert_eq!(error(chunked("200 OK", &[lines.as_bytes()], true)).await, too_large);
}

#[tokio::test]
async fn servers_that_fall_silent() {
    let silent = "HOST said nothing for 120 s; see what it does with `ollama ps`";
    assert_eq!(ask(Script::Never(Vec::new())).await.1.unwrap_err(), silent);
    tokio::time::resume();
    let begun = chunked("200 OK", &[token("Well").as_bytes()], false);
    let (shown, result) = ask(Script::Never(begun)).await;
    assert_eq!((shown.concat(), result.unwrap_err()), ("Well".to_owned(), silent.to_owned()));
}

#[tokio::test]
async fn the_models_are_listed() {
    let model =
        |name| serde_json::json!({"name": name, "modified_at": "2026-01-01T00:00:00Z", "size": 1});
    let list = serde_json::json!({"models": [model("qwen3:4b"), model("llama3.1:8b")]}).to_string();
    for (status, body, expected) in [
        ("200 OK", list.as_str(), Ok("llama3.1:8b qwen3:4b")),
        ("200 OK", "<html>", Err("is not what Ollama sends")),
        ("500 Internal Server Error", "no disk", Err("answered 500: no disk")),
    ] {
        let (address, _served) =
            server(Script::Says(chunked(status, &[body.as_bytes()], true))).await;
        let ollama = Ollama::new(Host::new(&address).unwrap(), "m").unwrap();
        match (ollama.models().await, expected) {
            (Ok(names), Ok(expected)) => assert_eq!(names.join(" "), expected),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (got, _) => panic!("{got:?}"),
        }
    }
}
