//! One driver for all tests that run at the same time, and a session for each.
#![allow(clippy::disallowed_types, reason = "the driver is a process")]

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder};
use futures::FutureExt;
use hyper_util::client::legacy::connect::HttpConnector;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// A browser is four processes, and most machines have few processors.
static SEATS: Semaphore = Semaphore::const_new(2);
/// The driver lives as long as a test wants it, so that none is left when the last one ends.
static DRIVER: Mutex<Weak<Driver>> = Mutex::new(Weak::new());

struct Driver {
    process: Child,
    address: String,
    _folder: TempDir,
}

/// Does something with a session of its own, which is closed whatever becomes of it.
pub(crate) async fn with_browser<T>(work: impl AsyncFnOnce(&Client) -> T) -> T {
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

    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new("chromedriver")
            .args(["--port=0"])
            .env("TMPDIR", folder.path())
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is missing; run: apt-get install chromium chromium-driver");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| port_in(&line));
        let port = port.expect("chromedriver says on which port it listens");
        Self { process, address: format!("http://127.0.0.1:{port}"), _folder: folder }
    }

    async fn session(&self) -> Client {
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities());
        let opened = builder.connect(&self.address).await;
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
    });
    serde_json::from_value(all).unwrap()
}
