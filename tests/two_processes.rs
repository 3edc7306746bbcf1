//! `start_agent` and `start_router` as two processes on one real Redis, and each with the other side as the
//! first SafeClaw was.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use redis::Commands;
use serde_json::{Value, json};
use testkit::{Chat, RedisServer, RedisSetup, TempHome, eventually, wait_until};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn agent(home: &TempHome, server: &RedisServer) -> Chat {
    Chat::start(SAFECLAW, &["agent"], home.root(), &[("REDIS_URL", &server.url())])
}

fn router(home: &TempHome, server: &RedisServer) -> Chat {
    let router = Chat::start(SAFECLAW, &["router"], home.root(), &[("REDIS_URL", &server.url())]);
    router.expect_on_stderr("serving safeclaw:command_queue");
    router
}

fn connect(server: &RedisServer) -> redis::Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

#[test]
fn a_chat_over_redis_with_homes_of_their_own() {
    let server = RedisServer::start();
    let (mind, wall) = (TempHome::greeting(), TempHome::greeting());
    let _router = router(&wall, &server);
    let mut agent = agent(&mind, &server);
    let posted = agent.ask("Post 'Hello World' to X.", r#"{"text":"Hello World"}"#);
    assert!(posted.contains("CREATE_POST: dry run"), "{posted}");
    assert!(wall.text("router/audit/router-1.jsonl").contains("CREATE_POST"));
    assert!(mind.text("workspace/router_actions.json").contains("WEB_FETCH"));
    assert!(!mind.root().join("router/audit").exists());
    assert_eq!(agent.end().code(), Some(0));
}

#[test]
fn a_router_whose_output_nobody_reads_goes_on_serving() {
    let server = RedisServer::start();
    let (mind, wall) = (TempHome::greeting(), TempHome::greeting());
    // A pipe holds 64 KiB (pipe(7)), so the first byte of the router's has no room.
    let full =
        "mkfifo unread; exec 3<>unread; head -c 65536 /dev/zero >&3; exec \"$0\" \"$@\" >&3 2>&3";
    let url = [("REDIS_URL", &*server.url())];
    let _router = Chat::start("sh", &["-c", full, SAFECLAW, "router"], wall.root(), &url);
    let mut agent = agent(&mind, &server);
    wait_until("it is known", || {
        let known = mind.workspace().join("router_actions.json");
        std::fs::read_to_string(known).is_ok_and(|known| known.contains("HELLO_WORLD"))
    });
    agent.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
}

#[test]
fn whoever_asks_hears_that_no_router_is_there() {
    let (server, mind, wall) = (RedisServer::start(), TempHome::new(), TempHome::new());
    let mut agent = agent(&mind, &server);
    agent.ask("/status", "the router does not answer; `");
    agent.say("/mode off");
    agent.expect_on_stderr("no mode has changed, because the router does not answer; `");
    let _router = router(&wall, &server);
    let status = agent.ask("/status", "workspace:");
    assert!(!status.contains("does not answer"), "{status}");
}

#[test]
fn the_first_versions_agent_is_served() {
    let server = RedisServer::start();
    let home = TempHome::greeting();
    let _router = router(&home, &server);
    let mut redis = connect(&server);
    // Exactly what the first version's agent pushes, and how it waits.
    let mut ask = |id: &str, body: Value| -> Value {
        let () = redis.lpush("safeclaw:command_queue", body.to_string()).unwrap();
        let (_, reply): (String, String) =
            redis.blpop(format!("safeclaw:response:{id}"), 30.0).unwrap();
        serde_json::from_str(&reply).unwrap()
    };
    let params = json!({"platform": "X", "text": "hi"});
    let reply = ask("m-1", json!({"message_id": "m-1", "action": "CREATE_POST", "params": params}));
    assert_eq!((&reply["status"], &reply["action"]), (&json!("ok"), &json!("CREATE_POST")));
    assert_eq!(reply["would_send"]["body"]["text"], "hi");
    let reply =
        ask("m-2", json!({"message_id": "m-2", "action": "HELLO_WORLD", "params": {}, "x": 1}));
    assert_eq!(reply["status"], "ok");
    let reply = ask("m-3", json!({"message_id": "m-3", "action": "NOPE", "params": {}}));
    assert_eq!(reply["status"], "unknown");
    home.put("router/config.json", r#"{"skills": {"HELLO_WORLD": {"enabled": false}}}"#);
    let mut asked = 3;
    wait_until("the switch counts", || {
        asked += 1;
        let id = format!("m-{asked}");
        let reply = ask(&id, json!({"message_id": id, "action": "HELLO_WORLD", "params": {}}));
        reply["status"] == "skipped"
            && reply["reason"].as_str().is_some_and(|why| why.contains("HELLO_WORLD"))
    });
}

#[test]
fn garbage_on_the_queue_is_survived_and_answered_where_an_id_can_be_read() {
    let server = RedisServer::start();
    let home = TempHome::greeting();
    let _router = router(&home, &server);
    let mut redis = connect(&server);
    let nested = "[".repeat(100_000);
    let huge = vec![b'x'; 1024 * 1024];
    for garbage in [&b"\xff\xfe"[..], b"", b"{", b"[1]", b"7", b"null", nested.as_bytes(), &huge] {
        let () = redis.lpush("safeclaw:command_queue", garbage).unwrap();
    }
    for body in [
        r#"{"message_id":"b-1"}"#,
        r#"{"message_id":"b-1","action":7}"#,
        r#"{"message_id":"b-1","action":"A","params":[]}"#,
    ] {
        let () = redis.lpush("safeclaw:command_queue", body).unwrap();
        let (_, reply): (String, String) = redis.blpop("safeclaw:response:b-1", 30.0).unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["error"]["code"], "bad_request", "{body}");
    }
    let none: Vec<String> = redis.keys("safeclaw:response:*").unwrap();
    assert_eq!(none, Vec::<String>::new(), "nothing is answered to nobody");
}

#[tokio::test]
async fn the_first_versions_router_serves_our_agent() {
    let server = RedisServer::start();
    let home = TempHome::greeting();
    // Such a router publishes nothing: its actions are what stands in the file, in its loose form.
    home.put(
        "workspace/router_actions.json",
        r#"[{"name": "CREATE_POST", "instruction": "Post.", "params": {"platform": "X | LinkedIn", "text": "the text"},
            "examples": [{"say": "Post 'Hi' to X.", "params": {"platform": "X", "text": "Hi"}}]}]"#,
    );
    let mut redis = connect(&server);
    let serve = std::thread::spawn(move || {
        // BRPOP, run, LPUSH, EXPIRE: all that it does.
        let (_, command): (String, String) = redis.brpop("safeclaw:command_queue", 60.0).unwrap();
        let command: Value = serde_json::from_str(&command).unwrap();
        let reply = json!({"status": "STATUS of the platform", "action": command["action"]});
        let key = format!("safeclaw:response:{}", command["message_id"].as_str().unwrap());
        let () = redis.lpush(&key, reply.to_string()).unwrap();
        let () = redis.expire(&key, 60).unwrap();
        command
    });
    let mut agent = agent(&home, &server);
    agent.ask("Post 'Hello' to X.", "CREATE_POST: ok, STATUS of the platform");
    let command = serve.join().unwrap();
    assert_eq!(command["params"], json!({"platform": "X", "text": "Hello"}));
    assert_eq!(agent.end().code(), Some(0));
    let artifact: Value = serde_json::from_str(&home.text("workspace/artifact.json")).unwrap();
    assert_eq!(artifact[0]["status"], "STATUS of the platform");
}

