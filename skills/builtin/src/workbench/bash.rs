//! The bash environment: one shell that keeps its directory, its variables and its background jobs.
//!
//! The shell is interactive in name alone (`-i` without a terminal): an interrupt then ends the command and not the shell.
//! Commands have an empty stdin, and the end of each is told on a descriptor that they don't have, behind a word that no
//! output can know.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::child::{Child, Ended};
use super::{Environment, Reply};

/// Moves the way on which the ends are told out of the reach of commands.
const START: &str = "exec 9>&1 1>&2; exec bash --noprofile --norc --noediting -i";

/// How long a shell may take to be there.
const READY: Duration = Duration::from_secs(10);

/// What ends a record: no text of a shell holds it.
const END: u8 = 0x1e;

/// What stands between its parts.
const BETWEEN: u8 = 0x1f;

const WAITING: &str = "Bash is waiting for continuation input.\n\
                       The next command continues it; the command ^C drops it.";

/// What drops the beginning of a command.
const DROP: [&str; 2] = ["^C", "\u{3}"];

/// The shell, and what it told last.
pub(super) struct Bash {
    project: PathBuf,
    shell: Option<Child>,
    /// The beginning of a command whose end has not come.
    begun: String,
    state: State,
    orders: u64,
}

/// How the shell stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct State {
    exit_code: Option<i32>,
    directory: Option<String>,
    jobs: Vec<String>,
}

impl Bash {
    pub(super) fn at(project: &Path) -> Self {
        Self {
            project: project.to_owned(),
            shell: None,
            begun: String::new(),
            state: State::default(),
            orders: 0,
        }
    }

    /// The shell, started if there is none.
    fn shell(&mut self) -> Result<&mut Child, String> {
        if self.shell.is_none() {
            let mut shell = Child::start("/bin/bash", &["-c", START], &self.project, END)
                .map_err(|error| format!("bash can't be started: {error}"))?;
            let word = self.word();
            let hello = format!("PS1= PS2= PROMPT_COMMAND=; set +H +o history\n{}", told(&word));
            match shell.order(hello.as_bytes(), READY) {
                Ended::Said(_) => drop(shell.output()),
                other => return Err(format!("bash did not start: {other:?} {}", shell.output())),
            }
            self.shell = Some(shell);
        }
        self.shell.as_mut().ok_or_else(|| "bash is not there".to_owned())
    }

    /// A word for one order.
    fn word(&mut self) -> String {
        self.orders += 1;
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), self.orders);
        format!("{random:016x}{}", self.orders)
    }

    /// Takes in what the shell told, if it is the end of the order with `word`.
    fn take(&mut self, record: &[u8], word: &str) -> Option<i32> {
        let text = String::from_utf8_lossy(record);
        let mut parts = text.split(char::from(BETWEEN));
        let code = parts.next()?.strip_prefix(word)?.trim().parse().ok()?;
        let directory = parts.next().map(str::to_owned);
        let jobs = parts.next().unwrap_or_default().lines().map(job).collect();
        self.state = State { exit_code: Some(code), directory, jobs };
        Some(code)
    }

    /// The shell is gone; the next command has a fresh one.
    pub(super) fn forget(&mut self) {
        self.shell = None;
        self.state = State::default();
    }

    fn run(&mut self, command: &str, limit: Duration) -> Reply {
        let (word, before) = (self.word(), self.state.exit_code.unwrap_or(0));
        let shell = match self.shell() {
            Ok(shell) => shell,
            Err(why) => return Reply::refused(why),
        };
        // So that `$?` is the last command's.
        let code = if before == 0 { String::new() } else { format!("(exit {before})\n") };
        let order = format!("{code}eval {} </dev/null 9>&-\n{}", quoted(command), told(&word));
        let ended = shell.order(order.as_bytes(), limit);
        let output = shell.output();
        let seconds = limit.as_secs();
        match ended {
            Ended::Said(record) => match self.take(&record, &word) {
                Some(code) => Reply { exit_code: Some(code), ..Reply::of(output) },
                None => self.lost(output, "its end was told by something else"),
            },
            Ended::Interrupted(record) => {
                let code = self.take(&record, &word);
                let note = format!("{output}\n[interrupted after {seconds} s; the shell goes on]");
                Reply { exit_code: code, ..Reply::of(note.trim_start()) }
            }
            Ended::Gone(code) => {
                self.forget();
                let note = format!(
                    "{output}\n[the shell ended with code {code}; the next command starts a fresh one]"
                );
                Reply { exit_code: Some(code), ..Reply::of(note.trim_start()) }
            }
            Ended::Killed => {
                let why = format!("it did not end within {seconds} s, nor when it was interrupted");
                self.lost(output, &why)
            }
        }
    }

    fn lost(&mut self, output: String, why: &str) -> Reply {
        self.forget();
        let note =
            format!("{output}\n[the shell was ended: {why}; the next command starts a fresh one]");
        Reply { exit_code: Some(137), ..Reply::of(note.trim_start()) }
    }
}

