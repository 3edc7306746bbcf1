//! Papers that the owner gives without a word.

use channel::Said;
use mind::slash::SlashCommand;

use crate::house::{House, house};

/// Gives a paper, as Telegram does, and hears what is said to that.
async fn given(house: &mut House, path: &str, name: &str) -> String {
    let paper = Said::Command(SlashCommand::paper(path.to_owned(), name.to_owned()));
    house.telegram.tell("owner", "telegram:42", paper).await;
    house.telegram.heard("owner").await
}

async fn said(house: &mut House, text: &str) -> String {
    house.telegram.say("owner", "telegram:42", text).await;
    house.telegram.heard("owner").await
}

#[tokio::test]
async fn each_paper_is_asked_about_by_its_name_and_none_before_its_turn() {
    let mut house = house();
    let heard = given(&mut house, "/files/0a.pdf", "Pump manual.pdf").await;
    assert!(heard.contains("Label \"Pump manual.pdf\" as public or admin?"), "{heard}");
    let heard = given(&mut house, "/files/0b.pdf", "Letter.pdf").await;
    assert!(heard.contains("\"Letter.pdf\" comes behind \"Pump manual.pdf\"."), "{heard}");
    let heard = given(&mut house, "/files/0c.pdf", "Bill.pdf").await;
    assert!(heard.contains("\"Bill.pdf\" comes behind \"Pump manual.pdf\"."), "{heard}");
    let heard = said(&mut house, "3").await;
    assert!(heard.contains("Pump manual.pdf was not indexed."), "{heard}");
    assert!(heard.contains("Label \"Letter.pdf\" as public or admin?"), "{heard}");
    // One that waits can be labelled out of turn.
    let heard = said(&mut house, "/index /files/0c.pdf skip").await;
    assert!(heard.contains("Bill.pdf was not indexed.") && !heard.contains("Label"), "{heard}");
    let heard = said(&mut house, "skip").await;
    assert!(heard.contains("Letter.pdf was not indexed.") && !heard.contains("Label"), "{heard}");
    // Whatever else is said ends the question, and with it those behind it.
    given(&mut house, "/files/0a.pdf", "Pump manual.pdf").await;
    given(&mut house, "/files/0b.pdf", "Letter.pdf").await;
    said(&mut house, "hello").await;
    let heard = given(&mut house, "/files/0c.pdf", "Bill.pdf").await;
    assert!(heard.contains("Label \"Bill.pdf\" as public or admin?"), "{heard}");
}
