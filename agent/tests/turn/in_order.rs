//! Commands for the workbench in one answer of a chat: each stands on what the one before has left.

use broker::{Request, Responder};
use protocol::{Code, Stopped};
use serde_json::json;

use super::house::{House, done, house};

const BOTH: &str = r#"<tool_code>[
    {"name": "WORKBENCH", "params": {"env": "editor", "command": "edit a.txt 1-1\none"}},
    {"name": "WORKBENCH", "params": {"env": "editor", "command": "edit a.txt 3-3\nthree"}},
    {"name": "LOOK", "params": {}}
]</tool_code>"#;

/// What is asked for next: the command, or the action's name.
async fn next(house: &mut House) -> (Request, String) {
    let request = house.router.receive().await.unwrap();
    let asked = request.command().unwrap();
    let text = asked.params.get("command").and_then(|command| command.as_str());
    let text = text.unwrap_or(asked.action.as_str()).to_owned();
    (request, text)
}

#[tokio::test]
async fn a_second_command_waits_for_the_first_and_says_that_nobody_has_seen_the_screen_between() {
    let mut house = house(&[BOTH, "Done."]).await;
    house.say("edit both").await;
    let (first, text) = next(&mut house).await;
    assert_eq!(text, "edit a.txt 1-1\none");
    // What has nothing to do with the workbench waits for nobody.
    let (look, text) = next(&mut house).await;
    assert_eq!(text, "LOOK");
    look.reply(done("n", json!(1)));
    first.reply(done("output", json!("edited")));
    let (second, text) = next(&mut house).await;
    assert_eq!(text, "# written together with the one before\nedit a.txt 3-3\nthree");
    second.reply(done("output", json!("edited again")));
    assert!(house.heard().await.ends_with("Done."));
    assert!(house.prompt(1).contains("edited again"), "{}", house.prompt(1));
}

#[tokio::test]
async fn what_follows_a_command_that_has_not_run_does_not_run() {
    let mut house = house(&[BOTH, "Nothing is edited."]).await;
    house.say("edit both").await;
    next(&mut house).await.0.reply(Stopped::new(Code::Policy, "no"));
    next(&mut house).await.0.reply(done("n", json!(1)));
    let heard = house.heard().await;
    assert!(heard.contains("the command before it in the same answer has not run"), "{heard}");
    assert!(heard.ends_with("Nothing is edited."), "{heard}");
    let told = house.prompt(1);
    assert!(told.contains("the command before it in the same answer has not run"), "{told}");
}