impl Environment for Bash {
    fn command(&mut self, command: &str, limit: Duration) -> Reply {
        let mut whole = std::mem::take(&mut self.begun);
        if !whole.is_empty() && DROP.contains(&command.trim()) {
            return Reply::of("Dropped; nothing was run.");
        }
        whole.push_str(command);
        if may_go_on(&whole) && goes_on(&whole, &self.project) {
            whole.push('\n');
            self.begun = whole;
            return Reply::of(WAITING);
        }
        self.run(&whole, limit)
    }

    fn screen(&mut self) -> String {
        let State { exit_code, directory, jobs } = &self.state;
        let directory = directory.clone().unwrap_or_else(|| self.project.display().to_string());
        let code = exit_code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        let jobs = if jobs.is_empty() { "none".to_owned() } else { jobs.join(", ") };
        let mut lines = format!(
            "Working directory: {directory}\nLast exit code: {code}\nBackground jobs: {jobs}"
        );
        if !self.begun.is_empty() {
            lines.push_str(&format!("\n{WAITING}"));
        }
        lines
    }
}

/// Has the shell tell its state, by itself: where too many processes run it can start no other.
fn told(word: &str) -> String {
    format!(
        "{{ builtin printf '%s\\037%s\\037' \"{word} $?\" \"$PWD\"; builtin jobs -r 2>/dev/null; builtin printf '\\036'; }} >&9\n"
    )
}

/// `[1]+  Running   sleep 100 &` as `[1] sleep 100`.
fn job(line: &str) -> String {
    let (number, rest) = line.split_once(']').unwrap_or(("[?", line));
    let command = rest.trim_start_matches(['+', '-', ' ']).trim_start_matches("Running").trim();
    format!("{number}] {}", command.trim_end_matches('&').trim())
}

/// `text` as one word of bash, `$'...'`.
fn quoted(text: &str) -> String {
    let mut word = String::with_capacity(text.len() + 3);
    word.push_str("$'");
    for c in text.chars() {
        match c {
            '\n' => word.push_str("\\n"),
            '\r' => word.push_str("\\r"),
            '\\' | '\'' => word.extend(['\\', c]),
            c => word.push(c),
        }
    }
    word.push('\'');
    word
}

