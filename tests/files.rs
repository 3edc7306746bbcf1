//! Files and settings that are broken, missing, too large or can't be written: each gets a clear message,
//! nothing is lost, and the chat goes on.
#![allow(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};
use testkit::{Chat, OllamaServer, Says, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

fn chat(home: &TempHome) -> Chat {
    Chat::start(SAFECLAW, &[], home.root(), &[])
}

/// A chat that has started, in a mount namespace of its own in which `mounts` was done before. It is the
/// same for root, whom permissions don't stop, and for an ordinary user.
fn chat_where(home: &TempHome, mounts: &str) -> Chat {
    let script = format!("set -e; {mounts}; exec \"$@\"");
    let alone = ["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh", SAFECLAW];
    Chat::start("unshare", &alone, home.root(), &[])
}

/// Runs a command of the agent with these lines on stdin, to its end.
fn agent(home: &TempHome, args: &[&str], stdin: &str, variables: &[(&str, &str)]) -> (Chat, bool) {
    let args: Vec<&str> = ["agent"].into_iter().chain(args.iter().copied()).collect();
    let mut chat = Chat::start(SAFECLAW, &args, home.root(), variables);
    stdin.lines().for_each(|line| chat.say(line));
    let ended = chat.end();
    (chat, ended.success())
}

/// Waits until nothing of the turn is still to be written: a command is answered after it.
fn finish_turn(chat: &mut Chat) {
    chat.ask("/status", "workspace:");
}

fn json_in(home: &TempHome, path: &str) -> Value {
    serde_json::from_str(&home.text(path)).unwrap()
}

/// The files that were set aside for `name` in the workspace.
fn set_aside(home: &TempHome, name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.workspace()).unwrap().map(|entry| entry.unwrap().path());
    let start = home.workspace().join(format!("{name}.broken-"));
    entries.filter(|path| path.to_string_lossy().starts_with(&*start.to_string_lossy())).collect()
}

mod template {
    use super::*;

    #[test]
    fn one_that_can_not_be_used_is_told_and_kept_and_the_built_in_one_is_used() {
        let home = TempHome::new();
        let mut chat = chat(&home);
        chat.ask("/status", "workspace:");
        let file = "workspace/PROMPT.md";
        for (number, (text, told)) in [
            (
                "{{SOUL_CONTENT}}\n",
                "{{USER_MESSAGE}} is missing, so the model would not see the message",
            ),
            (
                "a\n{{MEMRY_CONTENT}} {{USER_MESSAGE}}",
                "line 2: {{MEMRY_CONTENT}} is no placeholder; the nearest is {{MEMORY_CONTENT}}",
            ),
            ("{{USER_MESSAGE", "line 1: the braces can't be read"),
            ("{{#each x}}{{USER_MESSAGE}}{{/each}}", "line 1: only plain placeholders"),
            ("", "{{USER_MESSAGE}} is missing"),
        ]
        .into_iter()
        .enumerate()
        {
            home.put(file, text);
            chat.ask(&format!("Remember my number is {number}."), "_MEMORY_WRITE: ok");
            finish_turn(&mut chat);
            chat.expect_on_stderr(told);
            assert_eq!(home.text(file), text, "the owner mends it");
            let prompt = home.text("workspace/output/prompt_cache.txt");
            assert!(prompt.contains("# How to answer"), "{prompt}");
        }
        assert!(chat.stderr().contains("the built-in one is used until it is mended"));
    }

    #[test]
    fn one_without_some_placeholder_is_used_and_that_is_told() {
        let home = TempHome::new();
        home.put("workspace/PROMPT.md", "Mine alone.\n{{USER_MESSAGE}}\n");
        let mut chat = chat(&home);
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        finish_turn(&mut chat);
        chat.expect_on_stderr(
            "PROMPT.md leaves out {{MEMORY_CONTENT}}, so the model does not see it",
        );
        let prompt = home.text("workspace/output/prompt_cache.txt");
        assert!(prompt.starts_with("Mine alone."), "{prompt}");
    }

    #[test]
    fn one_that_is_missing_is_replaced_at_once_and_written_at_the_next_start() {
        let home = TempHome::new();
        let mut first = chat(&home);
        first.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        finish_turn(&mut first);
        let built_in = home.text("workspace/PROMPT.md");
        fs::remove_file(home.workspace().join("PROMPT.md")).unwrap();
        first.ask("Remember my name is Ann.", "_MEMORY_WRITE: ok");
        first.expect_on_stderr("PROMPT.md is gone; the built-in text is used");
        first.end();
        chat(&home).ask("/status", "workspace:");
        assert_eq!(home.text("workspace/PROMPT.md"), built_in);
    }
}

