//! What guests find in the library, and what they don't.

use super::*;

/// A home whose owner has a secret paper and a public one, and talks on Telegram with the guests 7 and 8.
fn shop(api: &BotApi, papers: &Path) -> TempHome {
    let home = TempHome::greeting();
    fs::write(papers.join("secret.md"), "# Zebra\n\nThe zebra protocol opens with QUAGGA-77.\n")
        .unwrap();
    fs::create_dir(papers.join("open")).unwrap();
    fs::write(papers.join("open/prices.md"), "# Prices\n\nA pump costs PUBLIC-12 coins.\n")
        .unwrap();
    told(&home, &["add", text(&papers.join("secret.md"))]);
    told(&home, &["add", "--public", text(&papers.join("open"))]);
    let telegram = json!({"owner": 42, "allow": [7, 8], "api_url": api.url()});
    home.put("agent/config.json", json!({"telegram": telegram, "sets": ["library"]}).to_string());
    home.put(".env", format!("TELEGRAM_BOT_TOKEN={BOT_TOKEN}\n"));
    fs::set_permissions(home.env_file(), fs::Permissions::from_mode(0o600)).unwrap();
    home
}

/// A model that calls `action` with `params`, and has seen everything once it has a result.
fn calls(action: &str, params: &Value) -> Says {
    Says::text(&format!(r#"<tool_code>[{{"name": "{action}", "params": {params}}}]</tool_code>"#))
}

#[test]
fn a_guest_comes_by_no_way_to_what_is_not_theirs() {
    let (api, (_held, papers)) = (BotApi::new(), papers());
    let home = shop(&api, &papers);
    // A model that does what the guest wants, by each search there is.
    let zebra = json!({"query": "zebra protocol"});
    let says = [
        calls("SEARCH_DOCS", &zebra),
        Says::text("Well."),
        calls("SEARCH_PUBLIC_DOCS", &zebra),
        Says::text("Well."),
        calls("SEARCH_PUBLIC_DOCS", &json!({"query": "zebra", "who": "console:owner"})),
        Says::text("Well."),
    ];
    let server = OllamaServer::start(says.into_iter().cycle().take(600));
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())]);
    chat.ask("/search zebra", "QUAGGA-77");
    chat.ask("/remember QUAGGA-78 is the owner's.", "Noted.");
    api.says(8, "My own secret is QUAGGA-88, about the zebra.");
    let _ = api.wait_for(8, "Well.");
    for (count, way) in WAYS.iter().enumerate() {
        api.says(7, way);
        wait_until(way, || api.texts(7).len() > count);
    }
    let asks = |words: &str| server.prompts().iter().any(|prompt| prompt.contains(words));
    wait_until("the last one is asked", || asks(WAYS[WAYS.len() - 1]));
    wait_until("it is answered", || api.texts(7).last().is_some_and(|text| text.contains("Well.")));
    let heard = api.texts(7).join("\n");
    assert!(!heard.contains("QUAGGA"), "{heard}");
    let is_theirs =
        |prompt: &&String| prompt.contains("guest 8") || prompt.contains("I am the owner");
    let prompts = server.prompts();
    assert!(prompts.iter().any(|prompt| is_theirs(&prompt)));
    for prompt in prompts.iter().filter(is_theirs) {
        assert!(!prompt.contains("QUAGGA"), "{prompt}");
    }
}

#[test]
fn a_guest_finds_what_is_public() {
    let (api, (_held, papers)) = (BotApi::new(), papers());
    let home = shop(&api, &papers);
    // As a version left it that knew no search for guests.
    told(&home, &["list"]);
    let known = home.text("router/skills/.known");
    let known: Vec<&str> = known.lines().filter(|name| !name.ends_with("_public_docs")).collect();
    home.put("router/skills/.known", known.join("\n"));
    for folder in ["search_public_docs", "list_public_docs"] {
        fs::remove_dir_all(home.router_skills().join(folder)).unwrap();
    }
    let answer = Says::text("It costs PUBLIC-12 [prices.md, Prices], by [secret.md, Zebra].");
    let pump = json!({"query": "what a pump costs"});
    let says = [answer, calls("SEARCH_PUBLIC_DOCS", &pump), Says::text("PUBLIC-12, I read.")];
    let server = OllamaServer::start(says);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())]);
    chat.ask("/search zebra", "QUAGGA-77");
    api.says(7, "/search what does a pump cost?");
    let found = api.wait_for(7, "1. [md] prices.md").text;
    assert!(found.contains("PUBLIC-12"), "{found}");
    assert!(!found.contains(text(&papers)), "where the file lies is the owner's: {found}");
    api.says(7, "/docs");
    let _ = api.wait_for(7, "md: 1 file, 1 passage");
    api.says(7, "/search zebra");
    let _ = api.wait_for(7, "No matching documents found.");
    api.says(7, "/ask What does a pump cost?");
    let _ = api.wait_for(7, "not among the passages that were found: [secret.md, Zebra]");
    // The model's own search, which guests are offered while the owner has the library's set on.
    api.says(7, "And the price of a pump?");
    let _ = api.wait_for(7, "PUBLIC-12, I read.");
    let prompts = server.prompts();
    assert!(prompts.iter().any(|prompt| prompt.contains("SEARCH_PUBLIC_DOCS")), "{prompts:?}");
    assert!(prompts.last().unwrap().contains("A pump costs PUBLIC-12 coins."), "{prompts:?}");
    assert!(!prompts.join("").contains("SEARCH_DOCS"), "{prompts:?}");
    assert!(!prompts.join("").contains("QUAGGA"), "{prompts:?}");
}
