//! Files and settings that are broken, missing, too large or can't be written: each gets a clear message,
//! nothing is lost, and the chat goes on.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

mod commands;
mod disk;
mod documents;
mod homes;
mod model;
mod settings;
mod template;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::{Chat, OllamaServer, Says, TempHome, Terminal};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn chat(home: &TempHome) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), &[])
}

/// A chat that has started, in a mount namespace of its own in which `mounts` was done before. It is the
/// same for root, whom permissions don't stop, and for an ordinary user.
fn chat_where(home: &TempHome, mounts: &str) -> Chat {
    let script = format!("set -e; {mounts}; exec \"$@\"");
    let alone = ["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh", SAFECLAW];
    Chat::start("unshare", &alone, home.root(), &[])
}

/// Runs a command of the agent with these lines on stdin, to its end.
fn agent(home: &TempHome, args: &[&str], stdin: &str, variables: &[(&str, &str)]) -> (Chat, bool) {
    let args: Vec<&str> = ["agent"].into_iter().chain(args.iter().copied()).collect();
    let mut chat = Chat::start(SAFECLAW, &args, home.root(), variables);
    stdin.lines().for_each(|line| chat.say(line));
    let ended = chat.end();
    (chat, ended.success())
}

/// Waits until nothing of the turn is still to be written: a command is answered after it.
fn finish_turn(chat: &mut Chat) {
    chat.ask("/status", "workspace:");
}

fn json_in(home: &TempHome, path: &str) -> Value {
    serde_json::from_str(&home.text(path)).unwrap()
}

/// The files that were set aside for `name` in the workspace.
fn set_aside(home: &TempHome, name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.workspace()).unwrap().map(|entry| entry.unwrap().path());
    let start = home.workspace().join(format!("{name}.broken-"));
    entries.filter(|path| path.to_string_lossy().starts_with(&*start.to_string_lossy())).collect()
}
