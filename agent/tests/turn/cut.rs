//! Answers that their server cuts off.

use super::*;

const MORE: &str = "say \"go on\", or ask for less at once";

async fn cut(says: &[&str]) -> House {
    let house = house(says).await;
    house.model.is_cut.store(true, Ordering::SeqCst);
    house
}

#[tokio::test]
async fn words_that_were_cut_off_stay_and_people_hear_of_it() {
    let mut house = cut(&["Once upon a time"]).await;
    let heard = house.turn("tell me a tale").await;
    assert_eq!(
        heard,
        format!("Once upon a time\n[the answer was cut off after 2048 tokens; {MORE}]\n")
    );
    assert!(house.history().await.to_string().contains("Once upon a time"));
}

#[tokio::test]
async fn actions_that_were_cut_off_are_neither_run_nor_asked_for_again() {
    let whole = actions(&["LOOK"]);
    let message = r#"{"message": "Once upon a time"#;
    for (says, words) in [(&whole[..whole.len() - 15], "\n"), (message, "Once upon a time\n")] {
        let mut house = cut(&[says]).await;
        let heard = house.turn("look").await;
        let none = "no action of it was run";
        assert_eq!(
            heard,
            format!("{words}[the answer was cut off after 2048 tokens, and {none}; {MORE}]\n")
        );
        assert_eq!(house.model.prompts.lock().unwrap().len(), 1, "it is not asked to mend it");
    }
}

#[tokio::test]
async fn a_call_beside_a_text_that_was_cut_off_may_be_half_of_one() {
    let mut house = cut(&["I look.", "Seen."]).await;
    house
        .model
        .calls
        .lock()
        .unwrap()
        .push(Call { name: "_PAGE".to_owned(), params: String::new() });
    let heard = house.turn("look").await;
    assert!(!heard.contains("_PAGE") && heard.contains("no action of it was run"), "{heard}");
}

#[tokio::test]
async fn actions_that_were_whole_by_then_are_run() {
    let mut house = cut(&[&actions(&["_PAGE"]), "Seen."]).await;
    let heard = house.turn("look").await;
    assert!(heard.contains("<_PAGE: ok") && heard.contains("Seen."), "{heard}");
}

#[tokio::test]
async fn thoughts_that_were_cut_off_are_no_answer() {
    let mut house = cut(&["<think>They ask for a tale, so"]).await;
    assert_eq!(
        house.turn("tell me a tale").await,
        format!(
            "\n[the answer was cut off after 2048 tokens of thoughts, before its first word; {MORE}]\n"
        )
    );
}
