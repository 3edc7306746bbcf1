//! What stands between the page and the agent, or in front of it: a proxy that holds events back, a reader that never reads, and
//! far more connections than there is room for.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fantoccini::Client;
use testkit::page::{click, find, see, text};
use testkit::{Says, runs_first, wait_until, with_browser};

use crate::house::{House, TOKEN};

/// A proxy in front of the page. Of the streams of events that it `holds` it passes on the heads and keeps the bodies.
struct Proxy {
    port: u16,
    /// How many connections it has taken.
    taken: Arc<AtomicUsize>,
    /// The first so many it holds.
    holds: Arc<AtomicUsize>,
}

impl Proxy {
    fn before(agent: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let [taken, holds] = [0, 0].map(|count| Arc::new(AtomicUsize::new(count)));
        let (count, held) = (Arc::clone(&taken), Arc::clone(&holds));
        thread::spawn(move || {
            for browser in listener.incoming().map_while(Result::ok) {
                let (number, held) = (count.fetch_add(1, Ordering::Relaxed), Arc::clone(&held));
                let is_held = move || number < held.load(Ordering::Relaxed);
                thread::spawn(move || pass_on(browser, (port, agent), is_held));
            }
        });
        Self { port, taken, holds }
    }

    /// Signs a browser in through it.
    async fn sign_in(&self, client: &Client, house: &House) {
        let link = house.link();
        let link = link.replace(&format!(":{}/", house.port), &format!(":{}/", self.port));
        client.goto(&link).await.unwrap();
        click(client, "form button").await;
        see(client, "#standing", "Model: ").await;
    }
}

/// Passes one request on, and its answer back. An error is that of somebody who is gone.
fn pass_on(browser: TcpStream, (port, agent): (u16, u16), holds: impl Fn() -> bool) -> Option<()> {
    let mut reader = BufReader::new(browser.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        if line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or((&line, ""));
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().ok()?,
            "connection" => continue,
            _ => {}
        }
        // With the colon: the same digits may stand in a code.
        head.push_str(&line.replace(&format!(":{port}"), &format!(":{agent}")));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut upstream = TcpStream::connect(("127.0.0.1", agent)).ok()?;
    write!(upstream, "{head}Connection: close\r\n\r\n").ok()?;
    upstream.write_all(&body).ok()?;
    let is_held = head.contains("/v1/page/events");
    // It looks again and again whether it still holds.
    upstream.set_read_timeout(Some(Duration::from_millis(20))).ok()?;
    let (mut kept, mut has_head, mut browser) = (Vec::new(), false, browser);
    loop {
        let mut piece = [0; 16 * 1024];
        match upstream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => kept.extend_from_slice(&piece[..count]),
            Err(_) => {}
        }
        let end = kept.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
        let may_go = match (is_held && holds(), has_head, end) {
            (false, _, _) => kept.len(),
            (true, false, Some(end)) => end,
            (true, _, _) => 0,
        };
        has_head |= may_go > 0;
        browser.write_all(&kept.drain(..may_go).collect::<Vec<u8>>()).ok()?;
    }
    browser.write_all(&kept).ok()?;
    browser.shutdown(Shutdown::Both).ok()
}