#[tokio::test]
async fn an_agent_says_that_its_redis_is_gone_and_goes_on() {
    let mut server = RedisServer::start();
    let (mind, wall) = (TempHome::greeting(), TempHome::greeting());
    let _router = router(&wall, &server);
    let mut agent = agent(&mind, &server);
    agent.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    server.kill();
    agent.ask("Say hello to Ann.", "HELLO_WORLD: failed, the queue at redis://127.0.0.1");
    agent.ask("Remember my name is Ann.", "_MEMORY_WRITE: ok");
    server.restart();
    eventually("an action works again", async || {
        agent.say("Say hello to Bob.");
        tokio::time::sleep(Duration::from_millis(100)).await;
        agent.stdout().contains("Bob")
    })
    .await;
}

#[test]
fn without_redis_url_both_end_at_once_with_what_to_set() {
    let home = TempHome::greeting();
    for part in ["agent", "router"] {
        for variables in [&[][..], &[("REDIS_URL", "")]] {
            let mut chat = Chat::start(SAFECLAW, &[part], home.root(), variables);
            assert_eq!(chat.wait().code(), Some(1));
            chat.expect_on_stderr("REDIS_URL is not set: put it into .env");
        }
    }
}

#[test]
fn a_redis_url_that_is_wrong_is_said_without_its_password() {
    let home = TempHome::greeting();
    let server = testkit::RedisSetup::default().password("right").start();
    let mut chat =
        Chat::start(SAFECLAW, &["agent"], home.root(), &[("REDIS_URL", "http://:hunter2@x")]);
    assert_eq!(chat.wait().code(), Some(1));
    chat.expect_on_stderr("REDIS_URL is no address of a Redis");
    assert!(!chat.stderr().contains("hunter2"));
    let wrong = format!("redis://:hunter2@127.0.0.1:{}", server.port());
    for (url, words) in [
        (wrong.as_str(), "refuses the user or the password in REDIS_URL"),
        (&format!("redis://127.0.0.1:{}", server.port()), "wants a password"),
        ("redis://127.0.0.1:1", "nothing listens at redis://127.0.0.1:1"),
    ] {
        let mut chat = Chat::start(SAFECLAW, &["agent"], home.root(), &[("REDIS_URL", url)]);
        chat.expect_on_stderr(words);
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        assert!(!chat.stderr().contains("hunter2"), "{}", chat.stderr());
    }
}

