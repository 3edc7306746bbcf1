//! `clear` and `config`, through a pipe and at a terminal.

use super::*;

const CTRL_C: &str = "\x03";

/// A command of the agent at a terminal.
fn at_a_terminal(home: &TempHome, args: &[&str], variables: &[(&str, &str)]) -> Terminal {
    let args: Vec<&str> = ["agent"].into_iter().chain(args.iter().copied()).collect();
    Terminal::start(SAFECLAW, &args, home.root(), variables)
}

#[test]
fn clear_asks_first_and_removes_what_was_said_and_done() {
    let home = TempHome::new();
    let mut chat = chat(&home);
    chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
    let (busy, cleared) = agent(&home, &["clear", "--yes"], "", &[]);
    assert!(!cleared, "somebody talks there");
    busy.expect_on_stderr(&format!("process {} works here already", chat.pid()));
    chat.end();
    home.put("workspace/output/page.html", "generated");
    home.put("workspace/mine.txt", "mine");
    home.put("workspace/agent.log.1", "an older log");
    let gone = [
        "artifact.json",
        "input_history.json",
        "journal.jsonl",
        "log",
        "agent.log",
        "agent.log.1",
        "output",
    ];
    let exists = |name: &str| home.workspace().join(name).exists();
    assert!(gone.iter().all(|name| exists(name)));
    let (refused, cleared) = agent(&home, &["clear"], "", &[]);
    assert!(!cleared);
    refused.expect_on_stderr("nothing was asked and nothing removed; say --yes to go ahead");
    assert!(gone.iter().all(|name| exists(name)));
    let (said, cleared) = agent(&home, &["clear", "--yes"], "", &[]);
    assert!(cleared, "{}", said.stderr());
    for name in gone {
        assert!(!exists(name), "{name}");
        let path = home.workspace().join(name);
        assert!(said.stdout().contains(&format!("removed {}", path.display())));
    }
    for name in ["memory.json", "PROMPT.md", "SOUL.md", "agent_action.json", "mine.txt"] {
        assert!(exists(name), "{name}");
    }
    assert!(home.root().join("router/audit/router-1.jsonl").exists());
}

