//! Questions that a person answers.

use super::*;

#[test]
fn a_question_for_a_person_reaches_the_owner_and_the_reply_its_customer() {
    let api = BotApi::new();
    let home = business(&api);
    let server = OllamaServer::start([Says::text(HANDED_OVER), Says::text("It is blue.")]);
    let mut chat = safeclaw(&home, &server);
    chat.ask("/status", "workspace:");
    // By a word of the owner's no model is asked, and a part of a word is none.
    api.says(ANN, "I want to talk to a HUMAN, now");
    let _ = api.wait_for(ANN, HANDED_OVER);
    chat.expect(
        "[Escalation] Chat: telegram-8, Customer: P8, Question: I want to talk to a HUMAN, now",
    );
    let _ = api.wait_for(OWNER, "[Escalation] Chat: telegram-8, Customer: P8, Question:");
    api.says(ANN, "/ask May I speak with a human?");
    chat.expect("Question: May I speak with a human?");
    assert!(server.prompts().is_empty());
    api.says(ANN, "Is it humane?");
    // The model passes it on.
    chat.expect("Question: Is it humane?");
    assert_eq!(server.prompts().len(), 1);
    // The owner answers.
    chat.ask("/reply telegram-8 It comes in blue-and-white.", "That goes to");
    let _ = api.wait_for(ANN, "It comes in blue-and-white.");
    assert!(!api.texts(OWNER).join("\n").contains("\nIt comes in blue"));
    api.says(ANN, "Thanks. Which one?");
    let _ = api.wait_for(ANN, "It is blue.");
    let prompts = server.prompts();
    assert!(prompts.last().unwrap().contains("blue-and-white"), "the model knows what was said");
    chat.say("/reply telegram-99 hello");
    chat.expect_on_stderr("nobody has written in a chat telegram-99");
}

#[test]
fn a_message_that_the_model_sorts_as_one_for_staff_is_passed_on_and_not_answered() {
    let api = BotApi::new();
    let (home, server) = (business(&api), says("It is blue.", 3));
    let mut chat = safeclaw(&home, &server);
    chat.ask("/status", "workspace:");
    server.choose("request");
    api.says(ANN, "Is there nobody\u{202e} who could ring me?");
    let _ = api.wait_for(ANN, HANDED_OVER);
    chat.expect("Chat: telegram-8, Customer: P8, Question: Is there nobody");
    assert!(server.prompts().is_empty(), "nothing else was asked");
    // What can't be read is no choice, and then the model answers.
    server.choose("neither of them");
    api.says(ANN, "Which colour has it?");
    let _ = api.wait_for(ANN, "It is blue.");
    // Who only tells something, has nobody called.
    server.choose("statement");
    api.says(BOB, "My garden is small.");
    let _ = api.wait_for(BOB, "It is blue.");
    let prompts = server.prompts();
    let may_call: Vec<bool> = prompts.iter().map(|prompt| prompt.contains(HANDED_OVER)).collect();
    assert_eq!(may_call, [true, false], "{prompts:?}");
    let sorted = [
        "Is there nobody\u{fffd} who could ring me?",
        "Which colour has it?",
        "My garden is small.",
    ];
    assert_eq!(server.sorted(), sorted);
    // The owner is no customer.
    chat.ask("Is there nobody who could ring me?", "It is blue.");
    assert_eq!(server.sorted().len(), 3);
}

#[test]
fn a_question_for_a_person_is_open_until_it_is_answered_also_over_a_kill() {
    let api = BotApi::new();
    let (home, server) = (business(&api), says("Yes.", 1));
    let mut chat = safeclaw(&home, &server);
    chat.ask("/status", "workspace:");
    for (who, question) in [(ANN, "a human, please"), (BOB, "a refund, please")] {
        api.says(who, question);
        let _ = api.wait_for(who, HANDED_OVER);
        wait_until("it is kept", || {
            let open = home.root().join("workspace/escalations.json");
            std::fs::read_to_string(open).is_ok_and(|open| open.contains(question))
        });
    }
    chat.kill();
    let mut chat = safeclaw(&home, &server);
    let told = "questions of customers wait for a person, in telegram-8, telegram-9;";
    chat.expect_on_stderr(told);
    let _ = api.wait_for(OWNER, told);
    let shown = chat.ask("/status", "workspace:");
    assert!(shown.contains("2 questions of customers for a person"), "{shown}");
    assert!(
        shown.contains("Chat: telegram-8, Customer: P8, Question: a human, please ("),
        "{shown}"
    );
    chat.ask("/reply telegram-8 I am here.", "That goes to");
    let _ = api.wait_for(ANN, "I am here.");
    wait_until("her question is closed", || {
        !home.text("workspace/escalations.json").contains("a human, please")
    });
    let shown = chat.ask("/status", "workspace:");
    assert!(shown.contains("1 question of customers for a person"), "{shown}");
    chat.ask("/reply telegram-9", "no question of telegram-9 is open");
    chat.say("/reply telegram-9");
    chat.expect_on_stderr("say where and what");
    assert_eq!(chat.end().code(), Some(0));
    let mut chat = safeclaw(&home, &server);
    let shown = chat.ask("/status", "workspace:");
    assert!(!shown.contains("for a person"), "{shown}");
}

#[test]
fn a_person_is_called_in_the_owners_own_sentence() {
    let api = BotApi::new();
    let home = business(&api);
    let mut profile: Value = serde_json::from_str(&home.text("workspace/business.json")).unwrap();
    profile["rules"] = json!(["Antworte immer auf Deutsch"]);
    profile["escalation"]["sentence"] = json!("Ich kläre das mit dem Team und melde mich.");
    home.put("workspace/business.json", profile.to_string());
    let server = says("Ich kläre das mit dem Team und melde mich bei Ihnen.", 1);
    let mut chat = safeclaw(&home, &server);
    api.says(ANN, "Wo ist mein Paket?");
    chat.expect("[Escalation] Chat: telegram-8, Customer: P8, Question: Wo ist mein Paket?");
    let prompts = server.prompts();
    assert!(prompts[0].contains("Ich kläre das mit dem Team und melde mich."), "{prompts:?}");
    assert!(!prompts[0].contains("Let me check"), "{prompts:?}");
    api.says(BOB, "I want a refund");
    let _ = api.wait_for(BOB, "Ich kläre das mit dem Team und melde mich.");
}
