//! What the owner's PIN lets go on, and what it does not.

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};

use super::*;

const PIN: &str = "493817";

/// A house with that PIN, whose policy says `more`, which guards `LOOK` and `POST`.
fn house(more: &str) -> House {
    let policy = format!(
        "[effects]\nnone = \"allow\"\nexternal = \"allow\"\n[pin]\nfor = [\"LOOK\", \"POST\"]\n{more}"
    );
    // A digest that costs little: the router takes its terms from it.
    let cheap = Params::new(8, 1, 1, None).unwrap();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, cheap);
    let digest = argon2.hash_password(PIN.as_bytes()).unwrap().to_string();
    let prepare = |home: &TempHome| {
        home.put("router/policy.toml", policy);
        home.put("router/pin.json", json!({"argon2id": digest}).to_string());
    };
    house_with(prepare, 8)
}

/// The id of the question that asks for the PIN.
async fn asked(house: &House, action: &str, params: Value) -> String {
    let reply = house.ask(action, params).await;
    assert_eq!(reply.fields["approval"]["pin"], true, "{reply:?}");
    question(&reply).0
}

async fn typed(house: &House, id: &str, answer: &str) -> Reply {
    house.ask("APPROVE", json!({"id": id, "answer": answer, "pin": PIN})).await
}

fn mode() -> Value {
    json!({"action": "_MODE", "params": {"mode": "off"}})
}

#[tokio::test]
async fn one_pin_lets_go_on_all_that_its_chat_has_asked_for_and_nothing_of_another() {
    let house = house("[limits]\npending = 9\n");
    house.let_run(9);
    let mut events = house.events().await;
    let first = asked(&house, "LOOK", json!({"text": "1"})).await;
    for text in ["2", "3"] {
        asked(&house, "LOOK", json!({"text": text})).await;
    }
    let mut others = Vec::new();
    for (session, principal) in [("owner", "telegram:42"), ("telegram-7", "console:owner")] {
        let mut other = command(&format!("of-{session}"), "LOOK", json!({"text": "4"}));
        other.envelope.session = Some(SessionKey::new(session).unwrap());
        other.envelope.principal = Some(Principal::new(principal).unwrap());
        others.push(question(&house.agent.request(other, LONG).await.unwrap()).0);
    }
    done(&typed(&house, &first, "yes").await);
    for _ in 0..3 {
        done(&result(&mut events).await);
    }
    let open = house.ask("APPROVALS", json!({})).await;
    let open = done(&open).result["approvals"].as_array().unwrap().clone();
    let mut open: Vec<&str> = open.iter().map(|open| open["id"].as_str().unwrap()).collect();
    open.sort_unstable();
    others.sort_unstable();
    assert_eq!(open, others);
    assert_eq!(house.ran(), 3);
}

#[tokio::test]
async fn what_waits_for_the_pin_is_counted_once() {
    let house = house("[limits]\nper_minute = 2\n");
    house.let_run(9);
    let mut events = house.events().await;
    let id = asked(&house, "POST", json!({})).await;
    let permit = asked(&house, "PERMIT", mode()).await;
    done(&typed(&house, &id, "yes").await);
    for _ in 0..2 {
        done(&result(&mut events).await);
    }
    assert_eq!(house.ran(), 1);
    // The agent asks again, and this is the second of two.
    let mut again = command("again", "PERMIT", mode());
    again.envelope.said = Some("/mode off".to_owned());
    let again = house.agent.request(again, LONG).await.unwrap();
    assert_eq!(done(&again).result["permitted"], true);
    assert_eq!(stopped(&house.ask("POST", json!({})).await).code, Code::Budget);
    assert_eq!(stopped(&typed(&house, &permit, "yes").await).code, Code::BadParams);
}

#[tokio::test]
async fn a_no_is_a_no_whatever_is_typed_with_it() {
    let house = house("");
    let mut events = house.events().await;
    let id = asked(&house, "LOOK", json!({})).await;
    done(&typed(&house, &id, "no").await);
    assert_eq!(stopped(&result(&mut events).await).code, Code::Owner);
    asked(&house, "LOOK", json!({"text": "more"})).await;
    assert_eq!(house.ran(), 0);
    assert!(!house.audit().contains(PIN));
}

#[tokio::test]
async fn a_pin_that_can_not_be_written_down_opens_nothing() {
    let house = house("");
    let id = asked(&house, "LOOK", json!({})).await;
    let house = house.restarted_with(|home| {
        let log = home.router_audit().join("router-1.jsonl");
        std::fs::remove_file(&log).unwrap();
        symlink("/dev/full", log).unwrap();
    });
    let house = house.await;
    assert_eq!(stopped(&typed(&house, &id, "yes").await).code, Code::Internal);
    asked(&house, "LOOK", json!({"text": "more"})).await;
}

#[tokio::test]
async fn behind_the_pin_a_rule_still_asks_and_no_permission_is_left() {
    let house = house("[[rules]]\naction = \"_MODE\"\nthen = \"ask\"\n");
    let mut events = house.events().await;
    let id = asked(&house, "PERMIT", mode()).await;
    done(&typed(&house, &id, "yes").await);
    done(&result(&mut events).await);
    let asked = house.ask("PERMIT", mode()).await;
    assert_eq!(asked.fields["approval"]["pin"], false, "{asked:?}");
    done(&house.answer(&question(&asked).0, "yes", None).await);
    done(&result(&mut events).await);
    assert_eq!(done(&house.ask("PERMIT", mode()).await).result["permitted"], true);
    assert_eq!(stopped(&house.ask("PERMIT", mode()).await).code, Code::Approval);
}
