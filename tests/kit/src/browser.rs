//! A real browser: one driver for all tests that run at the same time, and a session for each.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use fantoccini::wd::Capabilities;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use futures::FutureExt;
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::Semaphore;
use url::{ParseError, Url};

/// A browser is four processes, and most machines have few processors.
static SEATS: Semaphore = Semaphore::const_new(2);
/// The driver lives as long as a test wants it, so that none is left when the last one ends.
static DRIVER: Mutex<Weak<Driver>> = Mutex::new(Weak::new());

/// How many drivers are started before a test gives up.
const TRIES: u8 = 8;

/// A driver of browsers, with a temporary folder as its home. It and its browsers end when it is dropped.
#[derive(Debug)]
pub struct Driver {
    process: Child,
    port: u16,
    _folder: TempDir,
}

/// Does something with a session of its own, which is closed whatever becomes of it.
///
/// # Panics
/// When there is no browser, and with whatever `work` panics.
pub async fn with_browser<T>(work: impl AsyncFnOnce(&Client) -> T) -> T {
    let driver = Driver::shared();
    let _seat = SEATS.acquire().await.unwrap();
    let client = driver.session().await;
    let done = AssertUnwindSafe(work(&client)).catch_unwind().await;
    close(client).await;
    done.unwrap_or_else(|panic| resume_unwind(panic))
}

/// A session whose page holds the browser's only thread does not answer any more: then its process is ended.
async fn close(client: Client) {
    let process = client.capabilities().and_then(|all| all.get("goog:processID")?.as_i64());
    let closed = tokio::time::timeout(Duration::from_secs(5), client.close()).await;
    let pid = process.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    if let (Err(_), Some(pid)) = (closed, pid) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

impl Driver {
    fn shared() -> Arc<Self> {
        let mut shared = DRIVER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(driver) = shared.upgrade() {
            return driver;
        }
        let driver = Arc::new(Self::start());
        *shared = Arc::downgrade(&driver);
        driver
    }

    /// Starts a driver. It asks the system for a free port of IPv4 and wants the same one of IPv6, which may not be free:
    /// then it ends at once, and is started again.
    ///
    /// # Panics
    /// When there is none, with what has to be installed. When every try ends early, with what the last one printed.
    pub fn start() -> Self {
        let mut said = String::new();
        for _ in 0..TRIES {
            match Self::attempt() {
                Ok(driver) => return driver,
                Err(printed) => said = printed,
            }
        }
        panic!("chromedriver ended before it said on which port it listens: {said}");
    }

    /// Starts one, or says what it printed instead of its port.
    fn attempt() -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new("chromedriver")
            .args(["--port=0"])
            .envs(["HOME", "TMPDIR"].map(|name| (name, folder.path())))
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is missing; run: apt-get install chromium chromium-driver");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut said = Vec::new();
        for line in lines.map_while(Result::ok) {
            if let Some(port) = port_in(&line) {
                return Ok(Self { process, port, _folder: folder });
            }
            said.push(line);
        }
        Err(format!("{} ({})", said.join(" / "), process.wait().unwrap()))
    }

    /// Where it listens, on 127.0.0.1.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Its process, which leads a group of its own.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    async fn session(&self) -> Client {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities());
        let opened = builder.connect(&format!("http://127.0.0.1:{}", self.port)).await;
        opened.expect("no browser; run: apt-get install chromium chromium-driver")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let group = i32::try_from(self.process.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

/// `ChromeDriver was started successfully on port 41234.`
fn port_in(line: &str) -> Option<u16> {
    let (_, port) = line.split_once("successfully on port ")?;
    port.trim_end_matches('.').parse().ok()
}

fn capabilities() -> Capabilities {
    let mut args = vec![
        "--headless=new",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,900",
    ];
    if rustix::process::geteuid().is_root() {
        args.push("--no-sandbox");
    }
    let all = json!({
        "browserName": "chrome",
        "pageLoadStrategy": "normal",
        "unhandledPromptBehavior": "dismiss",
        "timeouts": { "implicit": 0, "pageLoad": 20_000, "script": 10_000 },
        "goog:chromeOptions": { "args": args },
        "goog:loggingPrefs": { "browser": "ALL" },
    });
    serde_json::from_value(all).unwrap()
}

/// One command of the DevTools protocol (<https://chromedevtools.github.io/devtools-protocol/>).
#[derive(Debug)]
struct Cdp {
    name: &'static str,
    params: Value,
}

/// What the page has said on its console, which the browser gives away once.
#[derive(Debug)]
struct Console;

impl WebDriverCompatibleCommand for Console {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// What the browser has complained of since it was asked last: errors of scripts, and whatever the page's policy for content kept
/// away.
///
/// # Panics
/// When the browser refuses.
pub async fn complaints(client: &Client) -> Vec<String> {
    let said = client.issue_cmd(Console).await.unwrap();
    let said = said.as_array().cloned().unwrap_or_default().into_iter();
    let bad = said.filter(|one| one["level"] == "SEVERE" || one["source"] == "security");
    bad.map(|one| one["message"].to_string()).collect()
}

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.name, "params": self.params });
        (Method::POST, Some(body.to_string()))
    }
}

