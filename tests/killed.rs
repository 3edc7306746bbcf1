//! A router is killed while a skill runs: another one takes over what may be done again, and says of the rest that
//! it may have been done.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::os::unix::fs::PermissionsExt;

use redis::Commands;
use serde_json::{Value, json};
use testkit::{Chat, RedisServer, TempHome, wait_until, wait_until_runs};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

/// Sleeps for ever the first time, in a process that names the home, and says which time it is afterwards.
const SLOW: &str = "#!/bin/sh
[ \"$SAFECLAW_ATTEMPT\" = 1 ] && sh -c 'sleep 1000; true' HOME
echo \"{\\\"attempt\\\": $SAFECLAW_ATTEMPT, \\\"key\\\": \\\"$SAFECLAW_MESSAGE_ID\\\"}\"
";

/// A home with a skill SLOW, whose routers never count as dead by their silence.
fn home(idempotent: bool) -> TempHome {
    home_with("none", idempotent)
}

fn home_with(effect: &str, idempotent: bool) -> TempHome {
    let home = TempHome::new();
    home.put("router/config.json", r#"{"queue": {"dead_after": 600}}"#);
    home.put("router/skills/slow/run", SLOW.replace("HOME", home.root().to_str().unwrap()));
    let program = home.root().join("router/skills/slow/run");
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let manifest = format!(
        "name = \"SLOW\"\ninstruction = \"Take your time.\"\neffect = \"{effect}\"\nidempotent = {idempotent}\n\
         command = [\"./run\"]\ntimeout = \"8s\"\n"
    );
    home.put("router/skills/slow/skill.toml", manifest);
    home
}

fn router(home: &TempHome, server: &RedisServer) -> Chat {
    let router = Chat::start(SAFECLAW, &["router"], home.root(), &[("REDIS_URL", &server.url())]);
    router.expect_on_stderr("serving safeclaw:command_queue");
    router
}

/// Waits until the skill's process is there, which is after its row in the audit log and after the word on the queue that it
/// begins.
fn wait_until_it_runs(home: &TempHome) {
    wait_until_runs(&format!("sleep 1000; true {}", home.root().display()));
}

/// How often a skill was about to run, by the audit logs.
fn begun(home: &TempHome) -> usize {
    let logs = std::fs::read_dir(home.root().join("router/audit")).into_iter().flatten();
    let rows = logs.map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap_or_default());
    rows.map(|rows| rows.matches("\"row\":\"intent\"").count()).sum()
}

/// The reply to a command whose first router is killed in the midst of it.
fn through_a_kill(home: &TempHome) -> Value {
    let server = RedisServer::start();
    let mut redis = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let dies = router(home, &server);
    let command = json!({"message_id": "m1", "action": "SLOW", "params": {}});
    let () = redis.lpush("safeclaw:command_queue", command.to_string()).unwrap();
    wait_until_it_runs(home);
    dies.kill();
    let _lives = router(home, &server);
    let (_, reply): (String, String) = redis.blpop("safeclaw:response:m1", 60.0).unwrap();
    serde_json::from_str(&reply).unwrap()
}

#[test]
fn what_may_be_done_again_is_done_again_under_the_same_key() {
    let home = home(true);
    let reply = through_a_kill(&home);
    assert_eq!((&reply["attempt"], &reply["key"]), (&json!(2), &json!("m1")), "{reply}");
    assert_eq!(begun(&home), 2);
}

#[test]
fn what_can_not_be_done_twice_may_have_been_done() {
    let home = home(false);
    let reply = through_a_kill(&home);
    assert_eq!(reply["error"]["code"], "interrupted", "{reply}");
    assert_eq!(reply["maybe_executed"], true);
    assert_eq!(begun(&home), 1);
}

#[test]
fn a_person_hears_the_truth_as_soon_as_a_router_is_there_again() {
    let (mind, wall, server) = (TempHome::new(), home(false), RedisServer::start());
    let dies = router(&wall, &server);
    let url = server.url();
    let mut agent = Chat::start(SAFECLAW, &["agent"], mind.root(), &[("REDIS_URL", &url)]);
    wait_until("the agent knows it", || {
        let known = std::fs::read_to_string(mind.root().join("workspace/router_actions.json"));
        known.is_ok_and(|known| known.contains("SLOW"))
    });
    agent.say("/run SLOW");
    wait_until_it_runs(&wall);
    dies.kill();
    let _lives = router(&wall, &server);
    // Whoever waits in vain says that no reply came, and asks whether a router is running.
    agent.expect("it may have been done");
    assert!(!agent.stdout().contains("is a router running"), "{}", agent.stdout());
}

#[test]
fn what_a_person_approved_and_a_killed_router_ran_is_told_of_soon() {
    let (home, server) = (home_with("external", false), RedisServer::start());
    let mut redis = redis::Client::open(server.url()).unwrap().get_connection().unwrap();
    let mut ask = |id: &str, action: &str, params: Value| -> Value {
        let command = json!({"message_id": id, "v": 2, "session": "owner", "principal": "console:owner",
            "action": action, "params": params});
        let () = redis.lpush("safeclaw:command_queue", command.to_string()).unwrap();
        let key = format!("safeclaw:response:{id}");
        let (_, reply): (String, String) = redis.blpop(key, 60.0).unwrap();
        serde_json::from_str(&reply).unwrap()
    };
    let dies = router(&home, &server);
    let pending = ask("m1", "SLOW", json!({}));
    let question = &pending["approval"]["id"];
    let answered = ask("m2", "APPROVE", json!({"id": question, "answer": "yes"}));
    assert_eq!(answered["status"], "ok", "{answered}");
    wait_until_it_runs(&home);
    dies.kill();
    let _lives = router(&home, &server);
    let events = "{safeclaw:command_queue}:events:owner";
    let told: Option<(String, String)> = redis.blpop(events, 60.0).unwrap();
    let (_, event) = told.expect("nobody was told within a minute");
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["reply"]["error"]["code"], "interrupted", "{event}");
    assert_eq!((&event["reply"]["maybe_executed"], begun(&home)), (&json!(true), 1));
}
