//! A browser elsewhere that is one: a driver of its own, at a port of its own, that reaches pages by this agent's proxy.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use eyes::{Eyes, Look, LookError, Network, Place};
use testkit::{Driver, eventually, free_port};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::rig::{living, look};
use crate::site::{Page, Sink, Site};

/// A browser server, and eyes that use it.
struct Remote {
    eyes: Eyes,
    driver: Driver,
    proxy: SocketAddr,
    ended: Arc<Mutex<usize>>,
}

impl Remote {
    async fn start(site: &Site) -> Self {
        let driver = Driver::start();
        let ended = Arc::new(Mutex::new(0));
        let address = server(driver.port(), Arc::clone(&ended)).await;
        let proxy = free();
        let network = Network::new(&[site.address.to_string()]).unwrap();
        let network = network.remote(Some(&proxy.to_string()), None, false).unwrap();
        let eyes = Eyes::new(Place::Remote(format!("http://{address}/").parse().unwrap()), network);
        Self { eyes, driver, proxy, ended }
    }

    /// What the proxy answers to a stranger at another address of this machine.
    async fn stranger(&self, url: &str) -> String {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
        let mut stream = socket.connect(self.proxy).await.unwrap();
        stream
            .write_all(format!("GET {url} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes())
            .await
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

/// An address that nobody has.
fn free() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], free_port()))
}

/// What a browser server has before its drivers: it adds what its own browsers need (as root, that they have no sandbox), and
/// knows how often it was told to end a session.
async fn server(driver: u16, ended: Arc<Mutex<usize>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let ended = Arc::clone(&ended);
            // Whoever leaves in the middle has nothing to be told.
            tokio::spawn(async move { pass_on(stream, driver, &ended).await.ok() });
        }
    });
    address
}

async fn pass_on(mut client: TcpStream, driver: u16, ended: &Mutex<usize>) -> std::io::Result<()> {
    let mut asked = Vec::new();
    let (head, body) = loop {
        if client.read_buf(&mut asked).await? == 0 {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&asked);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok()
        });
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let first = head.lines().next().unwrap_or_default();
    if first.starts_with("DELETE /session/") && first.matches('/').count() == 3 {
        *ended.lock().unwrap() += 1;
    }
    let body = match rustix::process::geteuid().is_root() && first.starts_with("POST /session ") {
        true => body.replace("\"--headless=new\"", "\"--headless=new\",\"--no-sandbox\""),
        false => body,
    };
    let head = format!(
        "{first}\r\nHost: 127.0.0.1:{driver}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}",
        body.len()
    );
    let mut driver = TcpStream::connect(("127.0.0.1", driver)).await?;
    driver.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await?;
    tokio::io::copy(&mut driver, &mut client).await.map(drop)
}

#[tokio::test]
async fn a_browser_elsewhere_reaches_pages_by_our_proxy_and_nothing_inside() {
    let sink = Sink::start().await;
    let page = format!("<p>seen from elsewhere<img src='http://{}/picture'>", sink.address);
    let site = Site::start(move |_| Page::html(&page)).await;
    let remote = Remote::start(&site).await;
    let seen = remote.eyes.look(look(site.url("/"))).await.unwrap();
    assert_eq!(seen.text, "seen from elsewhere");
    let wanted = format!("the page wanted {}, which is refused", sink.address);
    assert_eq!((seen.remarks, sink.arrived()), (vec![wanted], 0));
    eventually("its session is ended", async || *remote.ended.lock().unwrap() == 1).await;
    eventually("its browser is gone", async || living(remote.driver.id()).is_empty()).await;
    // The proxy is there for a look alone.
    TcpStream::connect(remote.proxy).await.unwrap_err();
}

#[tokio::test]
async fn while_a_look_lasts_nobody_without_the_token_is_served() {
    let site = Site::start(|_| Page::html("hi")).await;
    let remote = Remote::start(&site).await;
    let strangers = async {
        eventually("the page is asked for", async || site.asked("/slow") > 0).await;
        let page = remote.stranger(site.url("/secret").as_str()).await;
        let token = format!("http://{}.safeclaw.invalid/", "0".repeat(32));
        let answers = [page, remote.stranger(&token).await];
        site.open();
        answers
    };
    let (seen, answers) = tokio::join!(remote.eyes.look(look(site.url("/slow"))), strangers);
    assert_eq!(seen.unwrap().text, "hi");
    for answer in answers {
        assert!(answer.starts_with("HTTP/1.1 407"), "{answer}");
    }
    assert_eq!(site.asked("/secret"), 0);
}

#[tokio::test]
async fn a_browser_elsewhere_that_is_held_up_is_given_up_and_ended() {
    let site = Site::start(|path| match path {
        "/dead" => Page::html("<p>x<script>addEventListener('load', () => setTimeout(() => { while (true); }, 120))</script>"),
        _ => Page::html("<p>fine"),
    })
    .await;
    let remote = Remote::start(&site).await;
    let limit = Duration::from_secs(5);
    let error = remote.eyes.look(Look { limit, ..look(site.url("/dead")) }).await.unwrap_err();
    assert!(matches!(error, LookError::Slow(..) | LookError::Page(..)), "{error}");
    eventually("the server is told to end it", async || *remote.ended.lock().unwrap() >= 1).await;
    assert_eq!(remote.eyes.look(look(site.url("/"))).await.unwrap().text, "fine");
}

#[tokio::test]
async fn a_browser_that_does_not_reach_the_proxy_says_which_setting_is_wrong() {
    let site = Site::start(|_| Page::html("hi")).await;
    let mut remote = Remote::start(&site).await;
    let (bound, reached) = (free(), free());
    let network = Network::new(&[site.address.to_string()]).unwrap();
    let network =
        network.remote(Some(&bound.to_string()), Some(&reached.to_string()), false).unwrap();
    let address = server_of(&remote.eyes);
    remote.eyes = Eyes::new(Place::Remote(address), network);
    let error = remote.eyes.look(look(site.url("/"))).await.unwrap_err().to_string();
    assert!(error.contains(&format!("{reached} (browser.proxy_bind)")), "{error}");
    assert_eq!(site.asked("/"), 0);
}

/// Where eyes have their browser, by their own words.
fn server_of(eyes: &Eyes) -> url::Url {
    let words = eyes.in_words();
    let (address, _) = words.strip_prefix("the one at ").unwrap().split_once(';').unwrap();
    address.parse().unwrap()
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let endless = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 16 * 1024]).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000000000\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut sent, part) = (0_usize, vec![b' '; 1024 * 1024]);
        while stream.write_all(&part).await.is_ok() {
            sent += part.len();
        }
        sent
    });
    let network = Network::new(&[]).unwrap().remote(None, None, true).unwrap();
    let eyes = Eyes::new(Place::Remote(address.parse().unwrap()), network);
    let error = eyes.look(look("http://example.com/".parse().unwrap())).await.unwrap_err();
    assert!(matches!(error, LookError::Browser(_)), "{error}");
    assert!(endless.await.unwrap() < 128 * 1024 * 1024);
}
