//! `start_router queue` on a real Redis, with real routers: what it tells is what is there, and what it changes
//! loses nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use redis::Commands;
use serde_json::{Value, json};
use testkit::{
    Chat, RedisCluster, RedisServer, RedisSetup, TempHome, Terminal, wait_until, wait_until_runs,
};

mod change;
mod look;

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");
const QUEUE: &str = "safeclaw:command_queue";
const LETTERS: &str = "{safeclaw:command_queue}:dlq";

/// A Redis with the home of those who use it.
struct House {
    server: RedisServer,
    home: TempHome,
    redis: redis::Connection,
}

/// What a command line printed, and how it ended.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl House {
    fn new() -> Self {
        Self::on(RedisServer::start())
    }

    fn on(server: RedisServer) -> Self {
        let redis = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
        Self { server, home: TempHome::greeting(), redis }
    }

    fn router(&self) -> Chat {
        let router = Chat::start(
            SAFECLAW,
            &["router"],
            self.home.root(),
            &[("REDIS_URL", &self.server.url())],
        );
        router.expect_on_stderr("serving safeclaw:command_queue");
        router
    }

    fn queue(&self, args: &[&str]) -> Ended {
        queue(&self.home, &[("REDIS_URL", &self.server.url())], args)
    }

    /// What a command that ends well prints.
    fn words(&self, args: &[&str]) -> String {
        let ended = self.queue(args);
        assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
        ended.stdout
    }

    /// The same as a document.
    fn json(&self, args: &[&str]) -> Value {
        let words = self.words(&[args, &["--json"]].concat());
        serde_json::from_str(&words).unwrap_or_else(|error| panic!("{error}: {words}"))
    }

    /// Why a command came to nothing.
    fn refusal(&self, args: &[&str]) -> String {
        let ended = self.queue(args);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{args:?}: {ended:?}");
        ended.stderr
    }

    fn push(&mut self, command: &Value) {
        let () = self.redis.lpush(QUEUE, command.to_string()).unwrap();
    }

    fn push_to(&mut self, lane: &str, command: &Value) {
        let key = format!("{{{QUEUE}}}:q:{lane}");
        let () = self.redis.lpush(key, command.to_string()).unwrap();
    }

    /// Leaves a dead letter as a router would.
    fn bury(&mut self, reason: &str, attempts: u32, id: Option<&str>, raw: &str) {
        let mut letter = json!({"reason": reason, "message": "why", "at": self.now(), "attempts": attempts, "router": "r-1"});
        if let Some(id) = id {
            letter["message_id"] = json!(id);
            letter["action"] = json!("HELLO_WORLD");
        }
        letter["raw"] = json!(raw);
        let () = self.redis.lpush(LETTERS, letter.to_string()).unwrap();
    }

    fn state(&mut self, id: &str) -> Option<String> {
        self.redis.get(format!("{{{QUEUE}}}:command:{id}")).unwrap()
    }

    fn now(&mut self) -> u64 {
        let (seconds, micros): (u64, u64) = redis::cmd("TIME").query(&mut self.redis).unwrap();
        seconds * 1_000 + micros / 1_000
    }

    fn reply(&mut self, id: &str) -> Value {
        let key = format!("safeclaw:response:{id}");
        let (_, reply): (String, String) = self.redis.blpop(key, 60.0).unwrap();
        serde_json::from_str(&reply).unwrap()
    }

    /// What stands in the command line of the skill SLOW.
    fn runs(&self) -> String {
        format!("sleep 60; true {}", self.home.root().display())
    }

    /// A skill SLOW that is not idempotent.
    fn drop_slow_skill(&self) {
        self.home.put(
            "router/skills/slow/skill.toml",
            "name = \"SLOW\"\ninstruction = \"Test.\"\neffect = \"local\"\nidempotent = false\n\
            timeout = \"60s\"\ncommand = [\"./run\"]\n",
        );
        let script = format!("#!/bin/sh\nsh -c '{}'\necho '{{}}'\n", self.runs());
        self.home.put("router/skills/slow/run", script);
        let run = self.home.router_skills().join("slow/run");
        fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn queue(home: &TempHome, variables: &[(&str, &str)], args: &[&str]) -> Ended {
    let args = [&["router", "queue"], args].concat();
    let mut chat = Chat::start(SAFECLAW, &args, home.root(), variables);
    let code = chat.end().code();
    Ended { code, stdout: chat.stdout(), stderr: chat.stderr() }
}

fn hello(id: &str) -> Value {
    json!({"message_id": id, "action": "HELLO_WORLD", "params": {"name": "Ann"}})
}
