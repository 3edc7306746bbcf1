//! The workbench as a program meets it: `start_router work --stdio DIR`, in its real sandbox.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_types,
    reason = "a test ends with a panic, and starts the program"
)]

mod desk;
mod escapes;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use desk::Desk;
use serde_json::{Value, json};

#[test]
fn a_command_is_answered_by_its_response_and_the_screen() {
    let mut desk = Desk::open();
    let answer = desk.line(r#"{"env":"bash","command":"cd /tmp && false"}"#);
    assert_eq!(answer["response"], json!({"output": "", "processed": true, "exit_code": 1}));
    let bash = answer["screen"]["bash"]["content"].as_str().unwrap();
    assert!(bash.ends_with("Last exit code: 1\nBackground jobs: none"), "{bash}");
    let old = desk.line(r#"{"type":"command","environment":"python","command":"x = 6\nx * 7"}"#);
    assert_eq!(old["response"]["output"], "42\n");
    assert_eq!(old["screen"]["python"]["content"], "x = 6");
    assert_eq!(old["screen"].as_object().unwrap().keys().count(), 3);
}

#[test]
fn without_namespaces_the_editor_edits_and_a_file_keeps_its_mode() {
    let mut desk = Desk::open_without_namespaces();
    let file = desk.project().join("run.sh");
    desk.says("editor", "create run.sh\necho one");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    desk.says("editor", "view run.sh");
    let said = desk.says("editor", "edit run.sh 1-1\necho two");
    assert_eq!(fs::read_to_string(&file).unwrap(), "echo two", "{said}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o755);
}

#[test]
fn what_can_not_be_read_is_an_error_and_the_next_line_is_read() {
    let mut desk = Desk::open();
    for bad in ["{", "[1]", r#"{"env":"bash"}"#, r#"{"env":"a b","command":"x"}"#] {
        let answer = desk.line(bad);
        assert_eq!(answer["type"], "error", "{bad}");
        assert!(answer["message"].as_str().unwrap().starts_with("Parse error: "), "{answer}");
    }
    let docker = desk.run("docker", "ps");
    assert_eq!(
        docker["response"]["output"],
        "Unknown environment: 'docker'. Available environments: bash, python, editor"
    );
    assert_eq!(docker["response"]["processed"], false);
    assert_eq!(desk.says("bash", "echo on"), "on\n");
}

#[test]
fn a_small_client_in_python_drives_it() {
    let desk = Desk::prepared();
    let commands = json!([["bash", "echo hi > a"], ["editor", "view a"], ["python", "1 + 1"]]);
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/work/client.py");
    let output = Command::new("python3")
        .args([client, &commands.to_string()])
        .args(desk.words())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["screen"]["editor"]["content"], "> a: all, lines 1-1\nhi");
    assert_eq!(lines[2]["response"]["output"], "2\n");
    assert_eq!(lines[3], json!({"ended": 0}));
}

#[test]
fn the_end_of_stdin_ends_everything() {
    let mut desk = Desk::open();
    let marker = format!("{}", std::process::id());
    desk.run("bash", &format!("(exec -a marker-{marker} sleep 1000) & disown"));
    let running = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let lines = processes.filter_map(|one| fs::read(one.path().join("cmdline")).ok());
        lines
            .filter(|line| String::from_utf8_lossy(line).starts_with(&format!("marker-{marker}")))
            .count()
    };
    testkit::wait_until("it runs under its name", || running() == 1);
    assert_eq!(desk.close(), Some(0));
    let start = std::time::Instant::now();
    while running() > 0 {
        assert!(start.elapsed().as_secs() < 30, "an orphan is left");
        std::thread::yield_now();
    }
}

#[test]
fn everyday_work_works() {
    let mut desk = Desk::open();
    let git = desk.run(
        "bash",
        "git init -q . && echo a > a && git add a && git -c user.name=A -c user.email=a@b commit -qm one && git status --short && git log --oneline | wc -l",
    );
    assert_eq!(git["response"]["output"], "1\n", "{git}");
    desk.says(
        "editor",
        "create hello.c\n#include <stdio.h>\n\nint main(void) {\n  printf(\"moon\\n\");\n}\n",
    );
    let answer = desk.run("editor", "goto_definition main");
    let view = answer["screen"]["editor"]["content"].as_str().unwrap();
    assert!(view.starts_with("> hello.c: function \"main\", lines 3-5\n"), "{view}");
    desk.says("editor", "edit hello.c 4-4\n  printf(\"world\\n\");\n");
    assert_eq!(desk.says("python", "open('hello.c').read().count('world')"), "1\n");
    desk.says("bash", "mkdir -p t && chmod 700 t && touch -d 2020-01-01 t/x && ln -s x t/y");
    let made = desk.project().join("hello.c");
    assert_eq!(owner(&made), owner(&desk.project()), "what is made belongs to the folder's owner");
}

fn owner(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).unwrap().uid()
}

