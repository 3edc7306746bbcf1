//! Who can't open the window: other pages, other names, links that were used, and an agent that keeps all that a browser sends it.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::json;
use testkit::page::{click, find, see, text};
use testkit::{TempHome, complaints, wait_until, with_browser};

use crate::house::{chat, home, host, link, open, raw, told};

/// The request for how everything stands, with more headers.
fn sight(host: &str, more: &str) -> String {
    raw(host, &format!("GET /v1/sight HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n"))
}

fn deed(host: &str, more: &str) -> String {
    let body = json!({"deed": "stop"}).to_string();
    let length = body.len();
    raw(
        host,
        &format!(
            "POST /v1/deeds HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n{more}\r\n{body}"
        ),
    )
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// Whether everything still goes on, as the owner sees it at the command line.
fn goes_on(home: &TempHome) -> bool {
    told(home, &["router", "resume"]).contains("was not stopped")
}

/// A page of whoever serves it, who keeps every header that a browser sends along.
struct Keeper {
    address: String,
    kept: Arc<Mutex<BTreeSet<String>>>,
}

impl Keeper {
    fn at(address: &str, page: &'static str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let kept = Arc::new(Mutex::new(BTreeSet::new()));
        let keeping = Arc::clone(&kept);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut bytes = vec![0; 65_536];
                let size = stream.read(&mut bytes).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes[..size]).into_owned();
                keeping.lock().unwrap().extend(text.lines().skip(1).map(str::to_owned));
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\
                     Set-Cookie: kept=1; Path=/\r\nConnection: close\r\n\r\n{page}",
                    page.len()
                );
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { address, kept }
    }

    fn kept(&self) -> Vec<String> {
        self.kept.lock().unwrap().iter().cloned().collect()
    }
}

#[tokio::test]
async fn an_agent_that_keeps_every_header_of_its_own_pages_opens_nothing() {
    let home = home();
    let _chat = chat(&home);
    with_browser(async |client| {
        let host = host(&open(client, &home).await);
        // At the agent's usual address, at its other name, and beside the window: cookies ignore ports.
        let keepers = ["127.0.0.1:0", "127.0.0.2:0"].map(|at| Keeper::at(at, "<p>hello</p>"));
        let port = keepers[0].address.rsplit(':').next().unwrap().to_owned();
        let addresses =
            [keepers[0].address.clone(), format!("localhost:{port}"), keepers[1].address.clone()];
        for address in addresses {
            client.goto(&format!("http://{address}/")).await.unwrap();
            // Whoever owns the page has its script ask for more, and for whatever the browser has kept.
            let ask = "const done = arguments[0]; fetch('/more', {credentials: 'include'}).then(() => done(Object.keys(sessionStorage).concat(Object.keys(localStorage), document.cookie)))";
            let seen = client.execute_async(ask, Vec::new()).await.unwrap();
            assert_eq!(seen, json!(["kept=1"]), "{address}");
        }
        let kept: Vec<String> = keepers.iter().flat_map(Keeper::kept).collect();
        assert!(kept.iter().any(|line| line.starts_with("Cookie: kept=1")), "{kept:?}");
        for line in kept.iter().filter(|line| !line.is_empty()) {
            let (_, value) = line.split_once(':').unwrap();
            for more in [
                format!("{line}\r\n"),
                format!("Authorization: Bearer {}\r\n", value.trim()),
                format!("Cookie: token={}\r\n", value.trim()),
            ] {
                assert_ne!(status(&sight(&host, &more)), "200", "{more}");
                assert_ne!(status(&deed(&host, &more)), "200", "{more}");
            }
        }
        // The window is as open as before, and nothing was stopped by any of it.
        client.goto(&format!("http://{host}/")).await.unwrap();
        see(client, "#standing", "Everything goes on").await;
    })
    .await;
    assert!(goes_on(&home));
}