#[test]
fn a_chat_survives_a_restart_of_redis_in_the_middle_of_a_turn() {
    let mut server = RedisSetup::default().durable().start();
    let (mind, wall) = (TempHome::greeting(), TempHome::greeting());
    wall.put("router/skills/wait/run", "#!/bin/sh\nsleep 3\necho '{\"waited\": true}'\n");
    let program = wall.root().join("router/skills/wait/run");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    wall.put(
        "router/skills/wait/skill.toml",
        "name = \"WAIT\"\ninstruction = \"Wait.\"\neffect = \"none\"\ncommand = [\"./run\"]\n",
    );
    let _router = router(&wall, &server);
    let mut agent = agent(&mind, &server);
    let has = |home: &TempHome, file: &str, text: &str| {
        std::fs::read_to_string(home.root().join(file)).is_ok_and(|found| found.contains(text))
    };
    wait_until("the agent knows it", || has(&mind, "workspace/router_actions.json", "WAIT"));
    agent.say("/run WAIT");
    wait_until("it runs", || has(&wall, "router/audit/router-1.jsonl", "\"intent\""));
    server.kill();
    server.restart();
    agent.expect("\"waited\":true");
    agent.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    assert_eq!(agent.end().code(), Some(0));
}

#[test]
fn routers_that_start_at_once_on_a_fresh_home_all_serve() {
    let server = RedisServer::start();
    let home = TempHome::greeting();
    let start = || Chat::start(SAFECLAW, &["router"], home.root(), &[("REDIS_URL", &server.url())]);
    let routers = [(); 4].map(|()| start());
    for router in &routers {
        router.expect_on_stderr("skill WEB_FETCH is there");
    }
}

#[test]
fn two_calls_of_a_skill_that_stays_run_at_the_same_time() {
    let server = RedisServer::start();
    let home = TempHome::new();
    home.put(
        "router/skills/meet/skill.toml",
        "name = \"MEET\"\ninstruction = \"Meet.\"\neffect = \"local\"\nreads = \"none\"\ncommand = [\"./run\"]\nmode = \"serve\"\n\
         timeout = \"20s\"\n[folders.place]\naccess = \"write\"\n",
    );
    // Each call answers once two have come, so calls that wait for one another never end.
    home.put(
        "router/skills/meet/run",
        "#!/bin/sh\nwhile read -r line; do\n  mktemp /place/came-XXXXXX > /dev/null\n  while [ $(ls /place | wc -l) -lt 2 ]; do sleep 0.01; done\n  \
         echo '{\"met\": true}'\ndone\n",
    );
    let program = home.router_skills().join("meet/run");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let _router = router(&home, &server);
    let mut redis = connect(&server);
    let ids = ["one", "other"];
    for id in ids {
        let command =
            json!({"message_id": id, "action": "MEET", "params": {}, "deadline_ms": 20_000});
        let () = redis.lpush("safeclaw:command_queue", command.to_string()).unwrap();
    }
    for id in ids {
        let (_, reply): (String, String) =
            redis.blpop(format!("safeclaw:response:{id}"), 30.0).unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!((&reply["status"], &reply["met"]), (&json!("ok"), &json!(true)), "{reply}");
    }
}
