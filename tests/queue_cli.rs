//! `start_router queue` on a real Redis, with real routers: what it tells is what is there, and what it changes
//! loses nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use redis::Commands;
use serde_json::{Value, json};
use testkit::{Chat, RedisCluster, RedisServer, RedisSetup, TempHome, Terminal, wait_until};

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
        Self { server, home: TempHome::new(), redis }
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

    /// A skill that is not idempotent, notes each start, and goes on until the file `go` is there.
    fn drop_slow_skill(&self) {
        self.home.put(
            "router/skills/slow/skill.toml",
            "name = \"SLOW\"\ninstruction = \"Test.\"\neffect = \"local\"\nidempotent = false\n\
            timeout = \"60s\"\ncommand = [\"./run\"]\n",
        );
        self.home.put("router/skills/slow/run", "#!/bin/sh\nsleep 60\necho '{}'\n");
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

#[test]
fn stats_of_an_empty_queue_say_what_is_wrong_with_the_server() {
    let house = House::on(RedisSetup::default().password("hunter2").start());
    let words = house.words(&["stats"]);
    assert!(words.starts_with("safeclaw:command_queue at redis://127.0.0.1:"), "{words}");
    assert!(words.contains("warning: AOF is off, so a restart of Redis would lose"), "{words}");
    assert!(words.contains("warning: no router lives"), "{words}");
    assert!(words.contains("0 in hand, 0 dead letters"), "{words}");
    assert!(!words.contains("hunter2"), "{words}");
    let house = House::on(RedisSetup::default().durable().start());
    assert!(!house.words(&["stats"]).contains("AOF is off"));
    assert_eq!(house.json(&["stats"])["server"]["append_only"], true);
}

#[test]
fn what_waits_is_counted_and_listed_lane_by_lane_the_oldest_first() {
    let mut house = House::new();
    let now = house.now();
    for at in 1..=3 {
        house.push(
            &json!({"message_id": format!("m-{at}"), "action": "A", "params": {"x": "private"},
            "issued_at": now - 200_000, "deadline": now + 100_000, "session": "owner"}),
        );
    }
    house.push_to("hi", &json!({"message_id": "h-1", "action": "B", "params": {}}));
    let () = house.redis.lpush(QUEUE, b"\xff\xfe\x1b[31m").unwrap();

    let stats = house.json(&["stats"]);
    let lanes: Vec<_> =
        stats["lanes"].as_array().unwrap().iter().map(|l| (&l["lane"], &l["waiting"])).collect();
    let expected = [("again", 0), ("stale", 0), ("hi", 1), ("queue", 4), ("lo", 0)]
        .map(|(lane, waiting)| (json!(lane), json!(waiting)));
    assert_eq!(lanes, expected.iter().map(|(lane, waiting)| (lane, waiting)).collect::<Vec<_>>());
    assert!(stats["lanes"][3]["oldest_ms"].as_u64().unwrap() >= 200_000, "{stats}");
    assert_eq!(stats["lanes"][2]["oldest_ms"], Value::Null);
    assert!(house.words(&["stats"]).contains("queue        4  3 m 2"));

    let list = house.json(&["list"]);
    let ids: Vec<_> = list["commands"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!("h-1"), &json!("m-1"), &json!("m-2"), &json!("m-3"), &Value::Null]);
    assert_eq!(list["total"], 5);
    let one = &list["commands"][1];
    assert_eq!(
        (&one["lane"], &one["action"], &one["session"]),
        (&json!("queue"), &json!("A"), &json!("owner"))
    );
    assert!((1..=100_000).contains(&one["left_ms"].as_i64().unwrap()), "{one}");
    assert!(!list.to_string().contains("private"), "params are for show alone");

    let words = house.words(&["list"]);
    assert!(words.contains("(unreadable, 7 B)") && !words.contains('\x1b'), "{words}");
    assert_eq!(house.json(&["list", "--lane", "hi"])["commands"][0]["id"], "h-1");
    let words = house.words(&["list", "--limit", "2"]);
    assert!(words.contains("2 of 5 are shown") && !words.contains("m-2"), "{words}");
}

