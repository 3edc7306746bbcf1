//! Settings and secrets that are wrong.

use super::*;

#[test]
fn the_agents_config_is_checked_before_anything_starts() {
    for (text, told) in [
        (r#"{"timout": 10}"#, "there is no key timout; did you mean timeout?"),
        (r#"{"llm": {"modle": "x"}}"#, "there is no key llm.modle; did you mean llm.model?"),
        (r#"{"telegarm": {}}"#, "there is no key telegarm; did you mean telegram?"),
        (
            r#"{"telegram": {"alow": []}}"#,
            "there is no key telegram.alow; did you mean telegram.allow?",
        ),
        (
            r#"{"timeout": "soon"}"#,
            r#"timeout is "soon", but has to be a whole number, not negative"#,
        ),
        (r#"{"timeout": 0}"#, "timeout is 0, but has to be a number of seconds from 1 to 3600"),
        (r#"{"llm": []}"#, "llm is [], but has to be an object"),
        (
            r#"{"llm": {"fallback": ["offline", "openai"]}}"#,
            r#"llm.fallback[1] is "openai", but has to be offline, provider:model or provider:model@http"#,
        ),
        (
            r#"{"llm": {"way": "jsn"}}"#,
            r#"llm.way is "jsn", but has to be one of `auto`, `tool_code`"#,
        ),
        (
            r#"{"llm": {"window": 10}}"#,
            "llm.window is 10, but has to be a number of tokens from 1024",
        ),
        (
            r#"{"llm": {"base_url": "localhost"}}"#,
            r#"llm.base_url is "localhost", but has to be an address such as http://127.0.0.1:8080/v1"#,
        ),
        ("{\"timeout\": 10,\n}", "line 2"),
        ("", "mend it, or remove it to start with the defaults again"),
    ] {
        let home = TempHome::new();
        home.put("agent/config.json", text);
        let mut chat = chat(&home);
        assert_eq!(chat.wait().code(), Some(1), "{text}");
        chat.expect_on_stderr(told);
        chat.expect_on_stderr("agent/config.json");
        assert_eq!(chat.stderr().lines().count(), 1, "{}", chat.stderr());
        assert_eq!(home.text("agent/config.json"), text);
    }
}

#[test]
fn a_key_of_a_provider_does_not_belong_into_the_config() {
    let home = TempHome::new();
    home.put(
        "agent/config.json",
        r#"{"llm": {"provider": "openai", "api_key": "hunter2hunter2"}}"#,
    );
    let mut chat = chat(&home);
    assert_eq!(chat.wait().code(), Some(1));
    chat.expect_on_stderr("agent/config.json: llm.api_key looks like a secret");
    chat.expect_on_stderr("put it into .env or the environment as OPENAI_API_KEY");
    assert!(!chat.stderr().contains("hunter2"), "{}", chat.stderr());
}

/// A chat whose router does not start, though one did before.
fn without_router(file: &str, text: &str, mode: u32, told: &[&str]) {
    let home = TempHome::greeting();
    chat(&home).ask("Say hello to Frankie.", "HELLO_WORLD: ok");
    home.put(file, text);
    fs::set_permissions(home.root().join(file), fs::Permissions::from_mode(mode)).unwrap();
    let mut chat = chat(&home);
    chat.ask("/status", "workspace:");
    chat.expect_on_stderr("error: no router: ");
    told.iter().for_each(|words| chat.expect_on_stderr(words));
    chat.expect_on_stderr(
        "router: it has ended; what it said stands above. Mend that and start again",
    );
    assert!(chat.stderr().find("error: no router") < chat.stderr().find("router: it has ended"));
    chat.ask(
        "Say hello to Ann.",
        "HELLO_WORLD: failed, the router has ended; start SafeClaw again",
    );
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    assert_eq!(chat.end().code(), Some(0));
    assert_eq!(home.text(file), text);
}

#[test]
fn the_routers_config() {
    let file = "router/config.json";
    let told = [file, "there is no key max_paralel; did you mean max_parallel?"];
    without_router(file, r#"{"max_paralel": 2}"#, 0o600, &told);
    let told = [file, r#"max_parallel is "many", but has to be a whole number"#];
    without_router(file, r#"{"max_parallel": "many"}"#, 0o600, &told);
    let told = [
        file,
        "there is no key skills.HELLO_WORLD.enabeld; did you mean skills.HELLO_WORLD.enabled?",
    ];
    without_router(file, r#"{"skills": {"HELLO_WORLD": {"enabeld": false}}}"#, 0o600, &told);
    let told = [file, "there is no key skils; did you mean skills?"];
    without_router(file, r#"{"skils": {}}"#, 0o600, &told);
    let told = [file, "allow_private is [\"nas:80\"], but has to be empty: each skill has a list"];
    without_router(file, r#"{"allow_private": ["nas:80"]}"#, 0o600, &told);
}

#[test]
fn secrets_that_others_can_read() {
    without_router(
        "router/.env",
        "X_TOKEN=hunter2hunter2\n",
        0o644,
        &["others can read it (mode 644); run: chmod 600 '"],
    );
}

#[test]
fn a_policy_that_nobody_can_read() {
    let told = ["router/policy.toml", "line 2", "externl"];
    without_router("router/policy.toml", "[effects]\nexternl = \"allow\"\n", 0o600, &told);
}

#[test]
fn an_unknown_name_in_the_environment_file_is_a_warning_with_the_nearest() {
    let home = TempHome::greeting();
    home.put(".env", "OLAMA_HOST=127.0.0.1:1\n");
    let mut chat = chat(&home);
    chat.ask("Say hello to Ann.", "HELLO_WORLD: ok");
    chat.end();
    let told = "OLAMA_HOST is not a name that is used here; did you mean OLLAMA_HOST?";
    assert_eq!(chat.stderr().matches(told).count(), 1, "{}", chat.stderr());
}

#[test]
fn a_line_of_the_environment_file_that_can_not_be_read() {
    let home = TempHome::new();
    home.put(".env", "OLLAMA_HOST=127.0.0.1:1\nhunter2 hunter2\n");
    let mut chat = chat(&home);
    assert_eq!(chat.wait().code(), Some(1));
    chat.expect_on_stderr(".env: line 2 can't be read: write NAME=value");
    assert!(!chat.stderr().contains("hunter2"));
}