#[test]
fn config_lists_its_keys_and_names_the_nearest() {
    let home = TempHome::new();
    let (listed, is_well) = agent(&home, &["config"], "", &[]);
    assert!(is_well);
    for key in ["llm ", "fallback ", "timeout ", "max_steps "] {
        assert!(listed.stdout().contains(key), "{}", listed.stdout());
    }
    let (unknown, is_well) = agent(&home, &["config", "timout"], "", &[]);
    assert!(!is_well);
    unknown.expect_on_stderr(r#"there is no key "timout" (did you mean timeout?)"#);
}

#[test]
fn config_takes_a_value_without_a_question() {
    let home = TempHome::new();
    let (said, is_well) = agent(&home, &["config", "timeout", "25"], "", &[]);
    assert!(is_well && !said.stdout().contains('['), "{}", said.stdout());
    assert_eq!(json_in(&home, "agent/config.json")["timeout"], 25);
}

#[test]
fn config_timeout_through_a_pipe() {
    let home = TempHome::new();
    let timeout = || json_in(&home, "agent/config.json")["timeout"].clone();
    let (said, is_well) = agent(&home, &["config", "timeout"], "20\n", &[]);
    assert!(is_well, "{}", said.stderr());
    assert!(said.stdout().contains("timeout [10]: "), "{}", said.stdout());
    assert_eq!(timeout(), 20);
    let (said, is_well) = agent(&home, &["config", "timeout"], "\n", &[]);
    assert!(is_well && said.stdout().contains("timeout [20]: "), "{}", said.stdout());
    let (said, is_well) = agent(&home, &["config", "timeout"], "", &[]);
    assert!(!is_well && !said.stdout().contains("is set in"), "{}", said.stdout());
    said.expect_on_stderr("error: no answer could be read: the input has ended");
    assert_eq!(timeout(), 20);
    for garbage in ["soon", "0", "-3", "1.5", "99999999999999999999", "{}"] {
        let (said, is_well) = agent(&home, &["config", "timeout"], garbage, &[]);
        assert!(!is_well, "{garbage}");
        said.expect_on_stderr("it has to be a ");
        assert_eq!(timeout(), 20, "{garbage}");
    }
}

#[test]
fn config_llm_lists_the_models_that_the_server_has_and_has_the_choice_answer() {
    let home = TempHome::new();
    let model = || json_in(&home, "agent/config.json")["llm"].clone();
    let server = OllamaServer::start(["ready", "ready"].map(Says::text));
    let host = server.host();
    let here = [("OLLAMA_HOST", host.as_str())];
    let (said, is_well) = agent(&home, &["config", "llm"], "\nqwen3:4b\n", &here);
    assert!(is_well, "{}", said.stderr());
    for name in OllamaServer::MODELS {
        assert!(said.stdout().contains(&format!("  {name}\n")), "{}", said.stdout());
    }
    let proof = format!("qwen3:4b at {host} answers, the first token after ");
    assert!(said.stdout().contains(&proof), "{}", said.stdout());
    assert_eq!(model()["model"], "qwen3:4b");
    let (said, is_well) = agent(&home, &["config", "llm", "llama3.1:8B"], "", &here);
    assert!(is_well, "{}", said.stderr());
    assert_eq!(model()["model"], "llama3.1:8B");
    let (said, is_well) = agent(&home, &["config", "llm"], "olama\n", &here);
    assert!(!is_well);
    said.expect_on_stderr(r#"llm.provider can't be "olama", it has to be"#);
    let (_, is_well) = agent(&home, &["config", "llm"], "offline\n", &here);
    assert!(is_well);
    assert_eq!(
        (&model()["provider"], &model()["model"]),
        (&json!("offline"), &json!("llama3.1:8B"))
    );
    assert_eq!(server.prompts().len(), 2);
}

#[test]
fn config_llm_keeps_nothing_that_does_not_answer() {
    let home = TempHome::new();
    let (said, is_well) = agent(&home, &["config", "llm"], "\n\n", &[]);
    assert!(!is_well);
    assert!(said.stdout().contains("can't be listed: nothing answers at 127.0.0.1:1"));
    said.expect_on_stderr("error: nothing was changed: nothing answers at 127.0.0.1:1");
    let server = OllamaServer::start([Says::unknown("qwen3:4"), Says::unknown("mistral")]);
    let host = server.host();
    let here = [("OLLAMA_HOST", host.as_str())];
    let (said, is_well) = agent(&home, &["config", "llm", "ollama:qwen3:4"], "", &here);
    assert!(!is_well);
    said.expect_on_stderr("fetch it with `ollama pull qwen3:4`, or did you mean qwen3:4b?");
    let (said, is_well) = agent(&home, &["config", "llm", "mistral"], "", &here);
    assert!(!is_well);
    said.expect_on_stderr("or take one that it has: llama3.1:8B, qwen3:4b");
    assert_eq!(json_in(&home, "agent/config.json")["llm"]["model"], "llama3.1:8B");
}

#[test]
fn config_llm_says_which_key_a_provider_wants_before_it_asks_for_a_model() {
    let home = TempHome::new();
    for (typed, name) in [("openai\n\n", "OPENAI_API_KEY"), ("anthropic\n", "ANTHROPIC_API_KEY")] {
        let (said, is_well) = agent(&home, &["config", "llm"], typed, &[]);
        assert!(!is_well);
        said.expect_on_stderr(&format!("wants a key; write {name}=... into .env"));
        assert!(!said.stdout().contains("model ["), "{}", said.stdout());
    }
}

#[test]
fn config_fallback_sets_the_chain() {
    let home = TempHome::new();
    let chain = || json_in(&home, "agent/config.json")["llm"]["fallback"].clone();
    let server = OllamaServer::start([Says::text("ready")]);
    let second = format!("ollama:qwen3:4b@http://{}", server.host());
    let (said, is_well) =
        agent(&home, &["config", "fallback", &format!("{second},offline")], "", &[]);
    assert!(is_well, "{}", said.stderr());
    assert!(said.stdout().contains("answers, the first token after"), "{}", said.stdout());
    assert_eq!(chain(), json!([second, "offline"]));
    let (said, is_well) = agent(&home, &["config", "fallback"], "none\n", &[]);
    assert!(is_well && said.stdout().contains(&format!("fallback [{second}, offline]: ")));
    assert_eq!(chain(), json!([]));
    let (said, is_well) = agent(&home, &["config", "fallback", "openai"], "", &[]);
    assert!(!is_well);
    said.expect_on_stderr(r#""openai" names no model; write offline, provider:model"#);
}

#[test]
fn config_sets_takes_no_set_that_the_router_does_not_have() {
    let home = TempHome::new();
    let sets = || json_in(&home, "agent/config.json")["sets"].clone();
    let (said, is_well) = agent(&home, &["config", "sets", "foo"], "", &[]);
    assert!(
        is_well && said.stdout().contains("no router has said yet which sets"),
        "{}",
        said.stdout()
    );
    home.put("workspace/router_actions.json", r#"[{"name": "A", "set": "library"}]"#);
    let (said, is_well) = agent(&home, &["config", "sets", "clock libary"], "", &[]);
    assert!(!is_well);
    said.expect_on_stderr("no set libary (did you mean library?); the sets are clock, library");
    assert_eq!(sets(), json!(["foo"]));
    let (said, is_well) = agent(&home, &["config", "sets", "clock, library"], "", &[]);
    assert!(is_well && !said.stdout().contains("no router"), "{}", said.stdout());
    assert_eq!(sets(), json!(["clock", "library"]));
    let (_, is_well) = agent(&home, &["config", "sets", "none"], "", &[]);
    assert!(is_well);
}

#[test]
fn config_mends_no_file_that_it_can_not_read() {
    let home = TempHome::new();
    home.put("agent/config.json", "{\"timeout\": 20, \"mine\": 1}");
    let (said, is_well) = agent(&home, &["config", "timeout"], "30\n", &[]);
    assert!(!is_well);
    said.expect_on_stderr("there is no key mine");
    assert_eq!(home.text("agent/config.json"), "{\"timeout\": 20, \"mine\": 1}");
}

#[test]
fn clear_at_a_terminal_takes_nothing_but_a_yes() {
    let home = TempHome::new();
    home.put("workspace/artifact.json", "[]");
    let there = || home.workspace().join("artifact.json").exists();
    for (answer, is_kept) in [("\r", true), ("n\r", true), ("y\r", false)] {
        let mut asked = at_a_terminal(&home, &["clear"], &[]);
        asked.expect("Forget what was said and done? The memory is kept. (y/N)");
        if is_kept {
            // What is neither is asked about again.
            asked.press("yess\r");
            asked.expect("Invalid answer");
            asked.press("\x7f\x7f\x7f\x7f");
        }
        asked.press(answer);
        asked.expect(if is_kept { "nothing was removed" } else { "removed " });
        assert_eq!(asked.wait().code(), Some(0));
        assert_eq!(there(), is_kept, "{answer:?}");
    }
}

#[test]
fn clear_at_a_terminal_can_be_interrupted() {
    let home = TempHome::new();
    home.put("workspace/artifact.json", "[]");
    let mut asked = at_a_terminal(&home, &["clear"], &[]);
    asked.expect("Forget what was said and done? The memory is kept. (y/N)");
    asked.press(CTRL_C);
    asked.expect("error: ended by you, and what was asked is as it was");
    assert!(!asked.wait().success());
    assert!(home.workspace().join("artifact.json").exists());
}

#[test]
fn config_at_a_terminal_keeps_what_is_there_unless_something_is_typed() {
    let home = TempHome::new();
    let timeout = || json_in(&home, "agent/config.json")["timeout"].clone();
    for (typed, set) in [("\r", 10), ("25\r", 25), ("\r", 25)] {
        let mut asked = at_a_terminal(&home, &["config", "timeout"], &[]);
        asked.expect("timeout");
        asked.press(typed);
        asked.expect("timeout is set in ");
        assert_eq!(asked.wait().code(), Some(0));
        assert_eq!(timeout(), set);
    }
    let untouched = Terminal::start("true", &[], home.root(), &[]).settings();
    let mut asked = at_a_terminal(&home, &["config", "timeout"], &[]);
    asked.expect("timeout");
    asked.press(CTRL_C);
    asked.expect("error: ended by you, and what was asked is as it was");
    assert_eq!(asked.wait().code(), Some(1));
    assert_eq!((timeout(), asked.settings()), (json!(25), untouched));
}

#[test]
fn config_llm_at_a_terminal_offers_the_models_that_the_server_has() {
    let home = TempHome::new();
    let server = OllamaServer::start([Says::text("ready")]);
    let mut asked = at_a_terminal(&home, &["config", "llm"], &[("OLLAMA_HOST", &server.host())]);
    asked.expect("provider");
    asked.press("\r");
    asked.expect("model");
    for name in OllamaServer::MODELS {
        asked.expect(name);
    }
    asked.press("qwen");
    asked.expect_gone(OllamaServer::MODELS[0]);
    asked.press("\r\r");
    asked.expect("llm is set in ");
    assert_eq!(asked.wait().code(), Some(0));
    let model = json_in(&home, "agent/config.json")["llm"]["model"].clone();
    assert_eq!(model, "qwen3:4b");
}
