//! What one call is answered with, and what is written down of it.

use super::*;

#[tokio::test]
async fn what_runs_has_a_row_before_and_a_row_after_and_its_words() {
    let house = house();
    house.let_run(1);
    let reply = house.ask("LOOK", json!({"text": "it"})).await;
    assert_eq!(done(&reply).text.as_deref(), Some("looked at it and {nothing}"));
    let audit = house.audit();
    let rows: Vec<Value> = audit.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!((&rows[0]["row"], &rows[0]["rule"]), (&json!("intent"), &json!("effects.none")));
    assert_eq!((&rows[1]["row"], &rows[1]["status"]), (&json!("outcome"), &json!("ok")));
}

#[tokio::test]
async fn what_does_not_run_says_why() {
    let house = house();
    for (action, params, code, words) in [
        ("LOK", json!({}), Code::UnknownAction, "did you mean LOOK?"),
        ("LOOK", json!({"text": 5}), Code::BadParams, "text: 5 is not of type \"string\""),
        ("LOOK", json!({"more": 5}), Code::BadParams, "Additional properties"),
        ("LOOK", json!({"text": "x".repeat(21)}), Code::BadParams, "longer than 20"),
        ("OFF", json!({}), Code::Disabled, "router/config.json"),
        ("_LOOK", json!({}), Code::UnknownAction, "no skill _LOOK"),
    ] {
        let reply = house.ask(action, params).await;
        let stopped = stopped(&reply);
        assert_eq!(stopped.code, code, "{action}");
        assert!(stopped.message.contains(words), "{}", stopped.message);
    }
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn what_comes_after_its_deadline_is_not_run() {
    // What is late already when it is taken from the queue is answered there; this one is late when it is judged.
    let house = house_ahead(|_| {}, 8, 2 * LONG);
    house.let_run(1);
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Deadline);
    eventually("it is written down", async || house.audit().contains("\"code\":\"deadline\""))
        .await;
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn a_missing_secret_makes_a_dry_run_that_needs_no_question() {
    let house = house();
    house.let_run(1);
    let reply = house.ask("TOKENED", json!({})).await;
    assert!(done(&reply).dry_run);
    let text = done(&reply).text.clone().unwrap();
    assert!(text.starts_with("nothing was sent: MISSING is not set in router/.env"), "{text}");
}

#[tokio::test]
async fn no_secret_leaves_in_an_error() {
    let house = house();
    house.let_run(1);
    let reply = house.ask("LOOK", json!({"text": "fail"})).await;
    assert_eq!(stopped(&reply).message, "failed with [secret]");
    assert!(!house.audit().contains("hunter2"));
}

#[tokio::test]
async fn what_can_not_be_written_down_is_not_run() {
    let house = house_with(
        |home| symlink("/dev/full", home.router_audit().join("router-1.jsonl")).unwrap(),
        8,
    );
    house.let_run(1);
    let reply = house.ask("LOOK", json!({})).await;
    assert_eq!(stopped(&reply).code, Code::Internal);
    assert!(stopped(&reply).message.contains("so nothing was run"), "{reply:?}");
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn an_answer_that_can_not_be_written_down_is_none_and_a_stop_is_one_all_the_same() {
    let house = house();
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let house = house.restarted_with(|home| {
        let log = home.router_audit().join("router-1.jsonl");
        std::fs::remove_file(&log).unwrap();
        symlink("/dev/full", log).unwrap();
    });
    let house = house.await;
    let answered = house.answer(&id, "no", None).await;
    assert_eq!(stopped(&answered).code, Code::Internal);
    let open = house.ask("APPROVALS", json!({})).await;
    assert_eq!(done(&open).result["approvals"][0]["id"], json!(id));
    assert_eq!(done(&house.ask("STOP", json!({})).await).result["recorded"], false);
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Stopped);
}

#[tokio::test]
async fn routers_that_share_a_home_write_logs_of_their_own() {
    let home = TempHome::new();
    let open = || Audit::open(&home.router_audit(), Secrets::default()).unwrap();
    let (_first, _second) = (open(), open());
    assert!(home.router_audit().join("router-2.jsonl").exists());
}

#[tokio::test]
async fn what_was_changed_since_it_was_pinned_is_disabled_and_off_the_catalogue() {
    let house = house();
    let pins = house.home.router_state().join("skills.json");
    let read = || std::fs::read_to_string(&pins).unwrap_or_default();
    testkit::eventually("it is pinned", async || read().contains("\"POST\": \"")).await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let mut events = house.events().await;
    house.let_run(1);
    house.home.put("router/skills/post/more", "x");
    // Whether the change has been noticed yet or not.
    let answer = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    assert!(matches!(answer.outcome, Outcome::Done(_)), "{answer:?}");
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert!(matches!(stopped(&result).code, Code::Disabled | Code::Policy), "{result:?}");
    testkit::eventually("it is noticed", async || {
        matches!(&house.ask("POST", json!({})).await.outcome, Outcome::Stopped(stopped)
            if stopped.code == Code::Disabled && stopped.message.contains("`safeclaw router trust POST`"))
    })
    .await;
    assert_eq!(house.ran(), 0);
}
