//! A person lets a conversation go on that was told no too often, and takes a no back.

use broker::Requester;
use protocol::{Code, MessageId, Reply, SessionKey};
use serde_json::json;

use crate::{House, LONG, command, done, house, question, result, stopped};

async fn refuse(house: &House, texts: &[&str]) {
    let mut events = house.events().await;
    for text in texts {
        let (id, _) = question(&house.ask("POST", json!({ "text": text })).await);
        done(&house.answer(&id, "no", None).await);
        assert_eq!(stopped(&result(&mut events).await).code, Code::Owner);
    }
}

async fn unlocks_as(house: &House, session: &str) -> Reply {
    let mut unlock = command("unlock", "UNLOCK_SESSION", json!({"session": "owner"}));
    unlock.message_id = MessageId::new(format!("unlock-{session}")).unwrap();
    unlock.envelope.session = Some(SessionKey::new(session).unwrap());
    house.agent.request(unlock, LONG).await.unwrap()
}

#[tokio::test]
async fn the_owner_lets_a_stopped_conversation_go_on_and_nobody_else_does() {
    let house = house();
    refuse(&house, &["a", "b", "c"]).await;
    for session in ["telegram-66", "legacy"] {
        assert_eq!(stopped(&unlocks_as(&house, session).await).code, Code::Owner, "{session}");
    }
    assert_eq!(stopped(&house.ask("LOOK", json!({})).await).code, Code::Budget);
    done(&house.ask("UNLOCK_SESSION", json!({})).await);
    house.let_run(1);
    done(&house.ask("LOOK", json!({})).await);
    assert!(house.audit().contains(r#""deed":"resume_session","session":"owner""#));
}

#[tokio::test]
async fn one_no_is_taken_back_and_asked_about_again() {
    let house = house();
    refuse(&house, &["a"]).await;
    assert_eq!(stopped(&house.ask("POST", json!({"text": "a"})).await).code, Code::Owner);
    done(&house.ask("UNLOCK_SESSION", json!({"session": "owner"})).await);
    let _ = question(&house.ask("POST", json!({"text": "a"})).await);
    let unknown = house.ask("UNLOCK_SESSION", json!({"session": "telegram-66"})).await;
    assert_eq!(stopped(&unknown).code, Code::BadParams);
}
