//! What is not any more as it was when a person was asked, or never could be asked as it is.

use super::*;

/// What is approved is not any more what was asked, and the session is told so.
async fn a_yes_runs_nothing(house: &House, events: &mut mpsc::UnboundedReceiver<Event>, id: &str) {
    let before = house.ran();
    house.answer(id, "yes", None).await;
    assert_eq!(stopped(&result(events).await).code, Code::Policy);
    assert_eq!(house.ran(), before);
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
    a_yes_runs_nothing(&house, &mut events, &id).await;
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
    let text = "ä".repeat(40_000);
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
        let (id, shown) = question(&house.ask(action, json!({})).await);
        let code = shown.contains("type ").then(|| code_in(&shown));
        done(&house.answer(&id, "yes", code).await);
        let result = result(&mut events).await;
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
    a_yes_runs_nothing(&house, &mut events, &id).await;
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
