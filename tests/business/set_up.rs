//! How an owner sets a business up.

use super::*;

#[test]
fn a_business_is_set_up_in_a_conversation_shown_and_removed() {
    let api = BotApi::new();
    let (home, server) = (home(&api, json!({})), says("Hello.", 1));
    let mut chat = safeclaw(&home, &server);
    chat.ask("/business", "No business is set up");
    chat.ask("/business setup", "What is the business called?");
    chat.ask("cancel", "Nothing was changed.");
    assert!(!home.workspace().join("business.json").exists());
    chat.ask("/business setup", "What is the business called?");
    for (answer, question) in [
        ("Acme Support", "What does a customer hear first?"),
        ("skip", "What are customers answered about?"),
        ("Returns: our policy, escalate", "The next one"),
        ("done", "Which rules hold"),
        ("done", "Which pages"),
        ("nonsense", "is no address"),
        ("https://acme.example/faq", "The next one"),
        ("done", "Which words call a person"),
        ("refund, a real person", "Which chat is told"),
        ("me", "Is that right?"),
        ("yes", "It is set."),
    ] {
        chat.ask(answer, question);
    }
    let shown = chat.ask("/business show", "who is told: you");
    for part in [
        "name: Acme Support",
        "Returns: our policy (a person answers)",
        "page: https://acme.example/faq",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    assert!(server.prompts().is_empty(), "no model has heard of it");
    // What is said next is a message again.
    chat.ask("hello", "Hello.");
    assert_eq!(server.prompts().len(), 1);
    assert!(!server.prompts()[0].contains("Acme"), "{}", server.prompts()[0]);
    chat.ask("/business clear", "No business is set up any more.");
    chat.ask("/business", "No business is set up;");
}
