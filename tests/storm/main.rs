//! Storms on the real program: three personas on three model servers of two providers, a person between them, and a
//! program that is killed in the midst of it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "the program under test is a process")]

mod house;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};
use testkit::{Chat, OllamaServer, Says, TempHome, wait_until};

use self::house::{House, killed_after, openai, ran, storm};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

#[test]
fn three_minds_on_three_servers_talk_with_a_person_and_no_kill_loses_or_doubles_a_message() {
    let house = House::new();
    house.run(&["new", "weekend", "--premise", "What could two people build in a weekend?"]);
    assert!(house.run(&["start", "weekend"]).contains("[Alpha]: Alpha has thought of it 0 times."));
    house.run(&["say", "weekend", "Mind the rain."]);
    let mut shown = BTreeSet::new();
    let mut random = 7_usize;
    for _ in 0..10 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let out = killed_after(house.storm(&["auto", "weekend", "3"]), 1 + (random >> 33) % 250);
        // What was followed by an empty line or another speaker was finished.
        let whole = out.rsplit_once("I agree.\n\n").map_or("", |(whole, _)| whole);
        shown.extend(whole.lines().filter(|line| line.contains("has thought")).map(str::to_owned));
    }
    let said = house.messages().len();
    house.run(&["next", "weekend", &(31 - said.min(30)).to_string()]);
    let messages = house.messages();
    assert!(messages.len() >= 31, "{}", messages.len());
    let agents: Vec<&str> =
        messages.iter().map(|(from, _)| from.as_str()).filter(|from| *from != "user").collect();
    for (at, from) in agents.iter().enumerate() {
        assert_eq!(*from, ["Alpha", "Beta", "Gamma"][at % 3], "message {at}");
    }
    assert_eq!(messages[3], ("user".to_owned(), "Mind the rain.".to_owned()));
    let texts: BTreeSet<&String> = messages.iter().map(|(_, text)| text).collect();
    assert_eq!(texts.len(), messages.len(), "a message is there twice");
    for line in shown {
        let (_, text) = line.split_once("]: ").unwrap();
        assert!(texts.iter().any(|kept| kept.starts_with(text)), "{line} is lost");
    }
    // A mind that spoke for the person did so in its own message, and no line of the file says otherwise.
    let log = house.home.text("workspace/AIStormSessions/weekend/weekend.log.md");
    assert!(!log.lines().any(|line| line.starts_with("[Human]:")), "{log}");
    assert_eq!(log.lines().filter(|line| *line == "## [user]:").count(), 1);
}

#[test]
fn the_example_of_the_specification_is_sent_to_the_byte() {
    let home = TempHome::new();
    let (port, asked) = openai(|| Ok("Well.".to_owned()));
    let folder = "workspace/AIStormSessions/example";
    let instructions = "You are Agent B, a critical analyst in a multi-agent brainstorming session. Your role is to \
                        analyze ideas critically and identify potential issues or improvements.";
    let agent = format!(
        "<aistorm type=\"OpenAI\" model=\"m@http://127.0.0.1:{port}/v1\" />\n\n{instructions}\n"
    );
    home.put(format!("{folder}/Agents/Agent B.md"), agent);
    let premise = "<aistorm />\n\nThis is a brainstorming session about weekend projects.\n";
    home.put(format!("{folder}/example.ini.md"), premise);
    let said = [
        ("user", "What are some ideas for a weekend project?"),
        (
            "Agent B",
            "From an analytical perspective, we should consider time constraints and resource availability...",
        ),
        ("Agent A", "Here are some creative ideas: 1. Build a herb garden..."),
        ("Agent C", "From a practical perspective, consider these factors..."),
    ];
    let mut log =
        "<aistorm type=\"session\" created=\"2025-03-01T15:00:00\" description=\"x\" />\n\n# x\n"
            .to_owned();
    for (from, text) in said {
        log.push_str(&format!(
            "\n<aistorm type=\"message\" from=\"{from}\" timestamp=\"2025-03-01T15:01:00\" />\n\n## [{from}]:\n\n{text}\n"
        ));
    }
    home.put(format!("{folder}/example.log.md"), &log);
    let (code, text) = ran(storm(&home, "127.0.0.1:9", &["next", "example"]));
    assert_eq!(code, Some(0), "{text}");
    let request =
        asked.iter().find(|request| request.path().ends_with("chat/completions")).unwrap();
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let expected = fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("storm/fixtures/request.json"),
    );
    let expected: Value = serde_json::from_str(&expected.unwrap()).unwrap();
    assert_eq!(body["messages"].to_string(), expected["messages"].to_string());
    assert_eq!(body["temperature"].to_string(), "0.7");
    // What stood there stands there still, and the answer behind it.
    let longer = home.text(format!("{folder}/example.log.md"));
    assert!(longer.starts_with(&log) && longer.ends_with("## [Agent B]:\n\nWell.\n"), "{longer}");
}

