//! How this process was started, so that what it says names commands that can be typed here and now.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The option by which a router learns how the program that started it was started: what people type before
/// the words of a command.
pub const CALLED: &str = "--called";

/// The option that names the home.
const HOME: &str = "--home";

/// The programs, by their names. Any other name is that of a test or of somebody's own making, and counts as the first.
const WHOLE: &str = "safeclaw";
const AGENT: &str = "start_agent";
const ROUTER: &str = "start_router";

/// What people type to start a command of this program, or of the one beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// What stands before the agent's own commands.
    agent: String,
    /// What stands before the router's own commands.
    router: String,
    /// What stands before the commands of everything in one.
    whole: String,
}

impl Invocation {
    /// How this process was started.
    #[must_use]
    pub fn here() -> Self {
        Self::of(&std::env::args_os().collect::<Vec<_>>())
    }

    /// How a process with these arguments was started; the first is the program, as it was typed.
    fn of(args: &[OsString]) -> Self {
        if let Some(called) = value(args, CALLED) {
            return Self::whole(&called.to_string_lossy());
        }
        let program = args.first().map_or(Path::new(WHOLE), Path::new);
        let home = value(args, HOME).map(|home| format!(" {HOME} {}", quoted(&home)));
        let home = home.unwrap_or_default();
        let beside = |name: &str| {
            let path = program.with_file_name(name);
            // Without a folder it was found on PATH, where the others are as well.
            let is_there = path.parent() == Some(Path::new("")) || path.exists();
            let name = if is_there { quoted(path.as_os_str()) } else { name.to_owned() };
            format!("{name}{home}")
        };
        match program.file_name().and_then(OsStr::to_str) {
            Some(name) if name.starts_with(WHOLE) => {
                Self::whole(&format!("{}{home}", quoted(program.as_os_str())))
            }
            Some(AGENT | ROUTER) => {
                Self { agent: beside(AGENT), router: beside(ROUTER), whole: beside(WHOLE) }
            }
            _ => Self::whole(&format!("{WHOLE}{home}")),
        }
    }

    fn whole(typed: &str) -> Self {
        let (agent, router) = (format!("{typed} agent"), format!("{typed} router"));
        Self { agent, router, whole: typed.to_owned() }
    }

    /// What stands before the words of a command of everything in one, for [`CALLED`].
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.whole
    }
}

/// A command of everything in one, such as `stop`, as it is typed here.
#[must_use]
pub fn command(words: &str) -> String {
    joined(&Invocation::here().whole, words)
}

/// What lets everything go on after a stop, as it is typed here: by the router alone where it is by itself.
#[must_use]
pub fn resume_command() -> String {
    let Invocation { router, whole, .. } = Invocation::here();
    joined(if router.starts_with(&whole) { &whole } else { &router }, "resume")
}

/// A command of the agent, such as `config llm`, as it is typed here.
#[must_use]
pub fn agent_command(words: &str) -> String {
    joined(&Invocation::here().agent, words)
}

/// A command of the router, such as `trust NAME`, as it is typed here.
#[must_use]
pub fn router_command(words: &str) -> String {
    joined(&Invocation::here().router, words)
}

/// A command of the agent for whoever reads it in a browser, perhaps on another machine: where the program and the home lie is
/// nobody's business there.
#[must_use]
pub fn agent_command_by_name(words: &str) -> String {
    let agent = if is_called(AGENT) { AGENT } else { "safeclaw agent" };
    joined(agent, words)
}

/// What the router's command line is called, for help texts, which say how a command is built and not where it lies.
#[must_use]
pub fn router_name() -> &'static str {
    if is_called(ROUTER) { ROUTER } else { "safeclaw router" }
}

/// Whether this process was started under this name.
fn is_called(program: &str) -> bool {
    let typed = std::env::args_os().next();
    typed.as_deref().map(Path::new).and_then(Path::file_name) == Some(OsStr::new(program))
}

fn joined(before: &str, words: &str) -> String {
    format!("{before} {words}").trim_end().to_owned()
}

/// The value of an option, if it was given.
fn value(args: &[OsString], option: &str) -> Option<OsString> {
    let mut args = args.iter().skip(1);
    while let Some(arg) = args.next() {
        if arg == option {
            return args.next().cloned();
        }
        let text = arg.to_string_lossy();
        if let Some(value) = text.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.into());
        }
    }
    None
}

/// As a shell reads it back.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    shlex::try_quote(&word).map_or_else(|_| word.to_string(), |quoted| quoted.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(args: &[&str]) -> [String; 3] {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let Invocation { whole, agent, router } = Invocation::of(&args);
        [joined(&whole, "stop"), joined(&agent, "config llm"), joined(&router, "skills")]
    }

    #[test]
    fn a_command_is_told_as_it_was_typed() {
        let on_path = ["safeclaw stop", "safeclaw agent config llm", "safeclaw router skills"];
        assert_eq!(told(&["safeclaw"]), on_path);
        assert_eq!(told(&[]), on_path);
        // A test's own program has a name that nobody types.
        assert_eq!(told(&["/x/target/debug/deps/home-0123"]), on_path);
        assert_eq!(
            told(&["target/release/safeclaw", "--home", "my home", "-p", "hi"]),
            [
                "target/release/safeclaw --home 'my home' stop",
                "target/release/safeclaw --home 'my home' agent config llm",
                "target/release/safeclaw --home 'my home' router skills",
            ]
        );
        assert_eq!(told(&["./safeclaw", "agent", "--home=/h"])[0], "./safeclaw --home /h stop");
        let called = ["/x/safeclaw", "router", "--pipe", "--home", "/h", CALLED, "./safeclaw"];
        assert_eq!(told(&called)[2], "./safeclaw router skills");
    }

    #[test]
    fn the_parts_name_each_other() {
        let on_path = ["safeclaw stop", "start_agent config llm", "start_router skills"];
        assert_eq!(told(&["start_agent"]), on_path);
        assert_eq!(told(&["start_router"]), on_path);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("start_router"), "").unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let agent = at("start_agent");
        let [whole, _, router] = told(&[&agent, "--home", "/h"]);
        assert_eq!(router, format!("{} --home /h skills", at("start_router")));
        assert_eq!(whole, "safeclaw --home /h stop", "there is none beside it");
    }
}
