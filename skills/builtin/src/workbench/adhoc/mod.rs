//! The environments that a project brings: `env/<name>.py` or `env/<name>/environment.py`, one process each.
//!
//! They are looked for after each command. What is wrong with one stands in its panel. A file that lay in the project before
//! the workbench was opened runs only if the owner has allowed its content; what is written at the workbench runs at once,
//! for it can do nothing that bash there could not.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::child::{Child, Ended};
use super::{Environment, Reply};

/// What runs in each process.
const SHIM: &str = include_str!("shim.py");

/// How long an environment may take to be loaded.
const READY: Duration = Duration::from_secs(10);

/// How long it may take to say how things stand.
const LOOK: Duration = Duration::from_secs(2);

/// How many environments a project may bring.
const MOST: usize = 16;

/// The largest file of one, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The environments of one project.
pub(super) struct AdHoc {
    project: PathBuf,
    /// What lay there before, and may not run: the digests of the files.
    before: Vec<String>,
    found: BTreeMap<String, Found>,
}

/// One environment, as its file was when it was looked at.
struct Found {
    digest: String,
    running: Result<Running, String>,
}

struct Running {
    child: Child,
    screen: String,
}

impl AdHoc {
    /// Looks what lies in `project` before anything is done there; the files with one of the digests `allowed` may run.
    pub(super) fn at(project: &Path, allowed: &[String]) -> Self {
        let digests = files(project).into_values().filter_map(|file| digest(&file));
        let before = digests.filter(|digest| !allowed.contains(digest)).collect();
        Self { project: project.to_owned(), before, found: BTreeMap::new() }
    }

    /// Looks what is there now, starts what is new, and gives the panel of each.
    pub(super) fn look(&mut self) -> BTreeMap<String, String> {
        let files = files(&self.project);
        self.found.retain(|name, _| files.contains_key(name));
        for (name, file) in files {
            let Some(digest) = digest(&file) else { continue };
            if self.found.get(&name).is_none_or(|found| found.digest != digest) {
                let running = match self.before.contains(&digest) {
                    true => Err(held(&self.project, &file)),
                    false => Running::start(&file, &self.project),
                };
                self.found.insert(name, Found { digest, running });
            } else if let Some(Found { running: Ok(running), .. }) = self.found.get_mut(&name) {
                running.look();
            }
        }
        let panel = |found: &Found| match &found.running {
            Ok(running) => running.screen.clone(),
            Err(problem) => problem.clone(),
        };
        self.found.iter().map(|(name, found)| (name.clone(), panel(found))).collect()
    }

    /// The environment `name`, if it runs.
    pub(super) fn named(&mut self, name: &str) -> Option<&mut dyn Environment> {
        let running = self.found.get_mut(name)?.running.as_mut().ok()?;
        Some(running)
    }

    /// The names of those that run.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.found.iter().filter(|(_, found)| found.running.is_ok()).map(|(name, _)| name.clone())
    }
}

impl Running {
    fn start(file: &Path, project: &Path) -> Result<Self, String> {
        let (path, folder) = (file.display().to_string(), project.display().to_string());
        let child =
            Child::start("python3", &["-I", "-B", "-c", SHIM, &path, &folder], project, b'\n');
        let mut child = child.map_err(|error| format!("It needs python3: {error}"))?;
        let said = match child.order(b"", READY) {
            Ended::Said(record) => record,
            Ended::Interrupted(_) | Ended::Killed => {
                return Err(format!("It was not loaded within {} s.", READY.as_secs()));
            }
            Ended::Gone(code) => {
                return Err(format!("It ended with code {code}.\n{}", child.output()));
            }
        };
        let said: Value = serde_json::from_slice(&said).unwrap_or_default();
        let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        if said.get("ready") == Some(&Value::Bool(true)) {
            drop(child.output());
            return Ok(Self { screen: text("screen"), child });
        }
        Err(text("problem"))
    }

    /// Has it say how things stand.
    fn look(&mut self) {
        drop(self.ask(&json!({}), LOOK));
    }

    /// Sends one order; its answer, or what became of the process.
    fn ask(&mut self, order: &Value, limit: Duration) -> Result<Value, String> {
        let record = match self.child.order(format!("{order}\n").as_bytes(), limit) {
            Ended::Said(record) | Ended::Interrupted(record) => record,
            Ended::Gone(code) => return Err(self.ended(&format!("It ended with code {code}."))),
            Ended::Killed => {
                let why = format!("It did not answer within {} s and was ended.", limit.as_secs());
                return Err(self.ended(&why));
            }
        };
        let answer: Value = serde_json::from_slice(&record).unwrap_or_default();
        match (answer.get("failed"), answer.get("screen")) {
            (Some(Value::String(why)), _) => {
                self.screen = format!("get_screen or the command failed:\n{why}")
            }
            (_, Some(Value::String(screen))) => screen.clone_into(&mut self.screen),
            _ => {}
        }
        Ok(answer)
    }

    fn ended(&mut self, why: &str) -> String {
        self.screen = format!("{why} Change its file, and it starts again.");
        self.screen.clone()
    }
}

impl Environment for Running {
    fn command(&mut self, command: &str, limit: Duration) -> Reply {
        let answer = match self.ask(&json!({"command": command}), limit) {
            Ok(answer) => answer,
            Err(why) => return Reply::refused(why),
        };
        let printed = self.child.output();
        if let Some(failed) = answer.get("failed").and_then(Value::as_str) {
            let refused = Reply::refused(format!("{printed}{failed}"));
            return Reply { exit_code: Some(1), ..refused };
        }
        let output = answer.get("output").and_then(Value::as_str).unwrap_or_default();
        let processed = answer.get("processed") != Some(&Value::Bool(false));
        let exit_code = (!processed).then_some(1);
        Reply { processed, exit_code, ..Reply::of(format!("{printed}{output}")) }
    }