/// Has the page of `client` stand on a screen of this width and height, in pixels, in a dark or a light theme.
///
/// # Panics
/// When the browser refuses.
pub async fn show_as(client: &Client, (width, height): (u32, u32), is_dark: bool) {
    let size = json!({
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
    });
    let theme =
        json!({"name": "prefers-color-scheme", "value": if is_dark { "dark" } else { "light" }});
    for (name, params) in [
        ("Emulation.setDeviceMetricsOverride", size),
        ("Emulation.setEmulatedMedia", json!({ "features": [theme] })),
    ] {
        client.issue_cmd(Cdp { name, params }).await.unwrap();
    }
}

/// Has the browser of `client` forget every file that it has loaded; whoever is signed in stays so.
///
/// # Panics
/// When it refuses.
pub async fn forget_files(client: &Client) {
    client.issue_cmd(Cdp { name: "Network.clearBrowserCache", params: json!({}) }).await.unwrap();
}

/// Has `script` run in each page of `client` before the page's own, from the next page on.
///
/// # Panics
/// When the browser refuses.
pub async fn runs_first(client: &Client, script: &str) {
    let params = json!({ "source": script });
    let name = "Page.addScriptToEvaluateOnNewDocument";
    client.issue_cmd(Cdp { name, params }).await.unwrap();
}

/// Has the browser of `client` ask for these languages, such as `de-AT,de`.
///
/// # Panics
/// When it refuses.
pub async fn reads(client: &Client, languages: &str) {
    let agent = client.execute("return navigator.userAgent", Vec::new()).await.unwrap();
    let params = json!({ "userAgent": agent, "acceptLanguage": languages });
    client.issue_cmd(Cdp { name: "Emulation.setUserAgentOverride", params }).await.unwrap();
}

/// What axe-core finds serious or critical on the page of `client`: the rule, and the elements. `cargo xtask setup` gets it.
///
/// # Panics
/// When it is not there, or can't run.
pub async fn serious_findings(client: &Client) -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/axe/package/axe.min.js");
    let axe = std::fs::read_to_string(path)
        .unwrap_or_else(|error| panic!("{path}: {error}; run: cargo xtask setup"));
    // The driver's scripts are no part of the page, so that its policy for content does not hold for them.
    client.execute(&axe, Vec::new()).await.unwrap();
    let run = "const done = arguments[0];
        axe.run(document).then((found) => done(found.violations), (error) => done([{ id: String(error), impact: 'critical', nodes: [] }]));";
    let found = client.execute_async(run, Vec::new()).await.unwrap();
    let all = found.as_array().cloned().unwrap_or_default().into_iter();
    let serious = all.filter(|one| one["impact"] == "serious" || one["impact"] == "critical");
    serious
        .map(|one| {
            let nodes = one["nodes"].as_array().cloned().unwrap_or_default();
            let nodes: Vec<String> = nodes.iter().map(|node| node["html"].to_string()).collect();
            format!("{}: {}: {}", one["id"], one["help"], nodes.join(", "))
        })
        .collect()
}
