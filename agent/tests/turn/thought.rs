//! Models that think before they answer.

use super::*;

#[tokio::test]
async fn reasoning_that_looks_like_words_is_not_kept_and_held_back_from_then_on() {
    let says = |words: &str| format!("They greet me, so I greet them.\n</think>\n\n{words}");
    let mut house = house(&[&says("Hello."), &says("Hello again."), "Well."]).await;
    let heard = house.turn("hello").await;
    assert!(heard.starts_with("They greet me") && heard.ends_with("\n\nHello."), "{heard}");
    assert!(!house.history().await.to_string().contains("They greet me"));
    assert_eq!(house.turn("hello again").await, "Hello again.");
    assert_eq!(house.turn("well?").await, "Well.", "an answer without a thought is whole");
    let history = house.history().await.to_string();
    assert!(history.contains("Hello.") && history.contains("Well."), "{history}");
}
