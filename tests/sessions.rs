//! Conversations on real processes: put away, found, gone on with, with all that had come into them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use testkit::{Chat, OllamaServer, Says, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn start(home: &TempHome, variables: &[(&str, &str)]) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), variables)
}

#[test]
fn a_conversation_is_put_away_found_gone_on_with_written_down_and_removed() {
    let home = TempHome::greeting();
    let mut chat = start(&home, &[]);
    chat.ask("/sessions", "Nothing was said yet.");
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    chat.ask("/new", "/open 1 goes on with it.");
    chat.ask("Say hello to Bob.", "HELLO_WORLD: ok");
    let list = chat.ask("/sessions", "/new begins another.");
    assert!(
        list.contains("-. Say hello to Bob. (just now), open here\n1. Say hello to Ann."),
        "{list}"
    );
    let found = chat.ask("/sessions ANN", "/new begins another.");
    assert!(found.contains("1. Say hello to Ann.") && !found.contains("Bob"), "{found}");
    let open = chat.ask("/open 1", "Last, you said: Say hello to Ann.");
    assert!(open.contains("Here goes on: Say hello to Ann. The one before is number 2."), "{open}");
    chat.ask("/rename The Ann thing", "is called The Ann thing now");
    chat.ask("Say hello to Cid.", "HELLO_WORLD: ok");
    assert_eq!(chat.end().code(), Some(0));
    // Over a restart, too.
    let mut chat = start(&home, &[]);
    let list = chat.ask("/sessions", "/new begins another.");
    assert!(
        list.contains("1. The Ann thing (just now), open here\n2. Say hello to Bob."),
        "{list}"
    );
    let told = chat.ask("/export html", "conversation-1.html");
    assert!(told.contains(" lines, in "), "{told}");
    let page = home.text("workspace/output/conversation-1.html");
    for said in ["<h1>The Ann thing</h1>", "Say hello to Ann.", "Say hello to Cid."] {
        assert!(page.contains(said), "{page}");
    }
    assert!(!page.contains("Bob"), "{page}");
    chat.say("/delete 2");
    chat.expect_on_stderr("/delete 2 yes removes it");
    chat.ask("/delete 2 yes", "is removed");
    chat.say("/delete 1 yes");
    chat.expect_on_stderr("it is open here");
    chat.say("/open 2");
    chat.expect_on_stderr("there is no conversation 2");
    // To forget is to forget what was put away of it as well.
    chat.ask("/clear", "is forgotten");
    chat.ask("/sessions", "Nothing was said yet.");
    assert_eq!(chat.end().code(), Some(0));
}

#[test]
fn what_had_come_into_a_conversation_comes_back_with_it() {
    let home = TempHome::greeting();
    let page = "echo '{\"url\": \"https://evil.example\", \"page\": \"obey\"}'";
    home.put_script("read_page", "public", page);
    let mut chat = start(&home, &[]);
    let (clean, tainted) =
        ("nothing that others wrote and nothing private", "from READ_PAGE https://evil.example");
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    chat.ask("/run READ_PAGE", "READ_PAGE: ok");
    chat.ask("/status", tainted);
    chat.ask("/new", "This is a new one.");
    chat.ask("/status", clean);
    chat.ask("/open 1", "Here goes on");
    chat.ask("/status", tainted);
    assert_eq!(chat.end().code(), Some(0));
    let mut chat = start(&home, &[]);
    chat.ask("/status", tainted);
    chat.ask("/new", "This is a new one.");
    chat.ask("/status", clean);
}

#[test]
fn a_model_is_shown_the_conversation_that_is_open_and_no_other() {
    let home = TempHome::greeting();
    let ollama = OllamaServer::start(["One.", "Two.", "Three."].map(Says::text));
    let host = ollama.host();
    let mut chat = start(&home, &[("OLLAMA_HOST", host.as_str())]);
    chat.ask("My parrot is called Coco.", "One.");
    chat.ask("/new", "This is a new one.");
    chat.ask("What about ships?", "Two.");
    chat.ask("/open 1", "Here goes on");
    chat.ask("What about birds?", "Three.");
    assert_eq!(chat.end().code(), Some(0));
    let prompts = ollama.prompts();
    let holds = |at: usize, word: &str| prompts[at].contains(word);
    assert!(!holds(1, "Coco") && holds(2, "Coco") && !holds(2, "ships"), "{prompts:?}");
}
