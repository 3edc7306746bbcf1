//! A Redis that the attacker can write to.

use std::collections::BTreeMap;

use redis::{Commands, Connection, Value};
use testkit::{RedisServer, wait_until};

const QUEUE: &str = "safeclaw:command_queue";

/// How long a reply may take, in seconds.
const PATIENCE: f64 = 20.0;

/// The queue of one house.
pub(crate) struct Queue {
    server: RedisServer,
}

impl Queue {
    pub(crate) fn start() -> Self {
        Self { server: RedisServer::start() }
    }

    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    fn connect(&self) -> Connection {
        redis::Client::open(self.server.url()).unwrap().get_connection().unwrap()
    }

    /// Gives a command; what it answers is nobody's business.
    pub(crate) fn tell(&self, words: &[String]) {
        let mut command = redis::cmd(&words[0]);
        words[1..].iter().for_each(|word| {
            command.arg(word);
        });
        let _: Value = command.query(&mut self.connect()).unwrap();
    }

    /// The oldest command, once there is one, and its id.
    pub(crate) fn command(&self, take: bool) -> (String, String) {
        let mut redis = self.connect();
        let mut found: Option<String> = None;
        wait_until("a command is on the queue", || {
            for lane in ["{safeclaw:command_queue}:q:hi", QUEUE, "{safeclaw:command_queue}:q:lo"] {
                found = match take {
                    true => redis.rpop(lane, None).unwrap(),
                    false => redis.lindex(lane, -1).unwrap(),
                };
                if found.is_some() {
                    break;
                }
            }
            found.is_some()
        });
        let command = found.unwrap();
        let read: serde_json::Value = serde_json::from_str(&command).unwrap();
        let id = read["message_id"].as_str().unwrap().to_owned();
        (command, id)
    }

    /// The reply that comes to `key`; empty when none comes.
    pub(crate) fn reply(&self, key: &str) -> String {
        let reply: Option<(String, String)> = self.connect().blpop(key, PATIENCE).unwrap();
        reply.map(|(_, reply)| reply).unwrap_or_default()
    }

    /// Every key with what it holds.
    pub(crate) fn all(&self) -> BTreeMap<String, String> {
        let mut redis = self.connect();
        let keys: Vec<String> = redis.keys("*").unwrap();
        let held = |redis: &mut Connection, key: &str| {
            let kind: String = redis::cmd("TYPE").arg(key).query(redis).unwrap();
            let words: &[&str] = match kind.as_str() {
                "list" => &["LRANGE", key, "0", "-1"],
                "hash" => &["HGETALL", key],
                "zset" => &["ZRANGE", key, "0", "-1"],
                "set" => &["SMEMBERS", key],
                _ => &["GET", key],
            };
            let mut command = redis::cmd(words[0]);
            words[1..].iter().for_each(|word| {
                command.arg(*word);
            });
            let value: Value = command.query(redis).unwrap();
            text(&value)
        };
        keys.into_iter().map(|key| (key.clone(), held(&mut redis, &key))).collect()
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::SimpleString(text) => text.clone(),
        Value::Array(list) | Value::Set(list) => {
            list.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| format!("{} {}", text(key), text(value)))
            .collect::<Vec<_>>()
            .join("\n"),
        other => format!("{other:?}"),
    }
}
