//! A home whose window is open, and its owner in front of a browser.

use std::fs::{Permissions, set_permissions};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use fantoccini::Client;
use testkit::page::{click, see};
use testkit::{Chat, TempHome, wait_until};

pub(crate) const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// Far more than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// A home whose window may have any port, with skills that ring a bell elsewhere, wipe something, and take their time.
pub(crate) fn home() -> TempHome {
    let home = TempHome::new();
    home.put("router/config.json", "{\"window\": \"127.0.0.2:0\"}");
    for (name, does, more, program) in [
        (
            "ring",
            "Ring somebody's bell.",
            "effect = \"external\"\n[params]\nwho = { type = \"string\", text = true }",
            "echo '{}'",
        ),
        ("wipe", "Wipe the disk.", "effect = \"irreversible\"", "touch \"$PWD/x\"; echo '{}'"),
        ("fail", "Fail.", "effect = \"none\"", "echo '<img src=x onerror=alert(1)>' >&2; exit 3"),
        ("sleep", "Take a minute.", "effect = \"local\"\ntimeout = \"60s\"", "sleep 55; echo '{}'"),
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
    home
}

pub(crate) fn chat(home: &TempHome) -> Chat {
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    chat
}

/// What the owner is told at the command line.
pub(crate) fn told(home: &TempHome, words: &[&str]) -> String {
    let mut command = Command::new(SAFECLAW);
    let output =
        command.args(words).arg("--home").arg(home.root()).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A link into the window, once the router shows it.
pub(crate) fn link(home: &TempHome) -> String {
    wait_until("the window's key", || home.router_state().join("window.key").exists());
    told(home, &["router", "window"]).lines().next().unwrap().to_owned()
}

/// Where the window listens.
pub(crate) fn host(link: &str) -> String {
    link.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned()
}

/// Opens the window with a new link.
pub(crate) async fn open(client: &Client, home: &TempHome) -> String {
    let link = link(home);
    client.goto(&link).await.unwrap();
    click(client, "#door button").await;
    see(client, "#standing", "Everything goes on").await;
    link
}

/// Sends a request as it is, and gives the whole answer.
pub(crate) fn raw(host: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // Whoever is shut out may be cut off.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}