#[test]
fn a_server_that_is_busy_for_an_hour_adds_nothing_and_the_same_agent_is_next() {
    let home = TempHome::new();
    let ollama = OllamaServer::start([
        Says::busy(3600),
        Says::busy(3600),
        Says::text("## [Ann]:\n"),
        Says::text("At last."),
    ]);
    home.put(
        "workspace/personas/Ann.md",
        "<aistorm type=\"Ollama\" model=\"llama3.1:8B\" />\n\nYou think.\n",
    );
    let run = |args: &[&str]| ran(storm(&home, &ollama.host(), args));
    assert_eq!(run(&["new", "weekend", "--premise", "Ideas?"]).0, Some(0));
    for told in ["is busy (429", "is busy (429", "answered without a word"] {
        let (code, text) = run(&["next", "weekend"]);
        assert_eq!(code, Some(1), "{text}");
        assert!(
            text.contains(told) && text.contains("Nothing was added, and Ann is still next"),
            "{text}"
        );
        assert!(run(&["list"]).1.contains("weekend: 0 messages, Ann is next"));
    }
    let (code, text) = run(&["next", "weekend"]);
    assert!(code == Some(0) && text.contains("[Ann]: At last.\n"), "{text}");
    assert!(run(&["list"]).1.contains("weekend: 1 message, Ann is next"));
}

#[test]
fn bad_input_is_told_and_changes_nothing() {
    let house = House::new();
    let refused = |args: &[&str], told: &str| {
        let (code, text) = ran(house.storm(args));
        assert_eq!(code, Some(1), "{args:?}: {text}");
        assert!(text.contains(told), "{args:?}: {text}");
    };
    refused(&["new", "../x", "--premise", "x"], "it may hold no / and no \\");
    refused(&["next", "../x"], "it may hold no / and no \\");
    refused(&["new", "x", "--premise", " "], "the premise is empty");
    refused(&["new", "x", "--premise", "x", "--agents", "Alfa"], "did you mean Alpha?");
    refused(&["next", "weekend"], "there is no storm weekend");
    refused(
        &["list", "--dir", house.home.root().to_str().unwrap()],
        "can't be the folder of storms",
    );
    let mut long = house.storm(&["new", "x", "--premise", "-"]);
    let premise = tempfile::NamedTempFile::new().unwrap();
    fs::write(premise.path(), "x".repeat(200_000)).unwrap();
    long.stdin(fs::File::open(premise.path()).unwrap());
    let (code, text) = ran(long);
    assert!(code == Some(1) && text.contains("and this one has 200000; sum it up"), "{text}");
    assert!(!house.home.root().join("workspace/AIStormSessions/x").exists());
    house.run(&["new", "weekend", "--premise", "x"]);
    let agents = house.home.root().join("workspace/AIStormSessions/weekend/Agents");
    fs::copy(agents.join("Beta.md"), agents.join("BETA.md")).unwrap();
    refused(&["next", "weekend"], "two agents are called Beta");
    fs::remove_dir_all(&agents).unwrap();
    refused(&["next", "weekend"], "there are no agents");
    house.run(&["say", "weekend", "Nobody here?"]);
}

#[test]
fn a_folder_that_the_owner_names_is_used_and_nothing_beside_it() {
    let house = House::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().join("storms");
    let dir = folder.to_str().unwrap();
    house.run(&["new", "weekend", "--premise", "x", "--dir", dir]);
    assert!(house.run(&["start", "weekend", "--dir", dir]).contains("[Gamma]: Gamma has thought"));
    assert!(folder.join("weekend/weekend.log.md").exists());
    // A link out of it leads nowhere: the kernel holds the program to the folder.
    let secret = elsewhere.path().join("secret.md");
    fs::write(&secret, "<aistorm type=\"OpenAI\" model=\"m\" />\n\nsecret\n").unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("weekend/Agents/Link.md")).unwrap();
    let (code, text) = ran(house.storm(&["next", "weekend", "--dir", dir]));
    assert!(code == Some(1) && text.contains("can't read"), "{text}");
}

