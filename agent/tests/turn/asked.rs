//! Questions: how they are answered, and what is done then.

use super::*;

/// What a router says of the questions that wait.
fn open() -> Done {
    done(
        "approvals",
        json!([
            {"id": "11aa", "question": "POST {}", "seconds": 500},
            {"id": "11bb", "question": "WIPE {}\nCode: K7QX", "seconds": 500, "code": true, "grant": "WIPE of x"},
        ]),
    )
}

#[tokio::test]
async fn questions_from_before_a_restart_are_listed_and_answered() {
    let mut house = house(&[]).await;
    let (command, heard) = house.routed("/approvals", open()).await;
    assert_eq!(command.action.as_str(), "APPROVALS");
    assert!(heard.contains("?11aa POST {}") && heard.contains("?11bb WIPE {}"), "{heard}");
    for (typed, sent) in [
        ("/approve 11a", json!({"id": "11aa", "answer": "yes"})),
        ("/deny 11aa", json!({"id": "11aa", "answer": "no"})),
        ("/approve 11b k7qx", json!({"id": "11bb", "answer": "yes", "code": "K7QX"})),
        ("/approve 11b always K7QX", json!({"id": "11bb", "answer": "always", "code": "K7QX"})),
    ] {
        house.say(typed).await;
        house.router.receive().await.unwrap().reply(open());
        let answer = house.router.receive().await.unwrap();
        assert_eq!(answer.command().unwrap().action.as_str(), "APPROVE");
        assert_eq!(Value::from(answer.command().unwrap().params.clone()), sent, "{typed}");
        answer.reply(Done::default());
        let heard = house.heard().await;
        assert!(
            heard.starts_with("\n[question 11") && heard.contains("console:owner said "),
            "{heard}"
        );
    }
    for (typed, why) in [
        ("/approve 11", "2 open questions begin with \"11\""),
        ("/approve 22", "no open question begins with \"22\": 11aa, 11bb"),
        ("/approve 11bb", "/approve 11bb CODE"),
        ("/approve 11aa always", "always is not offered"),
    ] {
        let (_, heard) = house.routed(typed, open()).await;
        assert!(heard.contains(why), "{typed}: {heard}");
    }
}

#[tokio::test]
async fn the_only_open_question_needs_no_id() {
    let mut house = house(&[]).await;
    let one = || done("approvals", json!([{"id": "11aa", "question": "POST {}", "seconds": 500}]));
    for (typed, word) in [("/approve", "yes"), ("/deny", "no")] {
        house.say(typed).await;
        house.router.receive().await.unwrap().reply(one());
        let answer = house.router.receive().await.unwrap();
        let sent = Value::from(answer.command().unwrap().params.clone());
        assert_eq!(sent, json!({"id": "11aa", "answer": word}));
        answer.reply(Done::default());
        house.heard().await;
    }
    let (_, heard) = house.routed("/approve", open()).await;
    assert!(heard.contains("[say which, with its ID: 11aa, 11bb]"), "{heard}");
    let (_, heard) = house.routed("/deny", done("approvals", json!([]))).await;
    assert!(heard.contains("[no question is open]"), "{heard}");
}

#[tokio::test]
async fn a_command_that_answers_a_question_waits_for_no_turn() {
    let mut house = house(&[&actions(&["LOOK"])]).await;
    house.say("look").await;
    let look = house.router.receive().await.unwrap();
    house.say("/approve 11aa").await;
    house.router.receive().await.unwrap().reply(open());
    let answer = house.router.receive().await.unwrap();
    assert_eq!(answer.command().unwrap().action.as_str(), "APPROVE");
    answer.reply(Done::default());
    assert!(!look.cancelled().is_cancelled());
    let mut heard = house.hear().await;
    while !matches!(heard, Outgoing::Settled { .. }) {
        heard = house.hear().await;
    }
    look.reply(Done::default());
}

#[tokio::test]
async fn an_old_router_is_answered_by_what_the_session_has_seen() {
    let mut house = house(&[]).await;
    let approval = json!({"id": "q-1", "question": "POST {}", "seconds": 600});
    let pending = Stopped::new(Code::Approval, "it waits").with("approval", approval);
    house.routed("/run POST", pending).await;
    house.say("/approve q").await;
    let unknown = Stopped::new(Code::UnknownAction, "no skill APPROVALS");
    house.router.receive().await.unwrap().reply(unknown);
    let answer = house.router.receive().await.unwrap();
    assert_eq!(answer.command().unwrap().params["id"], "q-1");
    answer.reply(Done::default());
    house.heard().await;
}

#[tokio::test]
async fn who_has_approved_and_says_no_more_still_hears_the_result() {
    let mut house = house(&[]).await;
    house.say("/approve 11aa").await;
    house.router.receive().await.unwrap().reply(open());
    house.router.receive().await.unwrap().reply(Done::default());
    house.heard().await;
    let (nobody, _) = mpsc::channel(1);
    drop(std::mem::replace(&mut house.incoming, nobody));
    assert!(!house.task.is_finished());
    house.result("POST", done("url", json!("https://x.com/1"))).await;
    tokio::time::timeout(LONG, house.task).await.unwrap().unwrap();
    assert!(house.home.text("workspace/artifact.json").contains("https://x.com/1"));
}

#[tokio::test]
async fn who_has_answered_nothing_waits_for_nothing() {
    let mut house = house(&[]).await;
    let approval = json!({"id": "q-1", "question": "POST {}", "seconds": 600});
    let pending = Stopped::new(Code::Approval, "it waits").with("approval", approval);
    house.routed("/run POST", pending).await;
    let (nobody, _) = mpsc::channel(1);
    drop(std::mem::replace(&mut house.incoming, nobody));
    tokio::time::timeout(LONG, house.task).await.unwrap().unwrap();
}

