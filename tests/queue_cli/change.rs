//! What is sent again, taken back and put away.

use super::*;

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
    let deeds = house.home.text("router/audit/cli.jsonl");
    assert!(deeds.contains("\"deed\":\"drop\",\"target\":\"m-1\""), "{deeds}");
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
    wait_until_runs(&house.runs());
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