#[test]
fn more_than_a_chunk_is_listed_and_found_whole() {
    let mut house = House::new();
    for at in 0..250 {
        house.push(&hello(&format!("m-{at}")));
        house.bury("stale", 0, Some(&format!("d-{at}")), &hello(&format!("d-{at}")).to_string());
    }
    let list = house.json(&["list", "--limit", "230"]);
    let ids: Vec<_> =
        list["commands"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, (0..230).map(|at| json!(format!("m-{at}"))).collect::<Vec<_>>());
    assert_eq!(house.json(&["show", "m-3"])["waiting"][0]["id"], "m-3");
    assert_eq!(house.json(&["show", "d-3"])["dead_letters"][0]["id"], "d-3");
    assert_eq!(house.json(&["stats"])["dead_letters_by_reason"], json!({"stale": 250}));
    let dead = house.json(&["dead"]);
    assert_eq!((dead["dead_letters"].as_array().unwrap().len(), &dead["total"]), (50, &json!(250)));
    assert_eq!(dead["dead_letters"][0]["id"], "d-249");
}

#[test]
fn show_tells_a_command_wherever_it_is_without_secrets() {
    let mut house = House::new();
    house.home.put("router/.env", "X_TOKEN='hunter2\"hunter2'\n");
    let file = house.home.root().join("router/.env");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    let secret = json!({"name": "hunter2\"hunter2"});
    let command = |id: &str| json!({"message_id": id, "action": "HELLO_WORLD", "params": secret});
    house.push(&command("m-1"));
    house.bury("interrupted", 1, Some("m-2"), &command("m-2").to_string());
    house.bury("bad_request", 0, None, "no command hunter2\"hunter2");
    let name = house.json(&["dead"])["dead_letters"][0]["name"].as_str().unwrap().to_owned();
    for (id, words, at) in [
        ("m-1", "waits in the lane queue", "/waiting/0/command/params/name"),
        ("m-2", "it may have been executed", "/dead_letters/0/command/params/name"),
    ] {
        assert_eq!(house.json(&["show", id]).pointer(at), Some(&json!("[secret]")), "{id}");
        let shown = house.words(&["show", id]);
        assert!(shown.contains(words) && shown.contains("[secret]"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    let shown = house.words(&["show", &name]);
    assert!(shown.contains("no command: no command [secret]"), "{shown}");

    let in_session =
        json!({"message_id": "m-3", "action": "A\u{1b}[31m", "session": secret["name"]});
    house.push(&in_session);
    assert_eq!(house.json(&["list"])["commands"][1]["session"], "[secret]");
    let listed = house.words(&["list"]);
    assert!(listed.contains("[secret]") && listed.contains("A\\u{1b}[31m"), "{listed}");

    let _router = house.router();
    house.reply("m-1");
    let done = house.json(&["show", "m-1"]);
    assert_eq!(
        (&done["state"], &done["reply"]["status"]),
        (&json!("done"), &json!("ok")),
        "{done}"
    );
    assert!(done["reply_kept_ms"].as_u64().is_some_and(|ms| ms > 0), "{done}");
    assert!(!done.to_string().contains("hunter2"), "{done}");
}

#[test]
fn what_runs_is_told_of_and_can_be_stopped() {
    let mut house = House::new();
    house.drop_slow_skill();
    let _router = house.router();
    house.push(&json!({"message_id": "m-1", "action": "SLOW", "params": {}}));
    wait_until("it runs", || house.json(&["show", "m-1"])["running"][0]["attempts"] == 1);
    let stats = house.json(&["stats"]);
    assert_eq!((&stats["in_hand"], &stats["routers"][0]["alive"]), (&json!(1), &json!(true)));
    assert!(house.words(&["list"]).contains("running at .."));
    assert!(house.refusal(&["drop", "m-1"]).contains("pass --yes to drop m-1"));
    let dropped = house.json(&["drop", "m-1", "--yes"]);
    assert_eq!(dropped, json!({"id": "m-1", "dropped": true, "was": "running"}));
    assert_eq!(house.reply("m-1")["error"]["code"], "cancelled");
    assert!(house.refusal(&["drop", "m-1", "--yes"]).contains("m-1 has ended already"));
}

#[test]
fn what_waits_is_answered_cancelled_when_it_is_dropped() {
    let mut house = House::new();
    house.push(&hello("m-1"));
    house.push(&hello("m-2"));
    assert!(house.words(&["drop", "m-1", "--yes"]).contains("once a router runs"));
    assert!(house.words(&["list"]).contains("queue, cancelled"));
    let _router = house.router();
    assert_eq!(house.reply("m-1")["error"]["code"], "cancelled");
    assert_eq!(house.reply("m-2")["status"], "ok");
}

#[test]
fn what_a_dead_router_holds_is_taken_back_before_anyone_takes_over() {
    let mut house = House::new();
    let (routers, work, state) = ("routers", "work:r-1", "command:m-1");
    let key = |name: &str| format!("{{{QUEUE}}}:{name}");
    let () = house.redis.zadd(key(routers), "r-1", 1).unwrap();
    let () = house.redis.hset(key(work), 7, format!("1+ normal m-1\n{}", hello("m-1"))).unwrap();
    let () = house.redis.set(key(state), "running r-1 7").unwrap();
    assert_eq!(house.json(&["list"])["commands"][0]["router"], "r-1");
    assert_eq!(house.json(&["drop", "m-1", "--yes"])["was"], "running");
    assert_eq!(house.state("m-1").unwrap(), "running r-1 7 cancelled");
    assert!(house.words(&["list"]).contains("running at ..r-1, cancelled"));
}

#[test]
fn what_a_router_gave_up_is_sent_again() {
    let mut house = House::new();
    let _router = house.router();
    let mut late = hello("m-1");
    late["deadline"] = json!(house.now() - 1_000);
    house.push(&late);
    assert_eq!(house.reply("m-1")["error"]["code"], "deadline");
    assert!(house.state("m-1").unwrap().starts_with("done "));
    assert!(house.words(&["dead", "--reason", "deadline"]).contains("m-1"));
    assert!(house.words(&["dead", "--reason", "poison"]).contains("none of the 1 dead letters"));
    // Nobody fetches this one, and still the new reply is sent.
    let () = house.redis.lpush("safeclaw:response:m-1", "an old reply").unwrap();
    let retried = house.json(&["retry", "m-1"]);
    assert_eq!(retried, json!({"id": "m-1", "retried": true, "lane": "queue"}));
    assert_eq!(house.reply("m-1")["status"], "ok");
    assert_eq!(house.json(&["dead"])["total"], 0);
    assert!(house.refusal(&["retry", "m-1"]).contains("m-1 has no dead letter"));
}

#[test]
fn what_may_have_been_executed_is_run_again_only_on_demand() {
    let mut house = House::new();
    house.drop_slow_skill();
    let router = house.router();
    house.push(&json!({"message_id": "m-1", "action": "SLOW", "params": {}, "priority": 2}));
    wait_until("it runs", || house.json(&["show", "m-1"])["state"] == "running");
    // It is killed while it runs, and what can't be done twice is not begun again.
    drop(router);
    let forget: Vec<String> = house.redis.zrange(format!("{{{QUEUE}}}:routers"), 0, -1).unwrap();
    for name in forget {
        // It counts as dead at once, not after 15 s.
        let () = house.redis.zadd(format!("{{{QUEUE}}}:routers"), name, 1).unwrap();
    }
    assert!(house.words(&["stats"]).contains("dead; not taken over yet"));
    let _router = house.router();
    assert_eq!(house.reply("m-1")["error"]["code"], "interrupted");
    let refusal = house.refusal(&["retry", "m-1"]);
    assert!(refusal.contains("pass --yes-run-again"), "{refusal}");
    assert_eq!(house.json(&["dead"])["total"], 1);
    let retried = house.json(&["retry", "m-1", "--yes-run-again"]);
    assert_eq!(retried["lane"], "hi");
    wait_until("it runs", || house.json(&["show", "m-1"])["running"][0]["attempts"] == 1);
    assert!(house.refusal(&["retry", "m-1"]).contains("no dead letter"));
}

#[test]
fn what_lives_already_is_not_sent_a_second_time() {
    let mut house = House::new();
    house.bury("stale", 0, Some("m-1"), &hello("m-1").to_string());
    for state in ["again", "running r-1 7"] {
        let () = house.redis.set(format!("{{{QUEUE}}}:command:m-1"), state).unwrap();
        assert!(house.refusal(&["retry", "m-1"]).contains("it waits or runs already"));
    }
    let waiting: usize = house.redis.llen(QUEUE).unwrap();
    assert_eq!((waiting, &house.json(&["dead"])["total"]), (0, &json!(1)));
}

#[test]
fn what_can_not_be_sent_again_stays_with_a_reason() {
    let mut house = House::new();
    let long = json!({"message_id": "m-1", "action": "A", "params": {"x": "y".repeat(70_000)}})
        .to_string();
    house.bury("interrupted", 1, Some("m-1"), &long[..64 * 1024]);
    house.bury("bad_request", 0, Some("m-2"), r#"{"message_id":"m-2"}"#);
    let refusal = house.refusal(&["retry", "m-1", "--yes-run-again"]);
    assert!(refusal.contains("longer than what is kept of a command (64 KiB)"), "{refusal}");
    assert!(house.refusal(&["retry", "m-2"]).contains("is no command"));
    assert_eq!(house.json(&["stats"])["dead_letters"], 2);
}

#[test]
fn a_dead_letter_is_dropped_by_its_id_or_its_own_name() {
    let mut house = House::new();
    house.bury("bad_request", 0, None, "garbage");
    house.bury("stale", 0, Some("m-1"), &hello("m-1").to_string());
    let name = house.json(&["dead"])["dead_letters"][1]["name"].as_str().unwrap().to_owned();
    assert!(house.refusal(&["drop", "m-1"]).contains("pass --yes"));
    assert!(house.words(&["drop", &name, "--yes"]).contains("is removed"));
    assert!(house.refusal(&["drop", &name, "--yes"]).contains("no dead letter has the name"));
    assert_eq!(house.json(&["drop", "m-1", "--yes"])["removed"], 1);
    assert_eq!(house.json(&["dead"])["total"], 0);
}

#[test]
fn a_person_at_a_terminal_is_asked_and_told_what_may_happen() {
    let mut house = House::new();
    house.bury("interrupted", 1, Some("m-1"), &hello("m-1").to_string());
    let url = house.server.url();
    for (args, question, answer, kept) in [
        (["retry", "m-1"], "may then be done twice. Run it again? [y/N]", "n\r", 1),
        (["drop", "m-1"], "Remove the dead letter m-1 for good? [y/N]", "\r", 1),
        (["retry", "m-1"], "Run it again? [y/N]", "y\r", 0),
    ] {
        let args = [&["router", "queue"], &args[..]].concat();
        let mut terminal =
            Terminal::start(SAFECLAW, &args, house.home.root(), &[("REDIS_URL", &url)]);
        terminal.expect(question);
        terminal.press(answer);
        assert_eq!(terminal.wait().code(), Some(0));
        terminal.expect(if kept == 1 { "nothing was changed" } else { "as a new command" });
        assert_eq!(house.json(&["dead"])["total"], kept, "{args:?}");
    }
}

#[test]
fn to_look_does_not_make_young_again_what_nobody_waits_for() {
    let mut house = House::new();
    house.home.put("router/config.json", r#"{"queue": {"stale_after": 3}}"#);
    house.push(&hello("m-1"));
    // Looking all the time must not keep the queue from growing stale.
    wait_until("it is set apart", || house.json(&["stats"])["lanes"][1]["waiting"] == 1);
    let _router = house.router();
    assert_eq!(house.reply("m-1")["error"]["code"], "stale");
}

#[test]
fn what_may_wait_for_ever_is_never_set_apart() {
    let mut house = House::new();
    house.home.put("router/config.json", r#"{"queue": {"stale_after": 1}}"#);
    house.bury("stale", 0, Some("m-1"), &hello("m-1").to_string());
    assert!(house.words(&["retry", "m-1"]).contains("run start_router within 1 s,"));
    let idle = |house: &mut House| -> u64 {
        redis::cmd("OBJECT").arg("IDLETIME").arg(QUEUE).query(&mut house.redis).unwrap()
    };
    wait_until("it lay there for a while", || idle(&mut house) >= 3);
    house.home.put("router/config.json", r#"{"queue": {"stale_after": 0}}"#);
    assert_eq!(house.json(&["stats"])["lanes"][3]["waiting"], 1);
    wait_until("it lay there for a while", || idle(&mut house) >= 3);
    house.home.put("router/config.json", r#"{"queue": {"stale_after": 1}}"#);
    assert_eq!(house.json(&["stats"])["lanes"][1]["waiting"], 1);
}

#[test]
fn what_is_not_there_is_said_with_where_it_was_looked_for() {
    let mut house = House::new();
    let refusal = house.refusal(&["show", "m-9"]);
    assert!(refusal.contains("no command has the id m-9: none in the lanes"), "{refusal}");
    assert!(refusal.contains("looked in safeclaw:command_queue at redis://127.0.0.1"), "{refusal}");
    for command in ["retry", "drop"] {
        assert!(house.refusal(&[command, "m-9"]).contains("no command has the id m-9"));
    }
    assert!(house.refusal(&["show", "@nothing"]).contains("no dead letter has the name @nothing"));
    assert_eq!(house.queue(&["show", "a b"]).code, Some(2));
    assert_eq!(house.words(&["list"]), "nothing waits, nothing runs\n");
    assert_eq!(house.words(&["dead"]), "there are no dead letters\n");
    house.server.kill();
    assert!(house.refusal(&["stats"]).contains("nothing listens at redis://127.0.0.1"));
}

#[test]
fn without_a_redis_there_is_no_queue_to_look_at() {
    let ended = queue(&TempHome::new(), &[], &["stats"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("The queue of `safeclaw` lives inside its process"), "{ended:?}");
}

#[test]
fn the_help_is_true() {
    let mut house = House::new();
    house.push(&hello("m-1"));
    house.bury("interrupted", 1, Some("m-2"), &hello("m-2").to_string());
    let help = house.words(&["--help"]);
    let examples: Vec<Vec<&str>> = help
        .lines()
        .filter_map(|line| Some(line.strip_prefix("  start_router queue ")?.split(' ').collect()))
        .collect();
    assert_eq!(examples.len(), 6);
    for example in examples {
        // Nothing of these ids is there for all of them, but a wrong line would end with 2.
        assert!(matches!(house.queue(&example).code, Some(0 | 1)), "{example:?}");
    }
    house.bury("stale", 0, Some("m-3"), &hello("m-3").to_string());
    let documents = [
        &["stats"][..],
        &["list"],
        &["dead"],
        &["show", "m-1"],
        &["show", "m-3"],
        &["retry", "m-3"],
        &["drop", "m-3", "--yes"],
    ];
    let words: Vec<&str> = help.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for args in documents {
        for name in names(&house.json(args)) {
            assert!(words.contains(&&*name), "{args:?}: the help does not name {name}");
        }
    }
}

/// The names of all fields but those of commands and replies, and of what is counted by reason.
fn names(document: &Value) -> Vec<String> {
    match document {
        Value::Object(object) => object
            .iter()
            .flat_map(|(name, value)| {
                let theirs = ["command", "reply", "dead_letters_by_reason"].contains(&&**name);
                let inside = if theirs { Vec::new() } else { names(value) };
                [vec![name.clone()], inside].concat()
            })
            .collect(),
        Value::Array(list) => list.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_server_that_tells_nothing_of_itself_is_looked_at_all_the_same() {
    let rules = "on >secret ~* &* +@all -info";
    let house = House::on(RedisSetup::default().user("wall", rules).start());
    let url = format!("redis://wall:secret@127.0.0.1:{}", house.server.port());
    let ended = queue(&house.home, &[("REDIS_URL", &url)], &["stats"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("whether AOF is on is not told"), "{ended:?}");
}

#[test]
fn on_a_cluster_it_is_the_same() {
    let cluster = RedisCluster::start();
    let (home, url) = (TempHome::new(), cluster.url());
    let variables = [("REDIS_URL", url.as_str())];
    let document = |args: &[&str]| -> Value {
        let ended = queue(&home, &variables, &[args, &["--json"]].concat());
        assert_eq!(ended.code, Some(0), "{args:?}: {ended:?}");
        serde_json::from_str(&ended.stdout).unwrap()
    };
    let node = &cluster.nodes[cluster.owner(QUEUE)];
    let mut redis = redis::Client::open(node.url()).unwrap().get_connection().unwrap();
    let letter = json!({"reason": "stale", "message": "why", "at": 1, "attempts": 0, "router": "r-1",
        "message_id": "m-1", "action": "HELLO_WORLD", "raw": hello("m-1").to_string()});
    let () = redis.lpush(LETTERS, letter.to_string()).unwrap();
    let () = redis.lpush(QUEUE, hello("m-2").to_string()).unwrap();
    assert_eq!(document(&["stats"])["server"]["append_only"], false);
    assert_eq!(document(&["list"])["commands"][0]["id"], "m-2");
    assert_eq!(document(&["drop", "m-2", "--yes"])["was"], "waiting");
    let router = Chat::start(SAFECLAW, &["router"], home.root(), &variables);
    router.expect_on_stderr("serving safeclaw:command_queue");
    assert_eq!(document(&["retry", "m-1"])["lane"], "queue");
    wait_until("both have ended", || {
        document(&["show", "m-1"])["reply"]["status"] == "ok"
            && document(&["show", "m-2"])["reply"]["error"]["code"] == "cancelled"
    });
}