#[tokio::test]
async fn stop_throws_the_kill_switch_and_ends_the_turn_that_runs() {
    let mut house = house(&[&actions(&["LOOK"])]).await;
    let (command, heard) = house.routed("/stop", Done::default()).await;
    assert_eq!((command.action.as_str(), command.params.len()), ("STOP", 0));
    assert!(heard.contains("safeclaw resume"), "{heard}");
    house.say("look").await;
    let look = house.router.receive().await.unwrap();
    house.say("hello").await;
    house.say("/stop").await;
    tokio::time::timeout(LONG, look.cancelled().cancelled()).await.unwrap();
    let stop = house.router.receive().await.unwrap();
    assert_eq!(stop.command().unwrap().action.as_str(), "STOP");
    stop.reply(Stopped::new(Code::UnknownAction, "no skill STOP"));
    assert!(house.heard().await.ends_with("[stopped]\n"));
    assert!(house.heard().await.contains("end it to be sure"));
}

const WANTS: &str =
    r#"<tool_code>[{"name": "_ASKS", "params": {"url": "https://a.test"}}]</tool_code>"#;

#[tokio::test]
async fn what_is_done_after_a_yes_has_the_bits_under_which_it_was_wanted() {
    let mut taints = Vec::new();
    for was_read in [false, true] {
        let mut house = house(&[WANTS, "You are asked."]).await;
        if was_read {
            house.routed("/run MAIL", done("mail", json!("dear Frankie"))).await;
        }
        house.turn("look").await;
        house.turn("/new").await;
        house.result_of(Some(ASKED), "_ASKS", Done::default()).await;
        assert_eq!(house.hear().await, Outgoing::Working("_ASKS is running".to_owned()));
        house.hear_ended().await;
        house.hear().await;
        taints.push(house.taint().await);
    }
    // The action itself brings T.
    assert_eq!(taints, ["T", "TP"]);
}

/// A house in which a person was asked about the one thing that the model wanted, and has answered so.
async fn asked_first(choice: Choice) -> House {
    let mut house = house(&[WANTS, "You are asked.", "It was seen."]).await;
    let heard = house.turn("look").await;
    assert!(heard.contains("<_ASKS: pending") && heard.contains("?0123456789 Look?"), "{heard}");
    let answer = Decision { id: "0123456789".to_owned(), choice, code: None };
    house.tell_as("telegram:1", Said::Answer(answer)).await;
    let request = tokio::time::timeout(LONG, house.router.receive()).await.unwrap().unwrap();
    assert_eq!(request.command().unwrap().action.as_str(), "APPROVE");
    request.reply(Done::default());
    house
}

/// What all channels are told of it.
fn settled(word: &str) -> Outgoing {
    let how = format!("question 01234567: telegram:1 said {word}");
    Outgoing::Settled { id: "0123456789".to_owned(), how }
}

#[tokio::test]
async fn what_a_person_has_said_yes_to_is_done_without_the_model_being_asked_again() {
    let mut house = asked_first(Choice::Yes).await;
    assert_eq!(house.hear().await, settled("yes"));
    house.result_of(Some("another"), "LOOK", done("brought", json!("before"))).await;
    let line = r#"LOOK: ok, {"brought":"before"}"#.to_owned();
    assert_eq!(house.hear_ended().await, line);
    house.result_of(Some(ASKED), "_ASKS", Done::default()).await;
    let line = "seen \"https://a.test\" for console:owner";
    assert_eq!(house.hear().await, Outgoing::Working("_ASKS is running".to_owned()));
    assert_eq!(house.hear_ended().await, format!("_ASKS: ok, {line}"));
    assert_eq!(house.hear().await, Outgoing::Text(format!("{line}\nall of it")));
    assert_eq!(house.model.prompts.lock().unwrap().len(), 2);
    assert_eq!(house.turn("and?").await, "It was seen.");
    let prompt = house.prompt(2);
    assert!(prompt.contains("brought") && prompt.contains("all of it"), "{prompt}");
    // It was permitted once, and to be done once.
    house.result_of(Some(ASKED), "_ASKS", Done::default()).await;
    let told = "_ASKS: permitted; say again what you want".to_owned();
    assert_eq!(house.hear().await, Outgoing::Notice(told));
}

#[tokio::test]
async fn what_a_person_has_refused_is_not_done() {
    let mut house = asked_first(Choice::No).await;
    assert_eq!(house.hear().await, settled("no"));
    let refused = Stopped::new(Code::Policy, "a person has refused it");
    house.result_of(Some(ASKED), "_ASKS", refused).await;
    let line = "_ASKS: refused, a person has refused it".to_owned();
    assert_eq!(house.hear_ended().await, line);
    assert_eq!(house.turn("and?").await, "It was seen.");
}

#[tokio::test]
async fn what_was_approved_last_is_done_before_the_end() {
    let mut house = asked_first(Choice::Yes).await;
    drop(std::mem::replace(&mut house.incoming, mpsc::channel(1).0));
    house.result_of(Some(ASKED), "_ASKS", Done::default()).await;
    tokio::time::timeout(LONG, house.task).await.unwrap().unwrap();
    let mut said = Vec::new();
    while let Some(addressed) = house.outgoing.recv().await {
        said.push(addressed.outgoing);
    }
    assert!(
        matches!(said.last(), Some(Outgoing::Text(text)) if text.contains("all of it")),
        "{said:?}"
    );
}
