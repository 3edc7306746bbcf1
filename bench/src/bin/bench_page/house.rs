//! A home with its page and its window, and its programs at work.
#![expect(clippy::disallowed_types, reason = "what is measured is a process")]

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use fantoccini::Client;
use serde_json::json;
use testkit::page::{click, see};
use testkit::{Chat, OllamaServer, Says, TempHome, wait_until};

const TOKEN: &str = "5cd7b3b0a1f24f6ca2a4d7a35cbf4f10";

/// Whether the router's window is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    On,
    Off,
}

/// A home at work. Its programs end when it is dropped.
pub(crate) struct House {
    program: PathBuf,
    home: TempHome,
    port: u16,
    chat: Chat,
    _model: OllamaServer,
}

impl House {
    /// Starts the `safeclaw` that stands beside this program in a home of its own, and waits until it answers.
    pub(crate) fn start(window: Window) -> Result<Self> {
        let program = std::env::current_exe()?.with_file_name("safeclaw");
        let home = TempHome::new();
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let settings = json!({
            "llm": {"provider": "ollama", "model": "llama3.1:8B"},
            "http": {"listen": format!("127.0.0.1:{port}")},
        });
        home.put("agent/config.json", settings.to_string());
        home.put(".env", format!("SAFECLAW_HTTP_TOKEN={TOKEN}\n"));
        std::fs::set_permissions(home.env_file(), Permissions::from_mode(0o600))?;
        if window == Window::On {
            home.put("router/config.json", r#"{"window": "127.0.0.2:0"}"#);
        }
        let model = OllamaServer::tireless(Says::text("Quite well, thank you."));
        let name = program.to_str().context("a path that is no text")?;
        let address = model.host();
        let mut chat = Chat::start(name, &[], home.root(), &[("OLLAMA_HOST", &address)]);
        chat.ask("/status", "workspace:");
        wait_until("the page is served", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Ok(Self { program, home, port, chat, _model: model })
    }

    /// The agent's process.
    pub(crate) fn agent(&self) -> u32 {
        self.chat.pid()
    }

    /// The router's process.
    pub(crate) fn router(&self) -> u32 {
        self.chat.router()
    }

    /// Says something in a session, as a program does, and waits for the answer.
    pub(crate) fn says(&self, session: &str, text: &str) -> Result<()> {
        let body = json!({"session": session, "text": text}).to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        write!(
            stream,
            "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nauthorization: Bearer {TOKEN}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        Ok(())
    }

    /// Where the page is.
    pub(crate) fn page(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Where the window is.
    pub(crate) fn window(&self) -> Result<String> {
        let link = told(&self.program, &["router", "window"], self.home.root())?;
        let end = link.match_indices('/').nth(2).context("a link without a path")?.0;
        Ok(link[..=end].to_owned())
    }

    /// Signs the browser in on the page.
    pub(crate) async fn enter_page(&self, client: &Client) -> Result<()> {
        client.goto(&told(&self.program, &["agent", "web"], self.home.root())?).await?;
        click(client, "form button").await;
        see(client, "#standing", "Model: ").await;
        Ok(())
    }

    /// Opens the window in the browser.
    pub(crate) async fn enter_window(&self, client: &Client) -> Result<()> {
        client.goto(&told(&self.program, &["router", "window"], self.home.root())?).await?;
        click(client, "#door button").await;
        see(client, "#standing", "Everything goes on").await;
        Ok(())
    }
}

/// The link that the command line gives.
fn told(program: &Path, words: &[&str], home: &Path) -> Result<String> {
    let mut command = Command::new(program);
    let output = command.args(words).arg("--home").arg(home).stdin(Stdio::null()).output()?;
    let said = String::from_utf8(output.stdout)?;
    let link = said.split_whitespace().find(|word| word.starts_with("http://"));
    Ok(link.with_context(|| format!("no link in {said:?}"))?.to_owned())
}
