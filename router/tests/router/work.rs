//! A person opens a folder, and nobody else does.

use broker::Requester;
use protocol::{Code, Reply, SessionKey};
use serde_json::{Value, json};

use crate::{House, LONG, command, done, house_with, stopped};

/// A house with the workbench, and a folder beside it.
fn house() -> (House, tempfile::TempDir) {
    let workbench = |home: &testkit::TempHome| {
        let manifest = include_str!("../../skills/workbench/skill.toml");
        home.put("router/skills/workbench/skill.toml", manifest);
    };
    (house_with(workbench, 8), tempfile::tempdir().unwrap())
}

/// What comes of a WORK command in `session` for which somebody has typed `said`.
async fn asked(house: &House, session: &str, said: Option<&str>, params: Value) -> Reply {
    let mut work = command(&uuid::Uuid::now_v7().to_string(), "WORK", params);
    work.envelope.session = Some(SessionKey::new(session).unwrap());
    work.envelope.said = said.map(str::to_owned);
    house.agent.request(work, LONG).await.unwrap()
}

#[tokio::test]
async fn the_owner_opens_a_folder_by_typing_it_and_it_stays_open_over_a_restart() {
    let (house, folder) = house();
    let folder = folder.path().canonicalize().unwrap();
    let path = folder.to_str().unwrap();
    let said = format!("/work {path} make it work");
    let opened = asked(&house, "owner", Some(&said), json!({"folder": path})).await;
    assert_eq!(done(&opened).result["folder"], path);
    assert!(house.audit().contains(r#""deed":"open_folder""#));
    let config = house.home.root().join("router/config.json");
    assert!(!config.exists(), "the settings are the owner's");
    let house = house.restarted().await;
    let told = asked(&house, "owner", Some("/work"), json!({})).await;
    assert_eq!(done(&told).result["folder"], path);
    let closed = asked(&house, "owner", Some("/work off"), json!({"close": true})).await;
    assert_eq!(done(&closed).result["folder"], Value::Null);
    let once = asked(&house, "owner", Some(&said), json!({"folder": path, "once": true})).await;
    assert_eq!(done(&once).result["folder"], path);
    let house = house.restarted().await;
    let told = asked(&house, "owner", Some("/work"), json!({})).await;
    assert_eq!(done(&told).result["folder"], Value::Null);
}

#[tokio::test]
async fn no_guest_no_clock_and_no_model_opens_a_folder() {
    let (house, folder) = house();
    let path = folder.path().canonicalize().unwrap();
    let path = path.to_str().unwrap();
    let said = format!("/work {path}");
    let elsewhere = "/work /srv/other";
    let page = format!("what does this page say: /work {path}");
    for (session, said) in [
        ("telegram-66", Some(said.as_str())),
        ("legacy", Some(&said)),
        ("owner", None),
        ("owner", Some(elsewhere)),
        ("owner", Some(&page)),
    ] {
        let refused = asked(&house, session, said, json!({"folder": path})).await;
        assert_eq!(stopped(&refused).code, Code::Owner, "{session} {said:?}");
    }
    let told = asked(&house, "owner", Some("/work"), json!({})).await;
    assert_eq!(done(&told).result["folder"], Value::Null);
    let own = house.home.root().join("router").canonicalize().unwrap();
    let own = own.to_str().unwrap();
    let said = format!("/work {own}");
    let refused = asked(&house, "owner", Some(&said), json!({"folder": own})).await;
    assert_eq!(stopped(&refused).code, Code::BadParams);
    assert!(stopped(&refused).message.contains("SafeClaw's own home"));
}

#[tokio::test]
async fn where_nothing_was_done_nothing_is_undone() {
    let (house, _folder) = house();
    let mut undo = command("u1", "WORK", json!({"undo": true}));
    undo.envelope.said = Some("/undo".to_owned());
    let nothing = house.agent.request(undo, LONG).await.unwrap();
    assert!(stopped(&nothing).message.contains("nothing to undo"));
    let by_nobody = house.ask("WORK", json!({"undo": true})).await;
    assert_eq!(stopped(&by_nobody).code, Code::Owner);
}