#[tokio::test]
async fn no_page_of_another_site_reaches_the_window_by_frame_form_or_script() {
    let home = home();
    let _chat = chat(&home);
    with_browser(async |client| {
        let host = host(&open(client, &home).await);
        let other = Keeper::at("127.0.0.1:0", "<iframe id=f></iframe><form method=post><input name=x></form>");
        client.goto(&format!("http://{}/", other.address)).await.unwrap();
        let framed = "const [url, done] = arguments; const f = document.getElementById('f');
            f.onload = () => { let seen; try { seen = f.contentDocument ? f.contentDocument.body.innerText : null; } catch { seen = null; } done(seen); }; f.src = url;";
        let seen = client.execute_async(framed, vec![json!(format!("http://{host}/"))]).await.unwrap();
        assert!(seen.is_null() || seen == "", "{seen}");
        let fetched = "const [url, done] = arguments;
            fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'}, body: '{\"deed\":\"stop\"}'})
            .then((answer) => done(`${answer.type} ${answer.status}`), (error) => done(String(error)));";
        let url = json!(format!("http://{host}/v1/deeds"));
        let answer = client.execute_async(fetched, vec![url]).await.unwrap();
        assert!(!answer.as_str().unwrap().contains("200"), "{answer}");
        let form = "const form = document.forms[0]; form.action = arguments[0]; form.enctype = 'text/plain'; form.submit();";
        client.execute(form, vec![json!(format!("http://{host}/v1/deeds"))]).await.unwrap();
        see(client, "body", "another page").await;
        let opened = "const w = window.open(arguments[0]); return w === null || w.closed";
        client.goto(&format!("http://{}/", other.address)).await.unwrap();
        let _ = client.execute(opened, vec![json!(format!("http://{host}/"))]).await;
    })
    .await;
    assert!(goes_on(&home));
    // An old browser says by its Origin alone where a request comes from.
    let link = link(&home);
    let (host, code) = (host(&link), link.split_once('#').unwrap().1);
    let foreign = opened_from("http://127.0.0.1:9", &host, code);
    assert_eq!(status(&foreign), "403", "{foreign}");
    assert_eq!(status(&opened(&host, code)), "200", "nothing of it used the link up");
}

#[tokio::test]
async fn a_name_that_dns_turns_into_the_windows_address_is_not_served() {
    let home = home();
    let _chat = chat(&home);
    let host = host(&link(&home));
    let (_, port) = host.split_once(':').unwrap();
    for name in ["evil.example", "localhost", "127.0.0.1", "127.0.0.2.evil.example"] {
        for path in ["/", "/v1/sight", "/v1/open", "/metrics"] {
            let answer = raw(
                &host,
                &format!("GET {path} HTTP/1.1\r\nHost: {name}:{port}\r\nConnection: close\r\n\r\n"),
            );
            assert_eq!(status(&answer), "403", "{name} {path}: {answer}");
        }
    }
}

/// Uses a link's code up as the page does.
fn opened(host: &str, code: &str) -> String {
    opened_from(&format!("http://{host}"), host, code)
}

/// The same from a page of `origin`.
fn opened_from(origin: &str, host: &str, code: &str) -> String {
    let body = json!({"code": code}).to_string();
    raw(
        host,
        &format!(
            "POST /v1/open HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
}

#[tokio::test]
async fn a_link_opens_the_window_once_and_looking_at_it_uses_nothing_up() {
    let home = home();
    let chat = chat(&home);
    let link = link(&home);
    let (host, code) = (host(&link), link.split_once('#').unwrap().1.to_owned());
    // What looks at links ahead of people asks for the page, and is sent no code.
    for _ in 0..3 {
        let page =
            raw(&host, &format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(status(&page), "200");
        assert!(!page.contains(&code));
        let policy = page.to_ascii_lowercase();
        for header in [
            "content-security-policy: default-src 'none'",
            "trusted-types 'none'",
            "x-frame-options: deny",
            "cache-control: no-store",
        ] {
            assert!(policy.contains(header), "{page}");
        }
        assert!(!policy.contains("set-cookie"), "{page}");
    }
    let first = opened(&host, &code);
    assert_eq!(status(&first), "200", "{first}");
    let stolen = opened(&host, &code);
    assert_eq!(status(&stolen), "403", "{stolen}");
    assert!(stolen.contains("\"used\""), "{stolen}");
    let token = first.split("\"token\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let shown = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(status(&sight(&host, &shown)), "200");
    // The next life of the router knows neither the token nor a code of this one.
    let spare = self::link(&home).split_once('#').unwrap().1.to_owned();
    drop(chat);
    home.put("router/config.json", format!("{{\"window\": \"{host}\"}}"));
    let _chat = crate::house::chat(&home);
    self::link(&home);
    assert_eq!(status(&sight(&host, &shown)), "401");
    assert_eq!(status(&opened(&host, &spare)), "403");
}

#[tokio::test]
async fn a_window_that_was_locked_opens_in_the_same_tab_with_all_of_its_buttons() {
    let home = home();
    let _chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        click(client, "#lock").await;
        see(client, "#door", "locked").await;
        // The browser stays on the page: only what stands behind the `#` is new.
        client.goto(&link(&home)).await.unwrap();
        click(client, "#door button").await;
        see(client, "#standing", "Everything goes on").await;
        let there = client.current_url().await.unwrap();
        assert_eq!(there.fragment(), None, "{there}");
        click(client, "#switch .stop").await;
        see(client, "#standing", "Everything is stopped").await;
    })
    .await;
    assert!(!goes_on(&home));
}

#[tokio::test]
async fn nothing_that_a_model_or_a_skill_has_written_becomes_a_script() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        let evil = "<img src=x onerror=alert(1)><svg onload=alert(1)><script>alert(1)</script>\\u202e";
        chat.ask(&format!("/run RING {{\"who\": \"{evil}\"}}"), "RING: pending");
        chat.ask("/run FAIL", "FAIL: ");
        see(client, ".card pre", "onerror=alert(1)").await;
        see(client, "#skills", "ended with code 3").await;
        see(client, "#audit .rows", "RING").await;
        assert!(client.get_alert_text().await.is_err());
        let made = "return [...document.querySelectorAll('main img, main script, main iframe, main a')].length";
        assert_eq!(client.execute(made, Vec::new()).await.unwrap(), 0);
        // The page's policy for content keeps even its own scripts from making HTML of text.
        let html = "try { document.body.innerHTML = '<p>x</p>'; return 'made'; } catch (error) { return error.name; }";
        assert_eq!(client.execute(html, Vec::new()).await.unwrap(), "TypeError");
        let _ = complaints(client).await;
    })
    .await;
}

