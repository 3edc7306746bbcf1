//! The real program with its page, and three minds on model servers of two providers.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};

use fantoccini::Client;
use serde_json::json;
use testkit::page::click;
use testkit::{Chat, OllamaServer, Says, TempHome, json_server};

use crate::{FORGED, SAFECLAW, TOKEN, see};

/// A gate that a model waits at.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<usize>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self, times: usize) {
        *self.0.0.lock().unwrap() += times;
        self.0.1.notify_all();
    }

    pub(crate) fn pass(&self) {
        let waits = self.0.0.lock().unwrap();
        let mut left = self.0.1.wait_while(waits, |left| *left == 0).unwrap();
        *left -= 1;
    }
}

pub(crate) struct House {
    pub(crate) home: TempHome,
    pub(crate) port: u16,
    pub(crate) gate: Gate,
    _chat: Chat,
    _ollama: OllamaServer,
}

impl House {
    /// Ann and Bob think on two servers with OpenAI's API, Cid on Ollama's, who waits at a gate.
    pub(crate) fn start() -> Self {
        let home = TempHome::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let listen = format!("127.0.0.1:{port}");
        home.put("agent/config.json", json!({"http": {"listen": listen}}).to_string());
        home.put(".env", format!("SAFECLAW_HTTP_TOKEN={TOKEN}\n"));
        std::fs::set_permissions(home.env_file(), std::fs::Permissions::from_mode(0o600)).unwrap();
        for (name, words) in [("Ann", FORGED), ("Bob", "It needs *wind*.")] {
            let (port, _) = json_server(move |request| match request.path() {
                path if path.ends_with("chat/completions") => {
                    let choice =
                        json!({"index": 0, "delta": {"content": words}, "finish_reason": "stop"});
                    format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [choice]}))
                }
                _ => json!({"data": [{"id": "m"}]}).to_string(),
            });
            let file = format!(
                "<aistorm type=\"OpenAI\" model=\"m@http://127.0.0.1:{port}/v1\" />\n\nYou are {name}.\n"
            );
            home.put(format!("workspace/personas/{name}.md"), file);
        }
        let gate = Gate::default();
        let waits = gate.clone();
        let says: Arc<dyn Fn(&str) -> String + Send + Sync> = Arc::new(move |_: &str| {
            waits.pass();
            "What does it cost?".to_owned()
        });
        let ollama = OllamaServer::start((0..20).map(|_| Says::Made(Arc::clone(&says))));
        let chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &ollama.host())]);
        Self { home, port, gate, _chat: chat, _ollama: ollama }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// A link that signs a browser in.
    pub(crate) fn link(&self) -> String {
        let mut command = Command::new(SAFECLAW);
        command.args(["agent", "web", "--home"]).arg(self.home.root()).stdin(Stdio::null());
        let told = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let at = told.find("http://127.0.0.1").unwrap_or_else(|| panic!("no link in {told}"));
        told[at..].split_whitespace().next().unwrap().to_owned()
    }

    /// Does what is said behind `safeclaw storm`.
    pub(crate) fn storm(&self, args: &[&str]) {
        let mut command = Command::new(SAFECLAW);
        command.arg("storm").args(args).arg("--home").arg(self.home.root()).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) async fn sign_in(&self, client: &Client) {
        let link = self.link();
        testkit::wait_until("the page is served", || {
            std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
        client.goto(&link).await.unwrap();
        click(client, "button.main").await;
        see(client, "#standing", "Model").await;
    }
}
