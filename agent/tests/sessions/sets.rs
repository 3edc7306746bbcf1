//! Actions that come in sets: what is offered when, and to whom.

use protocol::{ActionCard, Done};
use serde_json::json;

use crate::house::{House, house};

const ASKS: &str = r#"say <tool_code>[{"name": "SEARCH", "params": {}}]</tool_code>"#;

pub(crate) fn search() -> ActionCard {
    let card = json!({"name": "SEARCH", "instruction": "Search the papers.", "params": {}, "effect": "none",
        "reads": "none", "set": "library"});
    serde_json::from_value(card).unwrap()
}

/// What the model is shown, without the marks that differ from session to session.
async fn prompt(house: &mut House) -> String {
    house.console.say("owner", "console:owner", "hello").await;
    house.console.heard("owner").await;
    house.shown()
}

#[tokio::test]
async fn a_set_that_is_off_changes_no_byte_of_the_prompt_and_nothing_of_it_runs() {
    let mut house = house();
    let before = prompt(&mut house).await;
    house.clear().await;
    house.offers(search());
    assert_eq!(prompt(&mut house).await, before);
    for asks in [ASKS, "/run SEARCH"] {
        house.console.say("owner", "console:owner", asks).await;
        house.telegram.say("telegram-1", "telegram:1", asks).await;
        let (owner, guest) =
            (house.console.heard("owner").await, house.telegram.heard("telegram-1").await);
        for heard in [owner, guest] {
            assert!(heard.contains("there is no action"), "{asks}: {heard}");
        }
    }
}

#[tokio::test]
async fn a_set_that_is_on_is_offered_to_the_owner_and_to_no_guest() {
    let mut house = house();
    house.offers(search());
    for (command, told) in [
        ("/sets", "library        off  1 action"),
        ("/sets on libary", "there is no set libary; did you mean library?"),
        ("/sets on library", "The set library is on: its actions are offered."),
    ] {
        house.console.say("owner", "console:owner", command).await;
        let heard = house.console.heard("owner").await;
        assert!(heard.contains(told), "{heard}");
    }
    assert!(prompt(&mut house).await.contains("Search the papers."));
    house.console.say("owner", "console:owner", ASKS).await;
    assert_eq!(house.answers(Done::default()).await.action.as_str(), "SEARCH");
    house.console.heard("owner").await;
    house.shown();
    house.telegram.say("telegram-1", "telegram:1", ASKS).await;
    let heard = house.telegram.heard("telegram-1").await;
    assert!(heard.contains("there is no action"), "{heard}");
    assert!(!house.shown().contains("Search the papers."));
    house.telegram.say("telegram-1", "telegram:1", "/sets").await;
    assert!(house.telegram.heard("telegram-1").await.contains("only the owner says"));
}