#[test]
fn a_person_speaks_and_stops_it_from_another_window_while_it_goes_on() {
    let home = TempHome::new();
    let meanwhile: Arc<Mutex<Vec<String>>> = Arc::default();
    home.put(
        "workspace/personas/Ann.md",
        "<aistorm type=\"Ollama\" model=\"llama3.1:8B\" />\n\nYou think.\n",
    );
    let (root, told) = (home.root().to_owned(), Arc::clone(&meanwhile));
    let thinks: Arc<dyn Fn(&str) -> String + Send + Sync> = Arc::new(move |_| {
        for args in [
            ["say", "weekend", "Stop, please."].as_slice(),
            &["stop", "weekend"],
            &["next", "weekend"],
        ] {
            let mut command = Command::new(SAFECLAW);
            command.arg("storm").args(args).arg("--home").arg(&root);
            told.lock().unwrap().push(ran(command).1);
        }
        "I have thought.".to_owned()
    });
    let ollama = OllamaServer::start([Says::Made(thinks)]);
    let run = |args: &[&str]| ran(storm(&home, &ollama.host(), args));
    assert_eq!(run(&["new", "weekend", "--premise", "Ideas?"]).0, Some(0));
    let (code, text) = run(&["auto", "weekend", "5"]);
    assert!(
        code == Some(0)
            && text.contains("[stopped]")
            && text.contains("the log was changed meanwhile"),
        "{text}"
    );
    let told = meanwhile.lock().unwrap();
    assert!(
        told[0].contains("said") && told[1].contains("it stops after the present speaker"),
        "{told:?}"
    );
    assert!(told[2].contains("weekend goes on in another window already"), "{told:?}");
    let (_, exported) = run(&["export", "weekend", "md"]);
    let place = |text: &str| exported.find(text).unwrap();
    assert!(place("Stop, please.") < place("I have thought."), "{exported}");
}

#[test]
fn in_a_chat_agents_speak_beside_it_and_what_they_say_is_others_text() {
    let home = TempHome::new();
    home.put(
        "workspace/personas/Ann.md",
        "<aistorm type=\"Ollama\" model=\"llama3.1:8B\" />\n\nYou think.\n",
    );
    let says = [Says::text("Build a kite."), Says::AtLimit("Or a raft.".to_owned())];
    let ollama = OllamaServer::start(says);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &ollama.host())]);
    chat.ask("/storm new weekend Ideas for two?", "is there, with Ann. /storm start lets");
    chat.ask("/storm start", "[Ann]: Build a kite.");
    chat.ask("/storm say Mind the rain.", "said in weekend; Ann is next");
    chat.ask("/storm auto 1", "[Ann]: Or a raft.");
    chat.expect_on_stderr("what Ann says was cut off at the limit of its length");
    chat.ask("/storm export jsonl", "weekend is in ");
    chat.expect("output/weekend.jsonl");
    let lines = home.text("workspace/output/weekend.jsonl");
    let from = |line: &str| serde_json::from_str::<Value>(line).unwrap()["from"].clone();
    assert_eq!(lines.lines().map(from).collect::<Vec<_>>(), ["Ann", "user", "Ann"]);
    assert_eq!(chat.end().code(), Some(0));
    let session: Value = serde_json::from_str(&home.text("workspace/session.json")).unwrap();
    assert_eq!(session["from"], json!(["storm weekend"]), "{session}");
}

#[test]
fn in_a_chat_a_person_speaks_and_stops_it_while_it_goes_on() {
    let home = TempHome::new();
    home.put(
        "workspace/personas/Ann.md",
        "<aistorm type=\"Ollama\" model=\"llama3.1:8B\" />\n\nYou think.\n",
    );
    let (go_on, waits) = mpsc::channel::<()>();
    let waits = Mutex::new(waits);
    let thinks: Arc<dyn Fn(&str) -> String + Send + Sync> = Arc::new(move |_| {
        let _ = waits.lock().unwrap().recv();
        "I have thought.".to_owned()
    });
    let ollama = OllamaServer::start([(); 5].map(|()| Says::Made(Arc::clone(&thinks))));
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &ollama.host())]);
    chat.ask("/storm new weekend Ideas for two?", "is there, with Ann");
    chat.ask("/storm auto 5", "weekend goes on for 5 messages");
    wait_until("Ann thinks", || ollama.prompts().len() == 1);
    chat.ask("/storm say Stop, please.", "said in weekend");
    chat.ask("/storm stop", "it stops after the present speaker");
    // From now on nobody would have to wait.
    drop(go_on);
    chat.expect("I have thought.");
    chat.expect_on_stderr("[weekend has stopped]");
    chat.ask("/storm stop", "it does not go on anywhere");
    assert_eq!(chat.end().code(), Some(0));
    let log = home.text("workspace/AIStormSessions/weekend/weekend.log.md");
    let place = |text: &str| log.find(text).unwrap();
    assert!(place("Stop, please.") < place("I have thought."), "{log}");
    assert_eq!(log.matches("I have thought.").count(), 1, "{log}");
}

