//! What reading apart costs with a model that a person names: it is asked about pages, once with the page in the conversation, and
//! once with the page read apart. That it opens the page is decided for it, so that nothing but the reading is measured.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it has found")]
#![allow(clippy::disallowed_types, reason = "what is asked is a process")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};
use testkit::{Arrived, TempHome};

/// How much of a page is brought, in characters: a small model's window holds it with everything else.
const BROUGHT: usize = 3_000;

const MANIFEST: &str = r#"
name = "READ_PAPER"
instruction = "Read a paper by its name."
effect = "none"
reads = "public"
command = ["./run"]
[params]
name = { type = "string" }
[[examples]]
say = "Read the paper about horses: how old do they get?"
params = { name = "horses" }
"#;

const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, os, sys
name = json.load(sys.stdin)["name"]
folder = os.path.dirname(os.path.abspath(__file__))
print(json.dumps({"text": open(os.path.join(folder, name + ".md")).read()}))
"#;

#[derive(Deserialize)]
struct Papers {
    papers: Vec<Paper>,
}

#[derive(Deserialize)]
struct Paper {
    page: String,
    question: String,
    right: Vec<String>,
}

/// A server that hands every request on to the model's own, but for the first that offers the action: there it opens the page.
struct Opener {
    port: u16,
    asked: Arc<AtomicUsize>,
    opens: Arc<Mutex<Option<String>>>,
}

impl Opener {
    fn before(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let opener = Self { port, asked: Arc::default(), opens: Arc::default() };
        let (asked, opens) = (Arc::clone(&opener.asked), Arc::clone(&opener.opens));
        let upstream = upstream.to_owned();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (asked, opens, upstream) =
                    (Arc::clone(&asked), Arc::clone(&opens), upstream.clone());
                std::thread::spawn(move || {
                    let request = Arrived::read(&stream);
                    let body = String::from_utf8_lossy(&request.body);
                    let is_prompt = request.path().ends_with("/chat/completions");
                    asked.fetch_add(usize::from(is_prompt), Ordering::SeqCst);
                    let page = body.contains("READ_PAPER(").then(|| opens.lock().unwrap().take());
                    // A client that has gone misses nothing.
                    let _ = match page.flatten() {
                        Some(page) => open(&mut stream, &page),
                        None => hand_on(&mut stream, &request, &upstream),
                    };
                });
            }
        });
        opener
    }
}

fn open(stream: &mut TcpStream, page: &str) -> std::io::Result<()> {
    let call = json!({"name": "READ_PAPER", "params": {"name": page}});
    let answer = json!({"thought": "read a paper by its name", "actions": [call]}).to_string();
    let piece = |delta: Value, ends: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": ends});
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let said = piece(json!({ "content": answer }), Value::Null);
    let end = piece(json!({}), json!("stop"));
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{said}{end}data: [DONE]\n\n"
    )
}

fn hand_on(stream: &mut TcpStream, request: &Arrived, upstream: &str) -> std::io::Result<()> {
    let mut server = TcpStream::connect(upstream)?;
    let head = request.head.trim_end();
    let first = head.lines().next().unwrap_or_default();
    let kept = head.lines().skip(1).filter(|line| {
        let line = line.to_ascii_lowercase();
        !line.starts_with("connection:") && !line.starts_with("host:")
    });
    let kept = kept.map(|line| format!("{line}\r\n")).collect::<String>();
    write!(server, "{first}\r\nhost: {upstream}\r\n{kept}connection: close\r\n\r\n")?;
    server.write_all(&request.body)?;
    let mut chunk = [0; 4096];
    while let size @ 1.. = server.read(&mut chunk)? {
        stream.write_all(&chunk[..size])?;
    }
    Ok(())
}

/// A home whose one skill brings the beginnings of pages.
fn home(papers: &[Paper], llm: &Value, apart: &[&str]) -> TempHome {
    let home = TempHome::new();
    home.put("router/skills/read_paper/skill.toml", MANIFEST);
    home.put("router/skills/read_paper/run", PROGRAM);
    let program = home.root().join("router/skills/read_paper/run");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    for Paper { page, .. } in papers {
        home.put(format!("router/skills/read_paper/{page}.md"), brought(page));
    }
    home.put("agent/config.json", json!({ "llm": llm, "apart": apart }).to_string());
    home
}

/// What the model says to one message, without the line that tells what the action did.
fn asked(home: &TempHome, say: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_safeclaw"));
    let output = command.arg("--home").arg(home.root()).args(["-p", say]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    let words = said.lines().filter(|line| !line.starts_with("✓ "));
    words.collect::<Vec<_>>().join("\n")
}

fn brought(page: &str) -> String {
    let path = format!("{}/docs/src/{page}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().chars().take(BROUGHT).collect()
}

#[test]
#[ignore = "it needs a model, and takes long: cargo xtask apart --model TARGET"]
#[expect(clippy::disallowed_methods, reason = "whoever starts it names the model")]
fn what_reading_apart_costs() {
    let target = std::env::var("SAFECLAW_APART_MODEL").expect("the command names a model");
    let parts = target.strip_prefix("openai:").and_then(|target| target.split_once("@http://"));
    let (model, address) = parts.expect("openai:MODEL@http://HOST:PORT/v1");
    let (upstream, path) = address.split_once('/').expect("an address with a path");
    let Papers { papers } = toml::from_str(include_str!("papers.toml")).unwrap();
    let opener = Opener::before(upstream);
    let url = format!("http://127.0.0.1:{}/{path}", opener.port);
    let llm = json!({"provider": "openai", "model": model, "base_url": url});
    println!("| the page stands | right | requests | median |\n|---|---|---|---|");
    for (place, apart) in [("in the conversation", &[][..]), ("apart", &["READ_PAPER"])] {
        let (mut right, mut times) = (0, Vec::new());
        opener.asked.store(0, Ordering::SeqCst);
        for paper in &papers {
            let is_right = |text: &str| paper.right.iter().any(|right| text.contains(right));
            assert!(is_right(&brought(&paper.page)), "the page {} has changed", paper.page);
            let home = home(&papers, &llm, apart);
            *opener.opens.lock().unwrap() = Some(paper.page.clone());
            let say = format!("Read the paper about {}: {}", paper.page, paper.question);
            let begun = Instant::now();
            let said = asked(&home, &say);
            times.push(begun.elapsed().as_secs_f64());
            right += usize::from(is_right(&said));
            eprintln!("{} [{place}] {say}\n    {said:?}", is_right(&said));
        }
        times.sort_by(f64::total_cmp);
        let (asked, of) = (opener.asked.load(Ordering::SeqCst), papers.len());
        println!("| {place} | {right} of {of} | {asked} | {:.1} s |", times[of / 2]);
    }
}