#[test]
fn the_projects_own_environments_run_once_they_are_allowed() {
    const MOOD: &str = "class Mood:
    def handle_command(self, cmd): return {'output': cmd + '!', 'processed': True}
    def get_screen(self): return {'content': 'fine'}
";
    let desk = Desk::prepared();
    fs::create_dir(desk.project().join("env")).unwrap();
    fs::write(desk.project().join("env/mood.py"), MOOD).unwrap();
    let mut held = desk.start(&[]);
    let answer = held.run("mood", "so");
    assert_eq!(answer["response"]["processed"], false);
    let panel = answer["screen"]["mood"]["content"].as_str().unwrap();
    assert!(panel.contains("lay here before this task"), "{panel}");
    held.says("bash", "sed s/Mood/Mind/ env/mood.py > env/mind.py");
    assert_eq!(held.says("mind", "so"), "so!");
    let mut allowed = held.again(&["--allow-env"]);
    allowed.run("bash", "true");
    assert_eq!(allowed.says("mood", "so"), "so!");
}

#[test]
fn a_gigabyte_of_output_and_endless_commands_are_survived() {
    let mut desk = Desk::open();
    let answer = desk.run("bash", "head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo end");
    let output = answer["response"]["output"].as_str().unwrap();
    assert!(output.contains("[OUTPUT TRUNCATED: ") && output.len() < 11_000, "{}", output.len());
    let late = desk.line(r#"{"env":"bash","command":"sleep 1000","seconds":1}"#);
    assert!(late["response"]["output"].as_str().unwrap().contains("interrupted after 1 s"));
    let bomb = desk.line(r#"{"env":"bash","command":":(){ :|:& };:","seconds":3}"#);
    assert!(bomb["response"]["output"].is_string(), "{bomb}");
    // In front of it may stand that bash was ended to make room.
    let said = desk.says("python", "'still ' + 'here'");
    assert!(said.ends_with("'still here'\n"), "{said}");
}

#[test]
fn processes_without_end_in_one_environment_keep_no_other_from_starting() {
    const MANY: &str = "from subprocess import Popen
try:
    while True: Popen(['sleep', '1000'])
except BlockingIOError:
    print('full')
";
    let mut desk = Desk::open();
    fs::write(desk.project().join("many.py"), MANY).unwrap();
    assert_eq!(desk.says("bash", "python3 many.py"), "full\n");
    assert_eq!(desk.says("python", "'still ' + 'here'"), "'still here'\n");
    assert_eq!(desk.says("bash", "echo on"), "on\n");
}

#[test]
fn folders_that_no_workbench_may_have_are_refused() {
    let desk = Desk::prepared();
    for (folder, why) in [("/etc", "belongs to the system"), ("/nowhere", "can't be used")] {
        let output = Command::new(desk::start_router()).args(["work", "--stdio", folder]).output();
        let said = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(said.contains(why), "{said}");
    }
    drop(desk);
}