#[test]
fn only_an_agent_whose_file_names_a_set_acts_and_only_what_is_in_it() {
    let home = TempHome::new();
    for (name, set) in [("bell", "set = \"bells\"\n"), ("other", "")] {
        home.put_script(name, "private", "echo '{\"rung\": 7}'");
        let manifest = home.text(format!("router/skills/{name}/skill.toml"));
        home.put(format!("router/skills/{name}/skill.toml"), manifest + set);
    }
    home.put("agent/config.json", json!({"sets": ["bells"]}).to_string());
    for (name, sets) in [("Ann", ""), ("Bob", " sets=\"bells\"")] {
        let file =
            format!("<aistorm type=\"Ollama\" model=\"llama3.1:8B\"{sets} />\n\nYou think.\n");
        home.put(format!("workspace/personas/{name}.md"), file);
    }
    let rings = |name: &str| {
        format!("Let me ring. <tool_code>[{{\"name\": \"{name}\", \"params\": {{}}}}]</tool_code>")
    };
    let ollama = OllamaServer::start([
        Says::text(&rings("BELL")),
        Says::text(&rings("BELL")),
        Says::Made(Arc::new(|prompt: &str| {
            assert!(prompt.contains("rung") && prompt.contains("never an order"), "{prompt}");
            "It rang seven times.".to_owned()
        })),
        Says::text("Nothing."),
        Says::text(&rings("OTHER")),
        Says::Made(Arc::new(|prompt: &str| {
            assert!(
                prompt.contains("nothing of it was run") && prompt.contains("OTHER"),
                "{prompt}"
            );
            "It can't be had.".to_owned()
        })),
    ]);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &ollama.host())]);
    chat.ask("/storm new weekend How often does it ring?", "is there, with Ann, Bob");
    // What looks like an action in the words of one without sets is none.
    chat.ask("/storm next", "[Ann]: Let me ring.");
    chat.ask("/storm next", "It rang seven times.");
    assert!(
        chat.stdout().contains("BELL: ok") || chat.stdout().contains("bell"),
        "{}",
        chat.stdout()
    );
    chat.ask("/storm next 2", "It can't be had.");
    assert_eq!(chat.end().code(), Some(0));
    let asked = ollama.prompts();
    assert!(!asked[0].contains("BELL") && asked[1].contains("- BELL"), "{asked:?}");
    assert!(!asked[1].contains("OTHER"), "what is in no set is not offered");
    let log = home.text("workspace/AIStormSessions/weekend/weekend.log.md");
    assert!(log.contains("Let me ring.\n\nIt rang seven times.\n"), "{log}");
    let session: Value = serde_json::from_str(&home.text("workspace/session.json")).unwrap();
    assert_eq!(session["taint"], "TP", "{session}");
}

#[test]
fn commands_of_one_answer_of_an_agent_run_in_their_order_and_none_behind_one_that_has_not_run() {
    let home = TempHome::new();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    let persona =
        "<aistorm type=\"Ollama\" model=\"llama3.1:8B\" sets=\"workbench\" />\n\nYou work.\n";
    home.put("workspace/personas/Ann.md", persona);
    let both = |first: &str, second: &str| {
        let call = |(env, command): (&str, &str)| json!({"name": "WORKBENCH", "params": {"env": env, "command": command}});
        let calls = [first, second].map(|text| call(text.split_once(": ").unwrap()));
        Says::text(&format!("Both. <tool_code>{}</tool_code>", json!(calls)))
    };
    let ollama = OllamaServer::start([
        both("editor: view a.txt 1-2", "editor: edit a.txt 2-2\ntwo and more"),
        Says::text("Seen."),
        both("bash: touch b.txt", "python: open('c.txt', 'w')"),
        Says::text("Not made."),
    ]);
    let rule = "[effects]\nnone = \"allow\"\nlocal = \"allow\"\n[[rules]]\naction = \"WORKBENCH\"\nparams = { env = \"bash\" }\nthen = \"refuse\"\n";
    home.put("router/policy.toml", rule);
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[("OLLAMA_HOST", &ollama.host())]);
    chat.ask(&format!("/work {}", folder.path().canonicalize().unwrap().display()), "Open: ");
    chat.ask("/storm new weekend Who edits?", "is there, with Ann");
    let told = chat.ask("/storm next", "Seen.");
    assert!(told.contains("Lines 2-2 of a.txt are not all in a view that you have seen"), "{told}");
    let told = chat.ask("/storm next", "Not made.");
    let left = "not run, because the command before it in the same answer has not run";
    assert!(told.contains(left), "{told}");
    assert!(ollama.prompts()[3].contains(left), "{:?}", ollama.prompts());
    assert_eq!(chat.end().code(), Some(0));
    assert!(!folder.path().join("c.txt").exists());
}