#[tokio::test]
async fn a_proxy_that_holds_events_back_is_named_and_nothing_is_lost_or_doubled() {
    let house = House::start([Says::text("It is late.")]);
    let proxy = Proxy::before(house.port);
    proxy.holds.store(usize::MAX, Ordering::Relaxed);
    with_browser(async |client| {
        proxy.sign_in(client, &house).await;
        see(client, "#alert", "holds back what is said").await;
        find(client, "#text").await.send_keys("What time is it?").await.unwrap();
        click(client, "#send").await;
        wait_until("the model is asked", || !house.model.prompts().is_empty());
        assert_eq!(text(client, "#log").await, "");
        proxy.holds.store(0, Ordering::Relaxed);
        see(client, "#log .agent", "It is late.").await;
        assert_eq!(text(client, "#alert").await, "");
        let shown = text(client, "#log").await;
        assert_eq!(shown.matches("What time is it?").count(), 1, "{shown}");
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_died_without_a_word_is_made_again() {
    let house = House::start(["Good morning.", "And good night."].map(Says::text));
    let proxy = Proxy::before(house.port);
    with_browser(async |client| {
        // The page's minute is three seconds long.
        let faster =
            "const wait = setTimeout; window.setTimeout = (then, time) => wait(then, time / 20);";
        runs_first(client, faster).await;
        proxy.sign_in(client, &house).await;
        for answer in ["Good morning.", "And good night."] {
            find(client, "#text").await.send_keys("Hello").await.unwrap();
            click(client, "#send").await;
            see(client, "#log .agent:last-of-type", answer).await;
            proxy.holds.store(proxy.taken.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    })
    .await;
}

/// Connects, and asks for what is said from now on.
fn listens(house: &House) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    write!(
        stream,
        "GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n",
        house.port
    )
    .unwrap();
    stream
}

/// What is read until `wanted` has come, or the end.
fn read_until(reader: &mut impl BufRead, wanted: &str) -> String {
    let mut all = String::new();
    while !all.contains(wanted) {
        if reader.read_line(&mut all).unwrap_or_default() == 0 {
            break;
        }
    }
    all
}

fn say(house: &House, text: &str) -> String {
    let body = serde_json::json!({"text": text}).to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", house.port)).unwrap();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        house.port,
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// What the process holds of memory, in bytes.
fn held(house: &House) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", house.chat.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn a_reader_that_never_reads_costs_little_and_is_told_that_it_missed_something() {
    let house = House::start([]);
    let (slow, mut quick) = (listens(&house), BufReader::new(listens(&house)));
    read_until(&mut quick, "\r\n\r\n");
    let before = held(&house);
    // What is said is told to every reader of the session.
    let long = "x".repeat(190_000);
    for n in 0..110 {
        let answer = say(&house, &format!("/last {n} {long}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let told = read_until(&mut quick, "\"type\":\"end\"");
        assert!(told.contains(&format!("/last {n} xxx")), "{n}");
    }
    let more = held(&house).saturating_sub(before);
    assert!(more < 16_000_000, "{more} bytes are held for a reader that does not read");
    let missed = read_until(&mut BufReader::new(slow), "\"type\":\"missed\"");
    assert!(missed.contains("this reader was too slow"), "{} bytes came", missed.len());
}

/// Opens so many connections, says half a word on each, and holds them until its stdin ends.
const FLOOD: &str = "
import resource, socket, sys
port, count = int(sys.argv[1]), int(sys.argv[2])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
held = []
for _ in range(count):
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(('127.0.0.1', port))
    held.append(one)
for one in held:
    try:
        one.send(b'GET / HTTP/1.1\\r\\nHost: ')
    except OSError:
        pass
print('flooded', flush=True)
sys.stdin.read()
";

#[test]
fn ten_thousand_connections_cut_nobody_off_and_the_page_is_served_again() {
    let house = House::start([]);
    let mut events = BufReader::new(listens(&house));
    read_until(&mut events, "\r\n\r\n");
    let before = held(&house);
    let mut flood = Command::new("python3")
        .args(["-c", FLOOD, &house.port.to_string(), "10000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = String::new();
    BufReader::new(flood.stdout.take().unwrap()).read_line(&mut told).unwrap();
    assert_eq!(told, "flooded\n");
    // Whoever was there hears what is said, and the agent keeps within its means.
    let mut chat = house.chat;
    chat.ask("/remind 1s tea", "takes it back");
    assert!(read_until(&mut events, "Reminder: tea").contains("Reminder: tea"));
    let files = fs::read_dir(format!("/proc/{}/fd", chat.pid())).unwrap().count();
    assert!(files < 700, "{files} files are open");
    let house = House { chat, ..house };
    let more = held(&house).saturating_sub(before);
    assert!(more < 32_000_000, "{more} bytes are held for strangers");
    drop(flood.stdin.take());
    flood.wait().unwrap();
    assert!(say(&house, "/status").starts_with("HTTP/1.1 200"));
}