mod documents {
    use super::*;

    #[test]
    fn a_memory_that_can_not_be_used_is_set_aside() {
        let huge = format!("{{\"a\": \"{}\"}}", "x".repeat(50 << 20));
        for (text, why) in [
            ("[1, 2]", "it is a list, not an object"),
            ("", "it is empty"),
            ("{\"name\": ", "it is no JSON"),
            ("7", "it is a number, not an object"),
            (&huge, "it is larger than"),
        ] {
            let home = TempHome::new();
            home.put("workspace/memory.json", text);
            let mut chat = chat(&home);
            chat.ask("/memory", "Nothing is remembered.");
            chat.expect_on_stderr(why);
            let [kept] = &set_aside(&home, "memory.json")[..] else { panic!("{}", chat.stderr()) };
            chat.expect_on_stderr(&format!("the old file is kept as {}", kept.display()));
            assert!(fs::read_to_string(kept).unwrap() == text, "it is kept as it was");
            chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
            assert_eq!(json_in(&home, "workspace/memory.json"), json!({"name": "Frankie"}));
        }
    }

    #[test]
    fn every_other_file_is_set_aside_as_well() {
        let home = TempHome::new();
        let names = [
            "input_history.json",
            "artifact.json",
            "agent_action.json",
            "router_actions.json",
            "SOUL.md",
        ];
        for name in names {
            home.put(format!("workspace/{name}"), b"[{\"half\xff");
        }
        let mut chat = chat(&home);
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        for name in names {
            chat.expect_on_stderr(&format!("{name} can't be used: it is no UTF-8 text"));
            let [kept] = &set_aside(&home, name)[..] else { panic!("{name}: {}", chat.stderr()) };
            assert_eq!(fs::read(kept).unwrap(), b"[{\"half\xff", "{name}");
        }
        chat.ask("/actions", "CREATE_POST");
    }

    #[test]
    fn a_folder_in_the_place_of_a_file_is_set_aside_with_all_that_it_holds() {
        let home = TempHome::new();
        home.put("workspace/memory.json/mine.txt", "mine");
        let mut chat = chat(&home);
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        let kept = set_aside(&home, "memory.json").remove(0);
        assert_eq!(fs::read_to_string(kept.join("mine.txt")).unwrap(), "mine");
    }

    #[test]
    fn what_somebody_added_by_hand_is_kept() {
        let home = TempHome::new();
        let mine = json!({"mine": {"deep": [1, null]}, "name": "Joe"});
        home.put("workspace/memory.json", mine.to_string());
        home.put(
            "workspace/input_history.json",
            r#"[{"user": "a", "response": "b", "mood": "good", "n": 3}]"#,
        );
        let mut chat = chat(&home);
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        finish_turn(&mut chat);
        // While it runs, too.
        let mut memory = json_in(&home, "workspace/memory.json");
        assert_eq!(memory["mine"], mine["mine"]);
        memory["later"] = json!("by hand");
        home.put("workspace/memory.json", memory.to_string());
        chat.ask("Remember my city is Rome.", "_MEMORY_WRITE: ok");
        finish_turn(&mut chat);
        assert_eq!(
            json_in(&home, "workspace/memory.json"),
            json!({"mine": {"deep": [1, null]}, "name": "Frankie", "later": "by hand", "city": "Rome"})
        );
        assert_eq!(json_in(&home, "workspace/input_history.json")[0]["mood"], "good");
    }
}

mod disk {
    use super::*;

    const READ_ONLY_WORKSPACE: &str =
        "mount --bind workspace workspace; mount -o remount,bind,ro workspace";

    #[test]
    fn a_fresh_workspace_that_is_read_only() {
        let home = TempHome::new();
        fs::create_dir(home.workspace()).unwrap();
        let mut chat = chat_where(&home, READ_ONLY_WORKSPACE);
        chat.ask("/status", "workspace:");
        chat.expect_on_stderr(
            "agent.lock (it is read-only: mount it writable, or choose another home with --home)",
        );
        chat.expect_on_stderr("PROMPT.md (it is read-only");
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: failed");
        chat.ask("/memory", "name: Frankie");
        assert_eq!(chat.end().code(), Some(0));
        assert_eq!(fs::read_dir(home.workspace()).unwrap().count(), 0);
    }

    #[test]
    fn what_the_last_turn_could_not_keep_is_told_before_the_end() {
        let home = TempHome::new();
        fs::create_dir(home.workspace()).unwrap();
        let mut chat = chat_where(&home, READ_ONLY_WORKSPACE);
        chat.say("Say hello to Ann.");
        assert_eq!(chat.end().code(), Some(0));
        assert!(chat.stderr().contains("artifact.json (it is read-only"), "{}", chat.stderr());
    }

