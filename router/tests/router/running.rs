//! What runs side by side, is taken back, or is still there when the router closes.

use super::*;

#[tokio::test]
async fn what_is_taken_back_is_stopped() {
    let house = house();
    let asked = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    house.agent.cancel(&MessageId::new("m1").unwrap()).await;
    assert_eq!(stopped(&asked.await.unwrap()).code, Code::Cancelled);
    assert_eq!(house.running(), 0);
}

#[tokio::test]
async fn as_many_run_side_by_side_as_there_are_slots_and_the_others_wait() {
    let house = house_with(|_| {}, 2);
    let asked: Vec<_> = (0..5).map(|n| house.asking(&format!("m{n}"), "LOOK")).collect();
    eventually("two run", async || house.running() == 2).await;
    house.let_run(5);
    for reply in asked {
        done(&reply.await.unwrap());
    }
    assert_eq!(house.sandbox.most.load(Ordering::SeqCst), 2);
}

const DESK: &str = "mode = \"serve\"\nper = \"session\"\ntimeout = \"5m\"";

#[tokio::test]
async fn a_call_that_may_take_long_leaves_its_slot_to_the_others() {
    let house = house_with(|home| skill(home, "desk", "none", DESK), 1);
    let long = house.asking("m1", "DESK");
    eventually("it runs", async || house.running() == 1).await;
    let second = house.ask("DESK", json!({})).await;
    assert_eq!(stopped(&second).code, Code::QueueFull);
    let short = house.asking("m2", "LOOK");
    eventually("both run", async || house.running() == 2).await;
    house.let_run(2);
    let (long, short) = (long.await.unwrap(), short.await.unwrap());
    done(&long);
    done(&short);
}

#[tokio::test]
async fn what_finds_no_place_uses_no_permission_up() {
    let rule = "[[rules]]\naction = \"DESK\"\nthen = \"allow\"\ntimes = 2\n";
    let prepare = |home: &TempHome| {
        skill(home, "desk", "external", DESK);
        home.put("router/policy.toml", format!("[effects]\nexternal = \"refuse\"\n{rule}"));
    };
    let house = house_with(prepare, 1);
    let first = house.asking("m1", "DESK");
    eventually("it runs", async || house.running() == 1).await;
    let second = house.ask("DESK", json!({})).await;
    assert_eq!(stopped(&second).code, Code::QueueFull);
    house.let_run(2);
    done(&first.await.unwrap());
    done(&house.ask("DESK", json!({})).await);
    assert_eq!(stopped(&house.ask("DESK", json!({})).await).code, Code::Policy);
}

#[tokio::test]
async fn a_conversations_process_wants_one_router_alone() {
    let house = house_with(|home| skill(home, "desk", "none", DESK), 8);
    house.let_run(2);
    done(&house.ask("DESK", json!({})).await);
    house.routers.store(2, Ordering::SeqCst);
    let refused = house.ask("DESK", json!({})).await;
    assert_eq!(stopped(&refused).code, Code::Disabled);
    assert!(stopped(&refused).message.contains("several serve this queue"));
    done(&house.ask("LOOK", json!({})).await);
}

#[tokio::test]
async fn closing_finishes_what_runs_and_begins_nothing_more() {
    let mut house = house_with(|_| {}, 1);
    let runs = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    let waits = house.asking("m2", "LOOK");
    house.shutdown.cancel();
    assert_eq!(stopped(&waits.await.unwrap()).code, Code::Draining);
    house.let_run(1);
    done(&runs.await.unwrap());
    (&mut house.router).await.unwrap();
    assert_eq!(house.ran(), 1);
}

#[tokio::test]
async fn closing_waits_for_what_a_person_has_approved() {
    let mut house = house();
    let mut events = house.events().await;
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    eventually("it runs", async || house.running() == 1).await;
    house.shutdown.cancel();
    house.let_run(1);
    (&mut house.router).await.unwrap();
    let result = Reply::from_fields(events.recv().await.unwrap().reply.unwrap());
    done(&result);
}

#[tokio::test]
async fn closing_leaves_what_was_approved_and_not_begun_to_the_next_router() {
    let house = house_with(|_| {}, 1);
    let mut events = house.events().await;
    for text in ["first", "second"] {
        let (id, _) = question(&house.ask("POST", json!({"text": text})).await);
        house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
        eventually("it is taken up", async || {
            house.home.text(format!("router/state/approvals/{id}.entry")).contains("taken_up")
        })
        .await;
    }
    eventually("the first one runs", async || house.running() == 1).await;
    house.shutdown.cancel();
    house.let_run(1);
    let said = |result: &Reply| done(result).result["said"]["text"].clone();
    assert_eq!(said(&result(&mut events).await), "first");
    let house = house.restarted().await;
    let mut events = house.events().await;
    house.let_run(1);
    assert_eq!(said(&result(&mut events).await), "second");
}

#[tokio::test(start_paused = true)]
async fn what_outlives_the_grace_is_stopped_answered_and_written_down() {
    let mut house = house_with(|home| skill(home, "mark", "none", "idempotent = false\n"), 8);
    house.let_run(1);
    let (id, _) = question(&house.ask("POST", json!({})).await);
    house.ask("APPROVE", json!({"id": id, "answer": "yes"})).await;
    eventually("it ran", async || house.ran() == 1).await;
    let again = house.asking("m1", "LOOK");
    let once = house.asking("m2", "MARK");
    eventually("both run", async || house.running() == 2).await;
    house.shutdown.cancel();
    // What may run again goes back, which on this transport is a word that says so.
    assert_eq!(stopped(&again.await.unwrap()).code, Code::Draining);
    let reply = once.await.unwrap();
    let once = stopped(&reply);
    assert_eq!(once.code, Code::Interrupted);
    assert!(once.maybe_executed);
    (&mut house.router).await.unwrap();
    assert_eq!(house.running(), 0);
    assert!(house.audit().contains("\"code\":\"interrupted\""));
}

#[tokio::test]
async fn what_was_taken_back_before_it_was_begun_is_not_run() {
    let house = house_with(|_| {}, 1);
    let runs = house.asking("m1", "LOOK");
    eventually("it runs", async || house.running() == 1).await;
    let waits = house.asking("m2", "LOOK");
    house.agent.cancel(&MessageId::new("m2").unwrap()).await;
    house.let_run(2);
    done(&runs.await.unwrap());
    assert_eq!(stopped(&waits.await.unwrap()).code, Code::Cancelled);
    assert_eq!(house.ran(), 1);
}