#[tokio::test]
async fn two_tabs_of_the_window_agree() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        let first = client.window().await.unwrap();
        let second = client.new_window(true).await.unwrap().handle;
        client.switch_to_window(second.clone()).await.unwrap();
        open(client, &home).await;
        chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
        // A tab that nobody looks at looks more seldom.
        client.switch_to_window(first.clone()).await.unwrap();
        find(client, ".card .deny").await;
        client.switch_to_window(second).await.unwrap();
        click(client, ".card .deny").await;
        see(client, ".card.settled .outcome", "refused here").await;
        client.switch_to_window(first).await.unwrap();
        find(client, ".card.settled").await;
        assert_eq!(text(client, ".card .answers").await, "");
    })
    .await;
}

#[test]
fn whoever_is_silent_or_slow_keeps_the_owner_out_of_nothing() {
    let home = home();
    let _chat = chat(&home);
    let link = link(&home);
    let host = host(&link);
    let mut held = Vec::new();
    for _ in 0..300 {
        let mut stream = std::net::TcpStream::connect(&host).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
        held.push(stream);
    }
    let answer = opened(&host, link.split_once('#').unwrap().1);
    assert_eq!(status(&answer), "200", "{answer}");
}

#[test]
fn whoever_has_the_window_open_is_shut_out_when_it_is_turned_off() {
    let home = home();
    let _chat = chat(&home);
    let host = host(&link(&home));
    let mut stream = std::net::TcpStream::connect(&host).unwrap();
    let request = format!("GET /v1/sight HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut first = [0; 16 * 1024];
    assert!(stream.read(&mut first).unwrap() > 0);
    told(&home, &["router", "window", "off"]);
    wait_until("its key is gone", || !home.router_state().join("window.key").exists());
    // Whoever is shut out may be cut off.
    let _ = stream.write_all(request.as_bytes());
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    let rest = String::from_utf8_lossy(&rest);
    assert!(!rest.contains("HTTP/1.1 "), "{rest}");
}

#[test]
fn prometheus_sees_numbers_with_its_token_and_nothing_without() {
    let home = home();
    let mut chat = chat(&home);
    chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
    let host = host(&link(&home));
    let token = home.text("router/state/metrics.token");
    let get = |more: &str| {
        raw(
            &host,
            &format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n"),
        )
    };
    let numbers = get(&format!("Authorization: Bearer {token}\r\n"));
    for line in [
        "safeclaw_router_commands_total{status=\"pending\"} 1\n",
        "safeclaw_router_questions 1\n",
        "safeclaw_router_stopped 0\n",
    ] {
        assert!(numbers.contains(line), "{line}: {numbers}");
    }
    assert_eq!(status(&get("")), "401");
    // The token for numbers opens nothing else.
    assert_eq!(status(&sight(&host, &format!("Authorization: Bearer {token}\r\n"))), "401");
}
