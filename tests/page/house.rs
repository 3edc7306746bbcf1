//! A home with its page, its model, and its owner in front of a browser.

use std::fs::{Permissions, set_permissions};
use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use fantoccini::Client;
use serde_json::json;
use testkit::page::{click, see};
use testkit::{Chat, OllamaServer, Says, TempHome, free_port, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

pub(crate) const TOKEN: &str = "5cd7b3b0a1f24f6ca2a4d7a35cbf4f10";

pub(crate) struct House {
    pub(crate) home: TempHome,
    pub(crate) port: u16,
    pub(crate) model: OllamaServer,
    pub(crate) chat: Chat,
}

/// Sets the owner's PIN.
pub(crate) fn set_pin(home: &TempHome, pin: &str) {
    let mut command = Command::new(SAFECLAW);
    command.args(["router", "pin", "set", "--home"]).arg(home.root());
    let mut set = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    set.stdin.take().unwrap().write_all(format!("{pin}\n").as_bytes()).unwrap();
    assert!(set.wait().unwrap().success());
}

impl House {
    /// A house whose model answers so, one answer a prompt.
    pub(crate) fn start(answers: impl IntoIterator<Item = Says>) -> Self {
        Self::start_in(TempHome::new(), answers)
    }

    /// The same in a home where something stands already.
    pub(crate) fn start_in(home: TempHome, answers: impl IntoIterator<Item = Says>) -> Self {
        let port = free_port();
        let settings = json!({
            "llm": {"provider": "ollama", "model": "llama3.1:8B"},
            "http": {"listen": format!("127.0.0.1:{port}")},
        });
        home.put("agent/config.json", settings.to_string());
        home.put(".env", format!("SAFECLAW_HTTP_TOKEN={TOKEN}\n"));
        set_permissions(home.env_file(), Permissions::from_mode(0o600)).unwrap();
        skills(&home);
        let model = OllamaServer::start(answers);
        let address = model.host();
        let chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &address)]);
        wait_until("the page is served", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { home, port, model, chat }
    }

    /// A link that signs in.
    pub(crate) fn link(&self) -> String {
        let mut command = Command::new(SAFECLAW);
        command.args(["agent", "web", "--home"]).arg(self.home.root()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let link = said.split_whitespace().find(|word| word.starts_with("http://127.0.0.1"));
        link.unwrap_or_else(|| panic!("no link in {said}")).to_owned()
    }

    /// Signs every browser out, as at the command line.
    pub(crate) fn revoke(&self) {
        let mut command = Command::new(SAFECLAW);
        command.args(["agent", "web", "sessions", "revoke", "all", "--home"]).arg(self.home.root());
        assert!(command.stdin(Stdio::null()).output().unwrap().status.success());
    }

    /// Signs a browser in by its link and its button.
    pub(crate) async fn sign_in(&self, client: &Client) {
        client.goto(&self.link()).await.unwrap();
        click(client, "form button").await;
        see(client, "#standing", "Model: ").await;
    }
}

fn skills(home: &TempHome) {
    for (name, does, more, program) in [
        (
            "ring",
            "Ring somebody's bell.",
            "effect = \"external\"\n[params]\nwho = { type = \"string\", text = true }",
            "echo '{\"rung\": true}'",
        ),
        ("wipe", "Wipe the disk.", "effect = \"irreversible\"", "echo '{}'"),
        ("broken", "Break.", "effect = \"none\"", "exit 1"),
        (
            "evil",
            "Say what others wrote.",
            "effect = \"none\"\nreads = \"public\"\nsummary = \"{text}\"",
            "echo '{\"text\": \"<img src=x onerror=alert(1)>\"}'",
        ),
    ] {
        let folder = format!("router/skills/{name}");
        let manifest = format!(
            "name = {:?}\ninstruction = {does:?}\ncommand = [\"./run\"]\n{more}\n",
            name.to_ascii_uppercase()
        );
        home.put(format!("{folder}/skill.toml"), manifest);
        home.put(format!("{folder}/run"), format!("#!/bin/sh\n{program}\n"));
        let program = home.router_skills().join(name).join("run");
        set_permissions(program, Permissions::from_mode(0o755)).unwrap();
    }
}

/// An answer that calls an action.
pub(crate) fn call(action: &str, params: &serde_json::Value) -> Says {
    Says::text(&format!("<tool_code>[{}]</tool_code>", json!({"name": action, "params": params})))
}
