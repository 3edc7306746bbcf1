//! Signed commands and replies between real processes: `start_router keys new`, the files that are refused, and the
//! users that `start_router redis-acl` prints, on a real Redis.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use redis::Commands;
use serde_json::{Value, json};
use testkit::{Chat, RedisServer, RedisSetup, TempHome, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");
const QUEUE: &str = "safeclaw:command_queue";

/// What `safeclaw router ...` printed in `home`: whether it went well, stdout, stderr.
fn run(home: &TempHome, variables: &[(&str, &str)], args: &[&str]) -> (bool, String, String) {
    let output = Command::new(SAFECLAW)
        .arg("router")
        .args(args)
        .env_clear()
        .env("HOME", home.root())
        .env("SAFECLAW_HOME", home.root())
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.success(), stdout, stderr)
}

/// A home with a key file, and that file.
fn keyed() -> (TempHome, PathBuf) {
    let home = TempHome::greeting();
    let (done, said, problem) = run(&home, &[], &["keys", "new"]);
    assert!(done, "{problem}");
    let path = home.root().join("safeclaw.keys");
    assert!(said.contains("SAFECLAW_KEY_FILE="), "{said}");
    (home, path)
}

fn start(part: &str, home: &TempHome, url: &str, keys: Option<&Path>) -> Chat {
    let keys = keys.map_or("", |path| path.to_str().unwrap());
    let variables = [("REDIS_URL", url), ("SAFECLAW_KEY_FILE", keys)];
    let process = Chat::start(SAFECLAW, &[part], home.root(), &variables);
    if part == "router" {
        process.expect_on_stderr("serving safeclaw:command_queue");
    }
    process
}

fn connect(url: &str) -> redis::Connection {
    redis::Client::open(url).unwrap().get_connection().unwrap()
}

