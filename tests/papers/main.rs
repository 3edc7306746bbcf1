//! Questions to pages of the book, with a model that a person names: with the page in the conversation, with the page read apart, and
//! with all pages in the library. In the first two it is decided for the model that it opens the page, so that nothing but the
//! reading is measured.
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

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src");

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

impl Paper {
    fn is_right(&self, text: &str) -> bool {
        self.right.iter().any(|right| text.contains(right))
    }
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

/// What a command prints.
fn asked(home: &TempHome, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_safeclaw"));
    let output = command.arg("--home").arg(home.root()).args(words).output().unwrap();
    // 3: something that the model asked for waits for a person's yes.
    let has_answered = matches!(output.status.code(), Some(0 | 3));
    assert!(has_answered, "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The model's own words: the answer without the line that tells what the page said.
fn words_behind_the_page(answer: &str) -> String {
    let (is_read, words): (Vec<&str>, Vec<&str>) =
        answer.lines().partition(|line| line.starts_with("✓ READ_PAPER"));
    assert_eq!(is_read.len(), 1, "the page was not read: {answer}");
    words.join("\n")
}

fn papers() -> Vec<Paper> {
    toml::from_str::<Papers>(include_str!("papers.toml")).unwrap().papers
}

fn brought(page: &str) -> String {
    std::fs::read_to_string(format!("{BOOK}/{page}.md")).unwrap().chars().take(BROUGHT).collect()
}

/// What is counted of one way of asking.
struct Asking<'a> {
    way: &'static str,
    papers: &'a [Paper],
    said: Vec<(String, f64)>,
}

impl<'a> Asking<'a> {
    /// Asks about each paper by `ask`, and prints what is said.
    fn all(way: &'static str, papers: &'a [Paper], ask: impl Fn(&Paper) -> String) -> Self {
        let one = |paper| {
            let begun = Instant::now();
            let said = ask(paper);
            eprintln!("{} [{way}] {}\n    {said:?}", paper.is_right(&said), paper.question);
            (said, begun.elapsed().as_secs_f64())
        };
        Self { way, papers, said: papers.iter().map(one).collect() }
    }

    /// How many of the answers `is_so` holds for.
    fn count(&self, is_so: impl Fn(&Paper, &str) -> bool) -> usize {
        let pairs = self.papers.iter().zip(&self.said);
        pairs.filter(|(paper, (said, _))| is_so(paper, said)).count()
    }

    fn print(&self, requests: usize) {
        let mut times: Vec<f64> = self.said.iter().map(|(_, time)| *time).collect();
        times.sort_by(f64::total_cmp);
        let right = self.count(|paper, said| paper.is_right(said));
        let cited = self.count(|paper, said| said.contains(&format!("[{}.md", paper.page)));
        let (way, of, median) = (self.way, times.len(), times[times.len() / 2]);
        println!("| {way} | {right} of {of} | {cited} of {of} | {requests} | {median:.1} s |");
    }
}

#[test]
fn the_right_answer_stands_in_each_page() {
    for paper in papers() {
        assert!(paper.is_right(&brought(&paper.page)), "{}: {}", paper.page, paper.question);
    }
}

#[test]
#[ignore = "it needs a model, and takes long: cargo xtask papers --model TARGET"]
#[expect(clippy::disallowed_methods, reason = "whoever starts it names the model")]
fn questions_to_papers() {
    let target = std::env::var("SAFECLAW_PAPERS_MODEL").expect("the command names a model");
    let parts = target.strip_prefix("openai:").and_then(|target| target.split_once("@http://"));
    let (model, address) = parts.expect("openai:MODEL@http://HOST:PORT/v1");
    let (upstream, path) = address.split_once('/').expect("an address with a path");
    let papers = papers();
    let opener = Opener::before(upstream);
    let url = format!("http://127.0.0.1:{}/{path}", opener.port);
    let llm = json!({"provider": "openai", "model": model, "base_url": url});
    println!("| the page stands | right | cited | requests | median |\n|---|---|---|---|---|");
    for (way, apart) in [("in the conversation", &[][..]), ("apart", &["READ_PAPER"])] {
        opener.asked.store(0, Ordering::SeqCst);
        let asking = Asking::all(way, &papers, |paper| {
            *opener.opens.lock().unwrap() = Some(paper.page.clone());
            let say = format!("Read the paper about {}: {}", paper.page, paper.question);
            words_behind_the_page(&asked(&home(&papers, &llm, apart), &["-p", &say]))
        });
        asking.print(opener.asked.load(Ordering::SeqCst));
    }
    let home = TempHome::new();
    home.put("agent/config.json", json!({ "llm": llm }).to_string());
    asked(&home, &["router", "library", "add", &format!("{BOOK}/")]);
    opener.asked.store(0, Ordering::SeqCst);
    let asking = Asking::all("in the library", &papers, |paper| {
        asked(&home, &["-p", "/new"]);
        asked(&home, &["-p", &format!("/ask {}: {}", paper.page, paper.question)])
    });
    asking.print(opener.asked.load(Ordering::SeqCst));
}