    fn screen(&mut self) -> String {
        self.screen.clone()
    }
}

fn held(project: &Path, file: &Path) -> String {
    let file = file.strip_prefix(project).unwrap_or(file);
    format!(
        "{} lay here before this task, so it does not run: its owner has to allow it first.",
        file.display()
    )
}

/// The files of the environments in `project`, by name.
fn files(project: &Path) -> BTreeMap<String, PathBuf> {
    let Ok(entries) = fs::read_dir(project.join("env")) else { return BTreeMap::new() };
    let one = |entry: fs::DirEntry| {
        let (path, name) = (entry.path(), entry.file_name().into_string().ok()?);
        let (name, file) = match name.strip_suffix(".py") {
            Some(name) => (name.to_owned(), path),
            None => (name, path.join("environment.py")),
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let is_free = !["bash", "python", "editor"].contains(&name.as_str());
        (is_name && is_free && file.is_file()).then_some((name, file))
    };
    entries.flatten().filter_map(one).take(MOST).collect()
}

/// The SHA-256 sum of a file that is not too large, in hexadecimal digits.
pub(super) fn digest(file: &Path) -> Option<String> {
    if fs::metadata(file).ok()?.len() > LARGEST {
        return None;
    }
    let sum = Sha256::digest(fs::read(file).ok()?);
    Some(sum.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTER: &str = "class Counter:
    def __init__(self, project_dir):
        self.n = 0
    def handle_command(self, cmd):
        self.n += int(cmd)
        return {'output': f'now {self.n}', 'processed': True}
    def get_screen(self):
        return {'content': f'n = {self.n}'}
";

    fn project() -> (tempfile::TempDir, AdHoc) {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir(project.path().join("env")).unwrap();
        let adhoc = AdHoc::at(project.path(), &[]);
        (project, adhoc)
    }

    fn put(project: &Path, name: &str, text: &str) {
        fs::write(project.join("env").join(name), text).unwrap();
    }

    fn says(adhoc: &mut AdHoc, name: &str, command: &str) -> Reply {
        adhoc.named(name).unwrap().command(command, Duration::from_secs(10))
    }

    #[test]
    fn one_that_is_written_at_the_workbench_runs_at_once_and_again_when_it_changes() {
        let (project, mut adhoc) = project();
        assert_eq!(adhoc.look(), BTreeMap::new());
        put(project.path(), "counter.py", COUNTER);
        assert_eq!(adhoc.look()["counter"], "n = 0");
        assert_eq!(says(&mut adhoc, "counter", "2"), Reply::of("now 2"));
        assert_eq!(adhoc.look()["counter"], "n = 2");
        assert_eq!(adhoc.names().collect::<Vec<_>>(), ["counter"]);
        put(project.path(), "counter.py", &COUNTER.replace("n = 0", "n = 7"));
        assert_eq!(adhoc.look()["counter"], "n = 7");
        fs::remove_file(project.path().join("env/counter.py")).unwrap();
        assert_eq!(adhoc.look(), BTreeMap::new());
    }

    #[test]
    fn what_is_wrong_stands_on_the_screen() {
        let (project, mut adhoc) = project();
        put(project.path(), "half.py", "class A:\n    def handle_command(self, cmd): pass\n");
        put(project.path(), "bad.py", "def (");
        put(
            project.path(),
            "odd.py",
            "class A:\n    def handle_command(self): pass\n    def get_screen(self): pass\n",
        );
        let screen = adhoc.look();
        assert_eq!(screen["half"], "Missing required method: get_screen");
        assert!(screen["bad"].starts_with("It can't be loaded: SyntaxError"), "{screen:?}");
        assert_eq!(screen["odd"], "Wrong parameters of handle_command: it takes 1 beside self");
        assert_eq!(adhoc.names().count(), 0);
    }

    #[test]
    fn a_failing_command_is_told_and_the_environment_goes_on() {
        let (project, mut adhoc) = project();
        put(project.path(), "counter.py", COUNTER);
        adhoc.look();
        let said = says(&mut adhoc, "counter", "x");
        assert!(!said.processed && said.output.contains("ValueError"), "{said:?}");
        assert_eq!(says(&mut adhoc, "counter", "1").output, "now 1");
    }

    #[test]
    fn one_that_blocks_is_ended_and_holds_nobody_up() {
        const STUCK: &str =
            "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n        while True: pass";
        let (project, mut adhoc) = project();
        put(project.path(), "stuck.py", &COUNTER.replace("self.n += int(cmd)", STUCK));
        adhoc.look();
        let said = adhoc.named("stuck").unwrap().command("1", Duration::from_millis(300));
        assert!(said.output.contains("was ended"), "{said:?}");
        assert!(adhoc.look()["stuck"].contains("Change its file"));
    }

    #[test]
    fn what_lay_there_before_runs_only_when_it_is_allowed() {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir(project.path().join("env")).unwrap();
        put(project.path(), "counter.py", COUNTER);
        let mut adhoc = AdHoc::at(project.path(), &[]);
        assert!(adhoc.look()["counter"].starts_with("env/counter.py lay here before this task"));
        assert!(adhoc.named("counter").is_none());
        let known = digest(&project.path().join("env/counter.py")).unwrap();
        let mut adhoc = AdHoc::at(project.path(), &[known]);
        assert_eq!(adhoc.look()["counter"], "n = 0");
    }
}
