//! Skills that a user drops into router/skills, as the real binary runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]
#![allow(clippy::disallowed_types, reason = "cargo and the router's commands are processes")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use testkit::{Chat, TempHome};

const SAFECLAW: &str = env!("CARGO_BIN_EXE_safeclaw");

struct House {
    home: TempHome,
    chat: Chat,
}

/// A chat that runs already: everything below happens without a restart.
fn house() -> House {
    let home = TempHome::greeting();
    let mut chat = Chat::start(SAFECLAW, &[], home.root(), &[]);
    chat.ask("/status", "workspace:");
    House { home, chat }
}

impl House {
    /// Drops a skill that runs `script` as its program.
    fn drop_skill(&self, name: &str, script: &str, manifest: &str) {
        let folder = self.folder(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run"), script).unwrap();
        fs::set_permissions(folder.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        let head =
            format!("name = {:?}\ninstruction = \"Test.\"\n{manifest}", name.to_ascii_uppercase());
        let head = if manifest.contains("effect") {
            head
        } else {
            head.replacen("name", "effect = \"none\"\nname", 1)
        };
        let head = if manifest.contains("command") {
            head
        } else {
            head.replacen("name", "command = [\"./run\"]\nname", 1)
        };
        self.home.put(format!("router/skills/{name}/skill.toml"), head);
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.home.router_skills().join(name)
    }

    /// Runs an action until its line shows `text`: a skill that was just dropped takes a moment.
    fn run_until(&mut self, call: &str, text: &str) -> String {
        let name = call.split(' ').next().unwrap().to_owned();
        let mut last = String::new();
        testkit::wait_until(&format!("{text:?} for {call}"), || {
            last = self.chat.ask(&format!("/run {call}"), "\n}\n");
            last.contains(text)
        });
        assert!(last.contains(&name), "{last}");
        last
    }
}

fn start_router(house: &House, args: &[&str]) -> String {
    let output = Command::new(SAFECLAW)
        .arg("router")
        .args(args)
        .arg("--home")
        .arg(house.home.root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn skills_from_the_templates_in_python_and_shell_work_at_once() {
    let mut house = house();
    start_router(&house, &["new-skill", "COUNT_WORDS", "--lang", "python"]);
    start_router(&house, &["new-skill", "tell_time", "--lang", "sh"]);
    house.run_until(r#"COUNT_WORDS {"text": "Hello World"}"#, "2 words, 11 characters");
    house.run_until(r#"TELL_TIME {"what": "kernel"}"#, "Linux");
    // Their examples make them understood without a model.
    house.chat.ask("Run count_words on 'one two three'.", "COUNT_WORDS: ok, 3 words");
    assert!(house.home.text("workspace/router_actions.json").contains("TELL_TIME"));
}

#[test]
fn a_skill_from_the_rust_template_is_built_with_one_command_and_works() {
    let mut house = house();
    let said = start_router(&house, &["new-skill", "COUNT_IN_RUST", "--lang", "rust"]);
    let command = said.lines().find_map(|line| line.trim().strip_prefix("cargo ")).unwrap();
    let built = Command::new(env!("CARGO"))
        .args(command.split(' '))
        // The template's own tests build most of what the release build needs; debug is enough to see it.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    house.run_until(r#"COUNT_IN_RUST {"text": "Hello World"}"#, "2 words, 11 characters");
}

#[test]
fn every_way_to_fail_has_its_answer() {
    let mut house = house();
    for (name, script, text) in [
        (
            "exits",
            "#!/bin/sh\necho 'no such city' >&2\nexit 3\n",
            "ended with code 3: no such city",
        ),
        ("says_error", "#!/bin/sh\necho '{\"error\": \"no such city\"}'\n", "says_error"),
        ("silent", "#!/bin/sh\ncat >/dev/null\n", "printed nothing"),
        ("no_object", "#!/bin/sh\necho '[1]'\n", "it is a list, not an object"),
        ("broken_json", "#!/bin/sh\necho '{'\n", "no JSON"),
        ("too_much", "#!/bin/sh\nyes\n", "printed more than"),
        ("crashes", "#!/bin/sh\nkill -SEGV $$\n", "SIGSEGV"),
        ("never_ends", "#!/bin/sh\nsleep 1000\n", "did not finish within"),
        ("no_interpreter", "#!/no/such/interpreter\n", "interpreter"),
    ] {
        house.drop_skill(name, script, "timeout = \"2s\"\n");
        let action = name.to_ascii_uppercase();
        let text = if name == "says_error" { "no such city" } else { text };
        house.run_until(&action, text);
        let answer = house.chat.ask(&format!("/run {action}"), "\n}\n");
        assert!(answer.contains(&format!("{action}: failed")), "{answer}");
        assert!(answer.contains("\"status\": \"error\""), "{answer}");
    }
    house.chat.ask("Say hello to Frankie.", "HELLO_WORLD: ok");
}

#[test]
fn what_a_skill_says_on_stderr_is_its_log() {
    let mut house = house();
    house.drop_skill("chatty", "#!/bin/sh\necho 'a word for the log' >&2\necho '{}'\n", "");
    house.run_until("CHATTY", "CHATTY: ok");
    assert!(house.home.text("router/log/chatty.log").contains("a word for the log"));
}

#[test]
fn a_folder_that_is_no_skill_is_left_out_with_the_reason_and_stops_nobody() {
    let mut house = house();
    let good = "#!/bin/sh\necho '{}'\n";
    for (name, manifest) in [
        ("typo", "instrction = \"x\"\n"),
        ("no_command", "command = [\"./missing\"]\n"),
        ("bad_example", "[[examples]]\nsay = \"x\"\nparams = { y = 1 }\n"),
        ("bad_span", "timeout = \"soon\"\n"),
        ("bad_host", "[net]\nhosts = [\"a b\"]\n"),
        ("too_long", "timeout = \"11m\"\n"),
        ("refers", "[params]\np = { allOf = [{ \"$ref\" = \"#/properties/p\" }] }\n"),
        ("unseen", "command = [\"./.git/run\"]\n"),
        ("unseen_word", "command = [\"sh\", \"/skill/target/release/deps/x.sh\"]\n"),
        ("speaks", "instrction\\u001b = 1\n"),
        (
            "serves_when",
            "mode = \"serve\"\n[params]\np = { type = \"string\" }\n[secrets.T]\nhost = \"a.b\"\n\
             header = \"X\"\nwhen = { p = \"x\" }\n",
        ),
    ] {
        house.drop_skill(name, good, manifest);
    }
    house.drop_skill("not_executable", good, "");
    let run = house.folder("not_executable").join("run");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o644)).unwrap();
    house.drop_skill("other_name", good, "");
    fs::rename(house.folder("other_name"), house.folder("another")).unwrap();
    house.drop_skill("leads_out", good, "");
    symlink("/etc/passwd", house.folder("leads_out").join("data")).unwrap();
    symlink(house.folder("hello_world"), house.folder("linked")).unwrap();
    fs::create_dir(house.folder("pipe")).unwrap();
    let made = Command::new("mkfifo").arg(house.folder("pipe").join("skill.toml")).status();
    assert!(made.unwrap().success());
    house.drop_skill("fine", good, "");
    house.run_until("FINE", "FINE: ok");
    house.home.put("router/config.json", r#"{"skills": {"fine": {"enabled": false}}}"#);
    let listed = start_router(&house, &["skills"]);
    for words in [
        "typo/skill.toml: TOML parse error at line",
        "no_command/missing is missing; put the program there",
        "bad_example/skill.toml: examples: \"x\": the parameters don't fit",
        "timeout: \"soon\" is no span of time; write 500ms, 15s or 2m",
        "bad_host/skill.toml: host \"a b\"",
        "too_long/skill.toml: timeout: \"11m\" is longer than 10m",
        "refers/skill.toml: params.p: $ref refers to other schemas",
        "unseen/skill.toml: command: changes under .git/ are not looked at",
        "unseen_word/skill.toml: command: changes under deps/ are not looked at",
        "pipe/skill.toml",
        "serves_when/skill.toml: secrets.T: when: a process that stays has the same secrets",
        "router/config.json: skills.fine: there is no such skill; did you mean FINE?",
        "not_executable/run is not executable; run `chmod +x ",
        "OTHER_NAME belongs into a folder called other_name",
        "leads_out/data: it is a link that leads out of the skill's folder; put a copy there",
        "linked: it is a link; put the folder itself here",
    ] {
        assert!(listed.contains(words), "{words}\n{listed}");
    }
    house.chat.expect_on_stderr("not_executable/run is not executable; run `chmod +x ");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
    house.run_until("NOT_EXECUTABLE", "NOT_EXECUTABLE: ok");
    assert!(!listed.contains('\u{1b}') && !house.chat.stderr().contains('\u{1b}'));
}

#[test]
fn a_skill_that_is_removed_or_switched_off_is_gone() {
    let mut house = house();
    house.drop_skill("brief", "#!/bin/sh\necho '{}'\n", "");
    house.run_until("BRIEF", "BRIEF: ok");
    house.home.put("router/config.json", r#"{"skills": {"BRIEF": {"enabled": false}}}"#);
    testkit::wait_until("it is switched off", || {
        !house.home.text("workspace/router_actions.json").contains("BRIEF")
    });
    house.chat.ask("/run BRIEF", "BRIEF: unknown");
    house.home.put("router/config.json", "{}");
    house.run_until("BRIEF", "BRIEF: ok");
    fs::remove_dir_all(house.folder("brief")).unwrap();
    house.run_until("BRIEF", "BRIEF: unknown");
}

#[test]
fn a_warm_skill_keeps_its_process_and_comes_back_after_it_dies() {
    let mut house = house();
    let script = "#!/usr/bin/python3\nimport json, sys\nn = 0\nfor line in sys.stdin:\n  call = json.loads(line)\n  \
        n += 1\n  if call.get('die'): sys.exit(7)\n  print(json.dumps({'n': n, 'id': 'message_id' in call['_call']}), flush=True)\n";
    let params = "mode = \"serve\"\nsummary = \"call {n} {id}\"\n[params]\ndie = { type = \"boolean\", optional = true }\n";
    house.drop_skill("counts", script, params);
    house.run_until("COUNTS", "call 1 true");
    house.chat.ask("/run COUNTS", "call 2 true");
    house.chat.ask("/run COUNTS {\"die\": true}", "ended with code 7");
    house.chat.ask("/run COUNTS", "call 1 true");
    // Another skill that changes leaves this one's process alone; a change of its own does not.
    house.drop_skill("bystander", "#!/bin/sh\necho '{}'\n", "");
    house.run_until("BYSTANDER", "BYSTANDER: ok");
    house.chat.ask("/run COUNTS", "call 2 true");
    let changed = script.replace("n = 0", "n = 100");
    house.drop_skill("counts", &changed, params);
    start_router(&house, &["trust", "COUNTS", "--yes"]);
    house.run_until("COUNTS", "call 101 true");
}

#[test]
fn a_skill_sees_nothing_of_the_house() {
    let mut house = house();
    house.home.put("router/.env", "X_TOKEN=hunter2hunter2\n");
    house.drop_skill(
        "looks_around",
        "#!/usr/bin/python3\nimport json, os, socket\n\
         def tries(f):\n  try: return str(f())\n  except OSError as e: return 'refused'\n\
         home = os.environ['HOME']\n\
         print(json.dumps({'env': sorted(os.environ), 'cwd': os.getcwd(), 'fds': sorted(os.listdir('/proc/self/fd')),\n\
           'write': tries(lambda: open('/skill/x', 'w')), 'scratch': tries(lambda: open('/work/x', 'w').write('y')),\n\
           'net': tries(lambda: socket.create_connection(('127.0.0.1', 6379), 1)), 'root': sorted(os.listdir('/'))}))\n",
        "",
    );
    let answer = house.run_until("LOOKS_AROUND", "LOOKS_AROUND: ok");
    let fields = &answer[answer.find('{').unwrap()..];
    assert!(fields.contains("\"write\": \"refused\""), "{fields}");
    assert!(fields.contains("\"scratch\": \"1\""), "{fields}");
    assert!(fields.contains("\"net\": \"refused\""), "{fields}");
    assert!(fields.contains("\"cwd\": \"/work\""), "{fields}");
    for foreign in ["OLLAMA_HOST", "\"root\"\n", "hunter2", "\"home\""] {
        assert!(!fields.contains(foreign), "{foreign} in {fields}");
    }
}

#[test]
fn a_warm_skill_ends_when_its_folder_goes() {
    let mut house = house();
    // Python ignores this option. By it, the process is found from outside the sandbox.
    let mark = format!("-Xwarm={}", std::process::id());
    let script = format!(
        "#!/usr/bin/python3 {mark}\nimport json, sys\nfor line in sys.stdin: print('{{}}', flush=True)\n"
    );
    house.drop_skill("stays", &script, "mode = \"serve\"\n");
    house.run_until("STAYS", "STAYS: ok");
    let runs =
        || Command::new("pgrep").args(["-f", "--", &mark]).output().unwrap().status.success();
    assert!(runs());
    fs::remove_dir_all(house.folder("stays")).unwrap();
    testkit::wait_until("its process ends", || !runs());
}

#[test]
fn a_folder_that_is_written_all_the_time_hides_no_other() {
    let mut house = house();
    house.drop_skill("busy", "#!/bin/sh\necho '{}'\n", "");
    let (stop, file) = (
        std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)),
        house.folder("busy").join("noise"),
    );
    let writer = std::thread::spawn({
        let stop = std::sync::Arc::clone(&stop);
        move || {
            let mut n = 0;
            while !stop.load(std::sync::atomic::Ordering::SeqCst) {
                n += 1;
                fs::write(&file, n.to_string()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
    });
    house.drop_skill("quiet", "#!/bin/sh\necho '{}'\n", "");
    house.run_until("QUIET", "QUIET: ok");
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    writer.join().unwrap();
}

#[test]
fn a_new_skill_before_the_first_start_keeps_the_first_party_ones_company() {
    let home = TempHome::new();
    fs::remove_dir_all(home.router_skills()).ok();
    let run = |args: &[&str]| {
        Command::new(SAFECLAW).args(args).arg("--home").arg(home.root()).output().unwrap()
    };
    assert!(run(&["router", "new-skill", "MINE"]).status.success());
    let listed = String::from_utf8(run(&["router", "skills"]).stdout).unwrap();
    for name in ["CREATE_POST", "MINE", "NOTIFY", "WEB_FETCH"] {
        assert!(listed.contains(name), "{listed}");
    }
    let reserved = run(&["router", "new-skill", "approve"]);
    assert!(
        String::from_utf8_lossy(&reserved.stderr).contains("is a request to the router itself")
    );
    let ours = run(&["router", "new-skill", "library"]);
    assert!(
        String::from_utf8_lossy(&ours.stderr)
            .contains("LIBRARY is a process of first-party skills")
    );
    let again = run(&["router", "new-skill", "mine"]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("is there already"));
}
