//! What a person is asked, and what the answer is worth.

use super::*;

#[tokio::test]
async fn what_is_seen_elsewhere_runs_only_after_a_persons_yes() {
    let house = house();
    let mut events = house.events().await;
    for action in ["POST", "WIPE"] {
        house.let_run(1);
        let before = house.ran();
        let reply = house.ask(action, json!({"text": "Grüße\u{202e}"})).await;
        let (id, shown) = question(&reply);
        assert_eq!(
            shown,
            format!("{action} {{\n  \"text\": \"Gr\\u{{fc}}\\u{{df}}e\\u{{202e}}\"\n}}")
        );
        assert_eq!(house.ran(), before);
        let answer = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
        assert!(matches!(answer.outcome, Outcome::Done(_)), "{answer:?}");
        let event = events.recv().await.unwrap();
        let result = Reply::from_fields(event.reply.unwrap());
        assert_eq!(done(&result).result["said"]["text"], "Grüße\u{202e}");
        assert_eq!(result.message_id, reply.message_id);
        assert!(house.audit().contains("approved by console:owner"));
        let again = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
        assert_eq!(stopped(&again).code, Code::BadParams, "an answer counts once");
    }
}

#[tokio::test]
async fn a_yes_counts_at_once_also_where_one_runs_at_a_time() {
    let house = house_with(|_| {}, 1);
    let mut events = house.events().await;
    house.let_run(1);
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    let event = tokio::time::timeout(LONG, events.recv()).await.unwrap().unwrap();
    done(&Reply::from_fields(event.reply.unwrap()));
}

#[tokio::test]
async fn a_no_is_a_no() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "no"})).await;
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Owner);
    assert_eq!(house.ran(), 0);
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_a_no() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let asked = tokio::time::Instant::now();
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Owner);
    assert!(asked.elapsed() >= PATIENCE);
    let late = house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    assert_eq!(stopped(&late).code, Code::BadParams);
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn an_answer_counts_only_from_the_session_that_asked_and_in_a_name() {
    let house = house();
    let (id, _) = question(&house.ask("POST", json!({})).await);
    let answer = || command("a1", "APPROVE", json!({"id": id, "answer": "yes"}));
    let mut foreign = answer();
    foreign.envelope.session = Some(SessionKey::new("guest").unwrap());
    let mut nobody = answer();
    nobody.envelope.principal = None;
    for answer in [foreign, nobody] {
        let reply = house.agent.request(answer, LONG).await.unwrap();
        assert_eq!(stopped(&reply).code, Code::Owner);
    }
    for params in [
        json!({}),
        json!({"id": id}),
        json!({"id": "x", "answer": "yes"}),
        json!({"id": id, "answer": true}),
    ] {
        assert_eq!(stopped(&house.ask("APPROVE", params).await).code, Code::BadParams);
    }
    assert_eq!(house.ran(), 0);
}

#[tokio::test]
async fn a_session_can_not_pile_up_questions() {
    let house = house();
    for _ in 0..3 {
        question(&house.ask("POST", json!({})).await);
    }
    assert_eq!(stopped(&house.ask("POST", json!({})).await).code, Code::Budget);
}

#[tokio::test]
async fn a_yes_does_not_run_what_was_changed_since_the_question() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.home.put("router/skills/post/run", "#!/bin/sh\n# something else\n");
    let folder = house.home.router_skills().join("post/run");
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    skill(&house.home, "sign", "none", "");
    eventually("the change is seen", async || {
        house.let_run(1);
        matches!(house.ask("SIGN", json!({})).await.outcome, Outcome::Done(_))
    })
    .await;
    let before = house.ran();
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Policy);
    assert_eq!(house.ran(), before);
}

#[tokio::test]
async fn a_question_that_nobody_could_read_is_not_asked() {
    let house = house_with(
        |home| skill(home, "essay", "external", "[[examples]]\nsay = \"x\"\nparams = {}\n"),
        8,
    );
    let manifest = house.home.text("router/skills/essay/skill.toml");
    let wide = manifest.replace("maxLength = 20", "maxLength = 200000");
    house.home.put("router/skills/essay/skill.toml", wide);
    let text = "ä".repeat(30_000);
    eventually("the longer text is taken", async || {
        let reply = house.ask("ESSAY", json!({"text": text})).await;
        stopped(&reply).code == Code::TooLarge
    })
    .await;
}

#[tokio::test]
async fn what_can_not_be_taken_back_runs_only_once_its_row_is_on_the_disk() {
    // Everything can be written there, and nothing can be synced.
    let null = |home: &TempHome| {
        symlink("/dev/null", home.router_audit().join("router-1.jsonl")).unwrap();
    };
    let house = house_with(null, 8);
    house.let_run(3);
    let mut events = house.events().await;
    assert!(matches!(house.ask("LOOK", json!({})).await.outcome, Outcome::Done(_)));
    for action in ["POST", "WIPE"] {
        let (id, _) = question(&house.ask(action, json!({})).await);
        house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
        let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
        assert_eq!(stopped(&result).code, Code::Internal);
        assert!(stopped(&result).message.contains("so nothing was run"), "{result:?}");
    }
    assert_eq!(house.ran(), 1);
}

#[tokio::test]
async fn a_yes_to_what_another_policy_asked_runs_nothing() {
    let house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.let_run(1_000);
    house.home.put("router/policy.toml", "[effects]\nexternal = \"ask\"\n");
    eventually("the new policy counts", async || {
        matches!(house.ask("LOOK", json!({})).await.outcome, Outcome::Stopped(_))
    })
    .await;
    let before = house.ran();
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    assert_eq!(stopped(&result).code, Code::Policy);
    assert_eq!(house.ran(), before);
}

#[tokio::test]
async fn a_claim_of_the_agent_raises_what_is_asked() {
    let policy = "[effects]\nexternal = \"allow\"\n";
    let house = house_with(|home| home.put("router/policy.toml", policy), 8);
    house.let_run(2);
    done(&house.ask("POST", json!({})).await);
    let mut tainted = command("t1", "POST", json!({}));
    tainted.envelope.taint = protocol::Taint { untrusted: true, private: false };
    let reply = house.agent.request(tainted, LONG).await.unwrap();
    assert_eq!(stopped(&reply).code, Code::Approval);
}
