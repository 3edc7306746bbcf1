//! HTTP, and what can go wrong on it.

use std::io::Write;
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use super::{BotApi, Called, answers};
use crate::Arrived;

/// What a call meets with instead of its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// An error of the API's own with this code and description.
    Refused(u16, &'static str),
    /// 429 with this many seconds.
    Pause(u64),
    /// 502 with a page for people, as a proxy before the API gives it.
    BadGateway,
    /// The connection is cut, and nothing was done.
    Cut,
    /// The connection is cut after it was done.
    CutAfter,
}

/// Answers the one request of a connection.
pub(super) fn serve(api: &BotApi, mut stream: TcpStream) {
    let arrived = Arrived::read(&stream);
    let mut path = arrived.path().split('/').skip(1).peekable();
    if path.next_if_eq(&"file").is_some() {
        return file(api, &mut stream, &arrived);
    }
    let token = path.next().and_then(|first| first.strip_prefix("bot")).unwrap_or_default();
    let method = path.next().unwrap_or_default().to_lowercase();
    let params = read(&arrived);
    let trouble = {
        let mut state = api.lock();
        let call = Called { method: method.clone(), params: params.clone() };
        state.called.push(call);
        if token != state.token {
            drop(state);
            return answer(&mut stream, "401 Unauthorized", &failure(401, "Unauthorized"));
        }
        let planned = state.troubles.iter().position(|(name, _)| *name == method);
        planned.and_then(|at| state.troubles.remove(at)).map(|(_, trouble)| trouble)
    };
    if let Some(trouble) = trouble {
        return meet(api, &mut stream, (&method, &params), &trouble);
    }
    match answers::answer(api, &method, &params) {
        Ok(result) => answer(&mut stream, "200 OK", &json!({"ok": true, "result": result})),
        Err((code, why)) => {
            answer(&mut stream, &format!("{code} Error"), &failure(code, &why));
        }
    }
}

/// A file that somebody has sent, from `/file/botTOKEN/documents/ID`.
fn file(api: &BotApi, stream: &mut TcpStream, arrived: &Arrived) {
    let state = api.lock();
    // The client takes the path of a file for one part of the address.
    let path = arrived.path().replace("%2F", "/");
    let id = path.strip_prefix(&format!("/file/bot{}/documents/", state.token));
    let Some(bytes) = id.and_then(|id| state.files.get(id)) else {
        return write(stream, "404 Not Found", "text/plain", "Not Found");
    };
    let length = bytes.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    // A client that has heard enough closes first.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(bytes));
}

fn meet(api: &BotApi, stream: &mut TcpStream, call: (&str, &Value), trouble: &Trouble) {
    match trouble {
        Trouble::Refused(code, why) => {
            answer(stream, &format!("{code} Error"), &failure(*code, why));
        }
        Trouble::Pause(seconds) => {
            let why = format!("Too Many Requests: retry after {seconds}");
            let mut failure = failure(429, &why);
            failure["parameters"] = json!({"retry_after": seconds});
            answer(stream, "429 Too Many Requests", &failure);
        }
        Trouble::BadGateway => {
            write(stream, "502 Bad Gateway", "text/html", "<html><h1>502 Bad Gateway</h1></html>");
        }
        Trouble::Cut => drop(stream.shutdown(Shutdown::Both)),
        Trouble::CutAfter => {
            let _ = answers::answer(api, call.0, call.1);
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// The parameters, of JSON or of a form.
fn read(arrived: &Arrived) -> Value {
    serde_json::from_slice(&arrived.body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&arrived.body).into_owned()))
}

fn failure(code: u16, why: &str) -> Value {
    json!({"ok": false, "error_code": code, "description": why})
}

fn answer(stream: &mut TcpStream, status: &str, body: &Value) {
    write(stream, status, "application/json", &body.to_string());
}

fn write(stream: &mut TcpStream, status: &str, kind: &str, body: &str) {
    let length = body.len();
    // A client that has heard enough closes first.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}