    #[test]
    fn what_a_killed_agent_left_behind_is_removed() {
        let home = TempHome::new();
        home.put("workspace/.draft-abc.tmp", "half");
        let mut chat = chat(&home);
        chat.ask("/status", "workspace:");
        assert!(!home.workspace().join(".draft-abc.tmp").exists());
    }

    #[test]
    fn a_workspace_that_has_become_read_only_is_read() {
        let home = TempHome::new();
        let mut first = chat(&home);
        first.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        first.end();
        let before = home.text("workspace/memory.json");
        let mut second = chat_where(&home, READ_ONLY_WORKSPACE);
        second.ask("/memory", "name: Frankie");
        second.ask("Remember my name is Ann.", "_MEMORY_WRITE: failed");
        second.ask("/memory", "name: Ann");
        assert_eq!(second.end().code(), Some(0));
        assert_eq!(home.text("workspace/memory.json"), before);
    }

    #[test]
    fn a_whole_home_that_is_read_only() {
        let read_only = "here=$PWD; mount --bind $here $here; mount -o remount,bind,ro $here";
        let home = TempHome::new();
        let mut fresh = chat_where(&home, read_only);
        assert_eq!(fresh.wait().code(), Some(1));
        fresh.expect_on_stderr(
            "config.json (it is read-only: mount it writable, or choose another home",
        );
        let mut inhabited = chat(&home);
        inhabited.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        inhabited.end();
        // What can't be written down is not run, so there is no router, and the chat goes on.
        let mut frozen = chat_where(&home, read_only);
        frozen.ask("/memory", "name: Frankie");
        frozen.expect_on_stderr("error: no router: can't lock");
        frozen.ask("Say hello to Ann.", "HELLO_WORLD: failed, the router has ended");
        assert_eq!(frozen.end().code(), Some(0));
    }

    #[test]
    fn a_disk_that_is_full_while_writing() {
        let home = TempHome::new();
        fs::create_dir(home.workspace()).unwrap();
        let mut chat = chat_where(&home, "mount -t tmpfs -o size=1m tmpfs workspace");
        chat.ask("Remember my name is Frankie.", "_MEMORY_WRITE: ok");
        // The folder as the process sees it.
        let inside = format!("/proc/{}/root{}", chat.pid(), home.workspace().display());
        let filler = PathBuf::from(&inside).join("filler");
        let mut filling = fs::File::create(&filler).unwrap();
        while filling.write_all(&[0; 4096]).is_ok() {}
        let memory = || fs::read_to_string(PathBuf::from(&inside).join("memory.json")).unwrap();
        let before = memory();
        chat.ask("Remember my city is Rome.", "_MEMORY_WRITE: failed");
        chat.expect("there is no space left: free some and try again");
        assert_eq!(memory(), before, "whole or not at all");
        chat.ask("/memory", "name: Frankie\ncity: Rome");
        drop(filling);
        fs::remove_file(&filler).unwrap();
        chat.ask("Remember my pet is Rex.", "_MEMORY_WRITE: ok");
        let saved: Value = serde_json::from_str(&memory()).unwrap();
        assert_eq!(saved, json!({"name": "Frankie", "city": "Rome", "pet": "Rex"}));
        assert_eq!(chat.end().code(), Some(0));
    }
}

mod settings {
    use super::*;

