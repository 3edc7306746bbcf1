//! What is told: of lanes, routers, commands and letters.

use super::*;

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
    assert!(house.words(&["retry", "m-1"]).contains(" router` within 1 s,"));
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
        .filter_map(|line| {
            Some(line.strip_prefix("  safeclaw router queue ")?.split(' ').collect())
        })
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
    let (home, url) = (TempHome::greeting(), cluster.url());
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