#[test]
fn a_key_file_is_private_is_not_overwritten_and_grows_by_a_rotation() {
    let (home, path) = keyed();
    let first = fs::read_to_string(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let (done, _, problem) = run(&home, &[], &["keys", "new"]);
    assert!(!done && problem.contains("is there already, and nothing was changed"), "{problem}");
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    let (done, said, _) = run(&home, &[], &["keys", "new", "--rotate"]);
    let rotated = fs::read_to_string(&path).unwrap();
    assert!(done && said.contains("one more pair"), "{said}");
    assert!(
        rotated.starts_with(first.trim_end()) && rotated.matches("agent-to-router").count() == 2
    );
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let other = home.root().join("other");
    let (done, ..) = run(&home, &[], &["keys", "new", "--dir", other.to_str().unwrap()]);
    let second = fs::read_to_string(other.join("safeclaw.keys")).unwrap();
    assert!(done && second != first);
    // No key is said.
    let key = first.lines().find(|line| line.starts_with("agent-to-router")).unwrap();
    assert!(!said.contains(&key[16..]) && !problem.contains(&key[16..]));
}

#[test]
fn a_key_file_that_can_not_be_trusted_ends_both_at_once_with_what_to_do() {
    let server = RedisServer::start();
    let (home, path) = keyed();
    let whole = fs::read_to_string(&path).unwrap();
    let spoil = |text: &str, mode: u32| {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let half = &whole[..whole.len() - 9];
    for (text, mode, words) in [
        (Some(whole.as_str()), 0o640, "others can read it (mode 640); run: chmod 600"),
        (Some(half), 0o600, "is not a whole key file"),
        (Some("agent-to-router abcd\n"), 0o600, "64 hexadecimal digits"),
        (Some(""), 0o600, "it holds no key"),
        (None, 0o600, "router keys new` makes one"),
    ] {
        match text {
            Some(text) => spoil(text, mode),
            None => fs::remove_file(&path).unwrap(),
        }
        for part in ["agent", "router"] {
            let variables =
                [("REDIS_URL", server.url()), ("SAFECLAW_KEY_FILE", path.display().to_string())];
            let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
            let mut chat = Chat::start(SAFECLAW, &[part], home.root(), &variables);
            assert_eq!(chat.wait().code(), Some(1), "{part}: {words}");
            chat.expect_on_stderr(words);
        }
    }
    home.put("router/config.json", r#"{"queue": {"require_signature": true}}"#);
    let mut router =
        Chat::start(SAFECLAW, &["router"], home.root(), &[("REDIS_URL", &server.url())]);
    assert_eq!(router.wait().code(), Some(1));
    router
        .expect_on_stderr("require_signature is set in router/config.json, but SAFECLAW_KEY_FILE");
}

#[test]
fn a_chat_is_signed_both_ways_and_whoever_has_no_key_is_refused_by_choice() {
    let server = RedisServer::start();
    let (wall, path) = keyed();
    let mind = TempHome::greeting();
    let first = start("router", &wall, &server.url(), Some(&path));
    let mut redis = connect(&server.url());
    // Exactly what the first version's agent pushes.
    let mut ask = |id: &str| -> Value {
        let command = json!({"message_id": id, "action": "HELLO_WORLD", "params": {}});
        let () = redis.lpush(QUEUE, command.to_string()).unwrap();
        let (_, reply): (String, String) =
            redis.blpop(format!("safeclaw:response:{id}"), 30.0).unwrap();
        serde_json::from_str(&reply).unwrap()
    };
    let reply = ask("m-1");
    assert_eq!(reply["status"], "ok", "unsigned commands are served by default");
    assert_eq!(reply["mac"].as_str().unwrap().len(), 64);
    drop(first);
    wall.put("router/config.json", r#"{"queue": {"require_signature": true}}"#);
    let _router = start("router", &wall, &server.url(), Some(&path));
    assert_eq!(ask("m-2")["error"]["code"], "bad_signature");
    let mut agent = start("agent", &mind, &server.url(), Some(&path));
    agent.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    assert_eq!(agent.end().code(), Some(0));
    assert!(!mind.text("workspace/artifact.json").contains("mac"), "a mac is nobody's business");
    let stranger = TempHome::greeting();
    let mut unsigned = start("agent", &stranger, &server.url(), None);
    unsigned
        .ask("Say hello to Frankie.", "it is not signed, and this router takes signed commands");
}

/// A server with the users that are printed, and their addresses: agent and router.
fn guarded(home: &TempHome, variables: &[(&str, &str)]) -> (RedisServer, [String; 2]) {
    home.put("passwords/agent", "for the agent\n");
    home.put("passwords/router", "r0uter#secret\n");
    let [agent, router] = ["agent", "router"]
        .map(|user| home.root().join("passwords").join(user).display().to_string());
    let args = ["redis-acl", "--agent-password-file", &agent, "--router-password-file", &router];
    let (done, acl, problem) = run(home, variables, &args);
    assert!(done, "{problem}");
    assert!(!acl.contains("secret"), "passwords stand there as hashes: {acl}");
    home.put("users.acl", acl);
    let file = home.root().join("users.acl");
    let server = RedisSetup::default().line(&format!("aclfile {}", file.display())).start();
    let url = |login: &str| format!("redis://{login}@127.0.0.1:{}", server.port());
    let urls = [url("agent:for%20the%20agent"), url("router:r0uter%23secret")];
    (server, urls)
}

fn refused(redis: &mut redis::Connection, commands: &[&str]) {
    for words in commands {
        let mut words = words.split(' ');
        let mut command = redis::cmd(words.next().unwrap());
        words.for_each(|word| {
            command.arg(word);
        });
        match command.query::<redis::Value>(redis) {
            Err(error) => assert_eq!(error.code(), Some("NOPERM"), "{command:?}: {error}"),
            Ok(value) => panic!("{command:?} is allowed: {value:?}"),
        }
    }
}

/// What an agent's user must not be able to do.
const NOT_THE_AGENTS: [&str; 39] = [
    "LRANGE safeclaw:command_queue 0 -1",
    "RPOP safeclaw:command_queue",
    "BLPOP safeclaw:command_queue 1",
    "BLPOP {safeclaw:command_queue}:q:hi 1",
    "DEL safeclaw:command_queue",
    "LPUSH safeclaw:response:m9 {}",
    "RPUSH safeclaw:response:m9 {}",
    "LPUSH {safeclaw:command_queue}:events:owner {}",
    "RPUSH {safeclaw:command_queue}:events:owner {}",
    "SET {safeclaw:command_queue}:catalog {}",
    "LPUSH {safeclaw:command_queue}:q:again x",
    "LPUSH {safeclaw:command_queue}:q:stale x",
    "LPUSH {safeclaw:command_queue}:dlq x",
    "LLEN {safeclaw:command_queue}:dlq",
    "GET {safeclaw:command_queue}:command:m1",
    "GET {safeclaw:command_queue}:state:switch",
    "SET {safeclaw:command_queue}:state:switch x",
    "GET {safeclaw:command_queue}:wheel",
    "GET {safeclaw:command_queue}:looked",
    "HGETALL {safeclaw:command_queue}:work:r",
    "ZADD {safeclaw:command_queue}:routers 1 x",
    "LPUSH elsewhere x",
    "EVAL return(1) 0",
    "EVALSHA x 0",
    "SCRIPT FLUSH",
    "FUNCTION LIST",
    "KEYS *",
    "SCAN 0",
    "CONFIG GET *",
    "ACL LIST",
    "ACL WHOAMI",
    "INFO",
    "MONITOR",
    "CLIENT LIST",
    "SUBSCRIBE x",
    "PUBLISH x y",
    "FLUSHALL",
    "SHUTDOWN",
    "COPY safeclaw:command_queue safeclaw:response:x",
];

/// What a router's user need not be able to do.
const NOT_THE_ROUTERS: [&str; 11] = [
    "KEYS *",
    "CONFIG GET *",
    "FLUSHALL",
    "FLUSHDB",
    "ACL LIST",
    "SHUTDOWN",
    "SET elsewhere x",
    "GET {safeclaw:command_queue}:other",
    "SCRIPT FLUSH",
    "MONITOR",
    "SUBSCRIBE x",
];

#[test]
fn real_processes_work_under_the_printed_users_and_the_agents_can_do_nothing_else() {
    let (wall, keys) = keyed();
    let mind = TempHome::greeting();
    let (server, [for_agent, for_router]) = guarded(&wall, &[]);
    let nobody = redis::Client::open(format!("redis://127.0.0.1:{}", server.port())).unwrap();
    let nobody = nobody.get_connection().and_then(|mut redis| redis.get::<_, Option<String>>("x"));
    assert!(nobody.is_err(), "the default user is off");
    let router = start("router", &wall, &for_router, Some(&keys));
    let mut agent = start("agent", &mind, &for_agent, Some(&keys));
    agent.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    let router_actions = || fs::read_to_string(mind.root().join("workspace/router_actions.json"));
    wait_until("the catalogue is there", || {
        router_actions().is_ok_and(|text| text.contains("WEB_FETCH"))
    });
    let variables = [("REDIS_URL", for_router.as_str())];
    for args in [&["queue", "stats"][..], &["queue", "list"], &["queue", "dead"]] {
        let (done, said, problem) = run(&wall, &variables, args);
        assert!(done, "{args:?}: {said} {problem}");
    }
    let quiet = router.stderr();
    assert!(!quiet.contains("NOPERM") && !quiet.contains("may not"), "{quiet}");
    refused(&mut connect(&for_agent), &NOT_THE_AGENTS);
    let mut redis = connect(&for_router);
    refused(&mut redis, &NOT_THE_ROUTERS);
    let () = redis.set("{safeclaw:command_queue}:state:switch", "x").unwrap();
    agent.ask("Say hello to Ann.", "HELLO_WORLD: ok");
}

#[test]
fn the_users_fit_other_names_too() {
    let (wall, keys) = keyed();
    let names = [("COMMAND_QUEUE", "my[*]:q"), ("RESPONSE_PREFIX", "my?:r:")];
    let (_server, [for_agent, for_router]) = guarded(&wall, &names);
    let env = "COMMAND_QUEUE=my[*]:q\nRESPONSE_PREFIX=my?:r:\n";
    let mind = TempHome::greeting();
    wall.put(".env", env);
    mind.put(".env", env);
    let variables =
        [("REDIS_URL", for_router.as_str()), ("SAFECLAW_KEY_FILE", keys.to_str().unwrap())];
    let router = Chat::start(SAFECLAW, &["router"], wall.root(), &variables);
    router.expect_on_stderr("serving my[*]:q");
    let mut agent = start("agent", &mind, &for_agent, Some(&keys));
    agent.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    let mut redis = connect(&for_agent);
    refused(&mut redis, &["LPUSH my1:q x", "LLEN my**:q", "BLPOP my1:r:x 1"]);
    let (done, _, problem) = run(&wall, &[("COMMAND_QUEUE", "a b")], &["redis-acl"]);
    assert!(!done && problem.contains("white space"), "{problem}");
}