    #[test]
    fn the_agents_config_is_checked_before_anything_starts() {
        for (text, told) in [
            (r#"{"timout": 10}"#, "there is no key timout; did you mean timeout?"),
            (r#"{"llm": {"modle": "x"}}"#, "there is no key llm.modle; did you mean llm.model?"),
            (
                r#"{"timeout": "soon"}"#,
                r#"timeout is "soon", but has to be a whole number, not negative"#,
            ),
            (r#"{"timeout": 0}"#, "timeout is 0, but has to be a number of seconds from 1 to 3600"),
            (r#"{"llm": []}"#, "llm is [], but has to be an object"),
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

    /// A chat whose router does not start, though one did before.
    fn without_router(file: &str, text: &str, mode: u32, told: &[&str]) {
        let home = TempHome::new();
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
        assert!(
            chat.stderr().find("error: no router") < chat.stderr().find("router: it has ended")
        );
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
        let home = TempHome::new();
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
}

mod model {
    use super::*;

    const TWO_BLOCKS: &str =
        "Well. <tool_code>[]</tool_code> <tool_code>[{\"name\": \"_MEMORY_WRITE\"}]</tool_code>";

    fn chat(home: &TempHome, server: &OllamaServer) -> Chat {
        Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &server.host())])
    }

    #[test]
    fn an_answer_that_can_not_be_read_is_mended_by_the_model_once() {
        let home = TempHome::new();
        let mended = r#"Gladly. <tool_code>[{"name": "_MEMORY_WRITE", "params": {"new_memory": {"name": "Frankie"}}}]</tool_code>"#;
        let server =
            OllamaServer::start([TWO_BLOCKS, mended, "I shall remember that."].map(Says::text));
        let mut chat = chat(&home, &server);
        let told = chat.ask("I am Frankie.", "I shall remember that.");
        assert!(told.contains("_MEMORY_WRITE: ok"), "{told}");
        let prompts = server.prompts();
        assert!(prompts[1].contains("put all actions into one array"), "{}", prompts[1]);
        assert!(!prompts[2].contains("put all actions into one array"), "{}", prompts[2]);
    }

    #[test]
    fn garbage_twice_is_told_and_nothing_of_it_runs() {
        let home = TempHome::new();
        let server = OllamaServer::start([TWO_BLOCKS, TWO_BLOCKS, "Hello again."].map(Says::text));
        let mut chat = chat(&home, &server);
        chat.say("I am Frankie.");
        chat.expect_on_stderr("the model's answer can't be read, and nothing of it was run: there are 2 <tool_code> blocks");
        let told = chat.ask("And now?", "Hello again.");
        assert!(!told.contains("_MEMORY_WRITE"), "{told}");
        assert!(!told.contains("tool_code"), "{told}");
    }

    #[test]
    fn an_answer_of_nothing() {
        let home = TempHome::new();
        let server = OllamaServer::start(["", "", "Hello again."].map(Says::text));
        let mut chat = chat(&home, &server);
        chat.say("Hello?");
        chat.expect_on_stderr("the answer is empty");
        chat.ask("And now?", "Hello again.");
    }

    #[test]
    fn an_answer_of_10_megabytes() {
        let home = TempHome::new();
        let endless = Says::Pieces(vec!["x".repeat(1 << 16); 160]);
        let server = OllamaServer::start([endless, Says::text("Hello again.")]);
        let mut chat = chat(&home, &server);
        chat.say("Hello?");
        chat.expect_on_stderr("the answer is over 1048576 bytes and was stopped");
        testkit::wait_until("the connection is closed", || server.left() == 1);
        chat.ask("And now?", "Hello again.");
    }

    #[test]
    fn an_answer_that_never_comes_can_be_stopped() {
        let home = TempHome::new();
        let never = Says::Begins("Well, ".to_owned());
        let server = OllamaServer::start([never, Says::text("Hello again.")]);
        let mut chat = chat(&home, &server);
        chat.ask("Hello?", "Well,");
        chat.interrupt();
        chat.expect_on_stderr("[stopped]");
        testkit::wait_until("the connection is closed", || server.left() == 1);
        chat.ask("And now?", "Hello again.");
        let history = home.text("workspace/input_history.json");
        assert!(history.contains("Hello?") && history.contains("(stopped)"), "{history}");
        assert_eq!(chat.end().code(), Some(0));
    }
}

mod commands {
    use super::*;

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
        let gone = ["artifact.json", "input_history.json", "agent.log", "agent.log.1", "output"];
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
        for key in ["timeout ", "llm ", "max_steps "] {
            assert!(listed.stdout().contains(key), "{}", listed.stdout());
        }
        let (unknown, is_well) = agent(&home, &["config", "timout"], "", &[]);
        assert!(!is_well);
        unknown.expect_on_stderr(r#"there is no key "timout" (did you mean timeout?)"#);
    }

    #[test]
    fn config_timeout_through_a_pipe() {
        let home = TempHome::new();
        let timeout = || json_in(&home, "agent/config.json")["timeout"].clone();
        let (said, is_well) = agent(&home, &["config", "timeout"], "20\n", &[]);
        assert!(is_well, "{}", said.stderr());
        assert!(said.stdout().contains("timeout [10]: "), "{}", said.stdout());
        assert_eq!(timeout(), 20);
        for nothing in ["\n", ""] {
            let (said, is_well) = agent(&home, &["config", "timeout"], nothing, &[]);
            assert!(is_well && said.stdout().contains("timeout [20]: "), "{}", said.stdout());
            assert_eq!(timeout(), 20);
        }
        for garbage in ["soon", "0", "-3", "1.5", "99999999999999999999", "{}"] {
            let (said, is_well) = agent(&home, &["config", "timeout"], garbage, &[]);
            assert!(!is_well, "{garbage}");
            said.expect_on_stderr("but has to be a ");
            assert_eq!(timeout(), 20, "{garbage}");
        }
    }

    #[test]
    fn config_llm_lists_the_models_that_the_server_has() {
        let home = TempHome::new();
        let model = || json_in(&home, "agent/config.json")["llm"].clone();
        let server = OllamaServer::start([]);
        let host = server.host();
        let here = [("OLLAMA_HOST", host.as_str())];
        let (said, is_well) = agent(&home, &["config", "llm"], "\nqwen3:4b\n", &here);
        assert!(is_well, "{}", said.stderr());
        for name in OllamaServer::MODELS {
            assert!(said.stdout().contains(&format!("  {name}\n")), "{}", said.stdout());
        }
        assert_eq!(model(), json!({"provider": "ollama", "model": "qwen3:4b"}));
        let (said, is_well) = agent(&home, &["config", "llm"], "\nmistral\n", &here);
        assert!(is_well);
        assert!(
            said.stdout().contains("mistral is not there yet; get it with: ollama pull mistral")
        );
        let (said, is_well) = agent(&home, &["config", "llm"], "\n\n", &[]);
        assert!(is_well, "{}", said.stderr());
        assert!(said.stdout().contains("can't be listed: no Ollama answers at 127.0.0.1:1"));
        assert_eq!(model(), json!({"provider": "ollama", "model": "mistral"}));
        let (said, is_well) = agent(&home, &["config", "llm"], "olama\n", &here);
        assert!(!is_well);
        said.expect_on_stderr(r#"llm.provider is "olama", but has to be"#);
        let (_, is_well) = agent(&home, &["config", "llm"], "offline\n", &here);
        assert!(is_well);
        assert_eq!(model(), json!({"provider": "offline", "model": "mistral"}));
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
}

mod homes {
    use super::*;

    /// Where a program works that this script, in which it is `$1`, starts with these options.
    fn place(user: &TempHome, script: &str, options: &str, variables: &[(&str, &str)]) -> String {
        let script = format!("{script} agent config max_steps {options}");
        let mut shell = Chat::start("sh", &["-c", &script, "sh", SAFECLAW], user.root(), variables);
        assert!(shell.end().success(), "{}", shell.stderr());
        let said = shell.stdout();
        let path = said.trim().rsplit(' ').next().unwrap();
        path.strip_suffix("/agent/config.json").unwrap().to_owned()
    }

    #[test]
    fn each_way_to_name_one_wins_over_the_next() {
        let (user, named) = (TempHome::new(), TempHome::new());
        let root = user.root().display().to_string();
        let elsewhere = named.root().display().to_string();
        let script = "mkdir -p here/workspace here/router && cd here && \"$1\"";
        let named_by_variable = [("SAFECLAW_HOME", elsewhere.as_str())];
        let option = format!("--home '{root}/option'");
        assert_eq!(place(&user, script, &option, &named_by_variable), format!("{root}/option"));
        assert_eq!(place(&user, script, "", &named_by_variable), elsewhere);
        assert_eq!(place(&user, script, "", &[("SAFECLAW_HOME", "")]), format!("{root}/here"));
        assert_eq!(place(&user, "\"$1\"", "", &[]), format!("{root}/.local/share/safeclaw"));
        let data = format!("{elsewhere}/data");
        let chosen = place(&user, "\"$1\"", "", &[("XDG_DATA_HOME", &data)]);
        assert_eq!(chosen, format!("{data}/safeclaw"));
    }

    #[test]
    fn a_file_is_no_home() {
        let home = TempHome::new();
        home.put("file", "");
        let script = "exec \"$1\" --home file";
        let mut chat = Chat::start("sh", &["-c", script, "sh", SAFECLAW], home.root(), &[]);
        assert_eq!(chat.wait().code(), Some(1));
        chat.expect_on_stderr("is not a folder: give --home (or SAFECLAW_HOME) a folder");
    }

    #[test]
    fn what_is_missing_is_written_and_no_secrets_file_is_made() {
        let home = TempHome::new();
        chat(&home).ask("/status", "workspace:");
        for file in [
            "agent/config.json",
            "router/config.json",
            "router/policy.toml",
            "router/skills/create_post/skill.toml",
            "workspace/PROMPT.md",
            "workspace/SOUL.md",
            "workspace/agent_action.json",
        ] {
            assert!(!home.text(file).is_empty(), "{file}");
        }
        assert!(!home.env_file().exists() && !home.router_env().exists());
    }
}