/// Whether a look at `command` by bash itself is worth its time.
fn may_go_on(command: &str) -> bool {
    const WORDS: [&str; 7] = ["if", "for", "while", "until", "case", "select", "do"];
    command.contains(['\'', '"', '`', '(', '{', '\\', '|', '&', '['])
        || command.contains("<<")
        || command.split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Whether bash would wait for more.
fn goes_on(command: &str, folder: &Path) -> bool {
    let ends_open = command.len() - command.trim_end_matches('\\').len();
    if ends_open % 2 == 1 {
        return true;
    }
    let mut child = match Child::start("/bin/bash", &["-n", "-c", command], folder, END) {
        Ok(child) => child,
        Err(_) => return false,
    };
    let ended = child.order(b"", READY);
    let said = child.output();
    matches!(ended, Ended::Gone(_))
        && [
            "unexpected EOF while looking for",
            "unexpected end of file",
            "delimited by end-of-file",
        ]
        .iter()
        .any(|open| said.contains(open))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn bash() -> (tempfile::TempDir, Bash) {
        let project = tempfile::tempdir().unwrap();
        let bash = Bash::at(&project.path().canonicalize().unwrap());
        (project, bash)
    }

    fn says(bash: &mut Bash, command: &str) -> String {
        bash.command(command, LIMIT).output
    }

    #[test]
    fn output_is_in_order_and_the_state_stays() {
        let (project, mut bash) = bash();
        let said = bash.command("echo a; echo b >&2; echo c; mkdir d; cd d; X=1; false", LIMIT);
        assert_eq!(said, Reply { exit_code: Some(1), ..Reply::of("a\nb\nc\n") });
        assert_eq!(
            says(&mut bash, "echo $? $X; pwd"),
            format!("1 1\n{}/d\n", project.path().canonicalize().unwrap().display())
        );
        let screen = bash.screen();
        assert!(screen.ends_with("/d\nLast exit code: 0\nBackground jobs: none"), "{screen}");
    }

    #[test]
    fn stdin_is_empty_and_what_it_prints_ends_nothing() {
        let (_project, mut bash) = bash();
        assert_eq!(says(&mut bash, "cat; read x; echo \"<$x>\""), "<>\n");
        let said = says(&mut bash, "printf 'x 0\\037/\\037\\036'; echo y >&9; echo still here");
        assert!(
            said.contains("9: Bad file descriptor") && said.ends_with("still here\n"),
            "{said}"
        );
    }

    #[test]
    fn an_open_quote_or_here_document_waits() {
        let (_project, mut bash) = bash();
        for (open, rest, whole) in [
            ("echo 'a", "b'", "a\nb\n"),
            ("cat <<EOF\nx", "EOF", "x\n"),
            ("for i in 1 2; do", "echo $i; done", "1\n2\n"),
            ("echo a \\", "b", "a b\n"),
        ] {
            assert_eq!(says(&mut bash, open), WAITING, "{open}");
            assert!(bash.screen().ends_with(WAITING));
            assert_eq!(says(&mut bash, rest), whole, "{open}");
        }
        assert!(says(&mut bash, "echo )").contains("syntax error"));
    }

    #[test]
    fn what_was_begun_can_be_dropped() {
        let (_project, mut bash) = bash();
        says(&mut bash, "false");
        let waits = says(&mut bash, "echo it's");
        assert_eq!(
            waits,
            "Bash is waiting for continuation input.\nThe next command continues it; the command ^C drops it."
        );
        assert!(bash.screen().ends_with(&waits), "{}", bash.screen());
        assert_eq!(says(&mut bash, " ^C\n"), "Dropped; nothing was run.");
        assert!(!bash.screen().contains("waiting"), "{}", bash.screen());
        assert_eq!(says(&mut bash, "echo $?"), "1\n");
        // Nothing waits, so it is a command like any other.
        assert!(says(&mut bash, "^C").contains("command not found"));
    }

    #[test]
    fn exit_is_told_and_a_fresh_shell_follows() {
        let (_project, mut bash) = bash();
        let said = bash.command("X=1; exit 3", LIMIT);
        assert_eq!(said.exit_code, Some(3));
        assert!(
            said.output
                .contains("[the shell ended with code 3; the next command starts a fresh one]")
        );
        assert_eq!(says(&mut bash, "echo \"<$X>\""), "<>\n");
    }

    #[test]
    fn what_takes_too_long_is_interrupted_and_the_shell_goes_on() {
        let (_project, mut bash) = bash();
        says(&mut bash, "X=1");
        for endless in ["sleep 1000", "while :; do :; done", "yes"] {
            let said = bash.command(endless, Duration::from_millis(300));
            assert!(said.output.contains("interrupted after"), "{endless}: {}", said.output.len());
            assert_eq!(says(&mut bash, "echo $X"), "1\n", "{endless}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_types, reason = "the test starts itself")]
    fn in_the_background_of_a_shell_it_is_interrupted_too() {
        let name =
            "workbench::bash::tests::what_takes_too_long_is_interrupted_and_the_shell_goes_on";
        let mut again = std::process::Command::new("env");
        again.arg("--ignore-signal=INT").arg(std::env::current_exe().unwrap());
        let ended = again.args([name, "--exact"]).output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        assert!(String::from_utf8_lossy(&ended.stdout).contains("1 passed"));
    }

    #[test]
    fn what_ignores_an_interrupt_costs_the_shell() {
        let (_project, mut bash) = bash();
        let said = bash.command("trap '' INT; sleep 1000", Duration::from_millis(300));
        assert!(said.output.contains("[the shell was ended: it did not end within"), "{said:?}");
        assert_eq!(says(&mut bash, "echo again"), "again\n");
    }

    #[test]
    fn background_jobs_stand_on_the_screen_and_hold_nobody_up() {
        let (_project, mut bash) = bash();
        assert!(says(&mut bash, "sleep 1000 & echo on").ends_with("on\n"));
        assert!(bash.screen().ends_with("Background jobs: [1] sleep 1000"), "{}", bash.screen());
        says(&mut bash, "kill %1; wait");
        assert!(bash.screen().ends_with("Background jobs: none"));
    }

    #[test]
    fn a_large_output_keeps_its_end() {
        let (_project, mut bash) = bash();
        let said = says(&mut bash, "head -c 12000000 /dev/zero | tr '\\0' x; echo; echo end");
        assert!(said.starts_with("[the first ") && said.ends_with("\nend\n"));
    }
}
