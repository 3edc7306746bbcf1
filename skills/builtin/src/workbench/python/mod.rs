//! The python environment: one interpreter that keeps its variables.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::child::{Child, Ended};
use super::{Environment, Reply};

/// What runs in the interpreter.
const DRIVER: &str = include_str!("driver.py");

/// How long an interpreter may take to be there.
const READY: Duration = Duration::from_secs(10);

const NO_PYTHON: &str = "python3 is not installed on this machine: install it (on Debian: apt install python3), and ask again.";

/// What stands on the screen before anything ran.
const NOTHING: &str = "(no variables)";

/// The interpreter, and what it told last.
pub(super) struct Python {
    project: PathBuf,
    interpreter: Option<Child>,
    variables: String,
}

impl Python {
    pub(super) fn at(project: &Path) -> Self {
        Self { project: project.to_owned(), interpreter: None, variables: NOTHING.to_owned() }
    }

    fn interpreter(&mut self) -> Result<&mut Child, Reply> {
        if self.interpreter.is_none() {
            let started = Child::start("python3", &["-I", "-c", DRIVER], &self.project, b'\n');
            let mut interpreter = started.map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Reply::refused(NO_PYTHON),
                _ => Reply::not_started("python3", &error),
            })?;
            match interpreter.order(b"", READY) {
                Ended::Said(_) => {}
                _ => {
                    let said = interpreter.output();
                    let refused = Reply::refused(format!("python3 did not start: {said}"));
                    // Most likely for want of room.
                    return Err(Reply { crowded: true, ..refused });
                }
            }
            self.interpreter = Some(interpreter);
        }
        self.interpreter.as_mut().ok_or_else(|| Reply::refused(NO_PYTHON))
    }

    fn take(&mut self, record: &[u8]) {
        let record: Value = serde_json::from_slice(record).unwrap_or_default();
        if let Some(variables) = record.get("variables").and_then(Value::as_str) {
            variables.clone_into(&mut self.variables);
        }
    }

    fn forget(&mut self) {
        self.interpreter = None;
        NOTHING.clone_into(&mut self.variables);
    }
}

impl Environment for Python {
    fn command(&mut self, command: &str, limit: Duration) -> Reply {
        let interpreter = match self.interpreter() {
            Ok(interpreter) => interpreter,
            Err(refused) => return refused,
        };
        let order = format!("{}\n", json!({"code": command}));
        let ended = interpreter.order(order.as_bytes(), limit);
        let output = interpreter.output();
        let seconds = limit.as_secs();
        let note = match ended {
            Ended::Said(record) => {
                self.take(&record);
                return Reply::of(output);
            }
            Ended::Interrupted(record) => {
                self.take(&record);
                format!("[interrupted after {seconds} s; the variables stay]")
            }
            Ended::Gone(code) => {
                self.forget();
                format!("[python ended with code {code}; the next command starts a fresh one]")
            }
            Ended::Killed => {
                self.forget();
                format!(
                    "[python did not end within {seconds} s and was ended; the next command starts a fresh one]"
                )
            }
        };
        Reply::of(format!("{output}\n{note}").trim_start())
    }

    fn screen(&mut self) -> String {
        self.variables.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn says(python: &mut Python, code: &str) -> String {
        let said = python.command(code, LIMIT);
        assert!(said.processed, "{said:?}");
        said.output
    }

    #[test]
    fn statements_print_and_a_last_expression_has_a_value() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        assert_eq!(says(&mut python, "x = 20\nprint('a')\nx + 1"), "a\n21\n");
        assert_eq!(says(&mut python, "def f():\n    y = 1\n\n    return y\n\nf()"), "1\n");
        assert_eq!(says(&mut python, "None"), "");
        assert_eq!(
            says(&mut python, "input()").lines().last(),
            Some("EOFError: EOF when reading a line")
        );
    }

    #[test]
    fn exceptions_are_output_and_name_the_line() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        let said = says(&mut python, "a = 1\n1 / 0");
        assert!(said.contains("line 2") && said.contains("1 / 0"), "{said}");
        assert!(
            said.ends_with("ZeroDivisionError: division by zero\n") && !said.contains("driver"),
            "{said}"
        );
        assert!(says(&mut python, "if").contains("SyntaxError"));
    }

    #[test]
    fn the_screen_has_short_values_the_newest_first() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        says(&mut python, "import os\n_hidden = 1\na = 1\nb = list(range(1000))");
        says(&mut python, "def f(): pass\nc = 'x'");
        assert_eq!(python.screen(), "c = 'x'\nf: function\na = 1\nb: list (1000 items)");
        says(&mut python, "a");
        assert!(python.screen().starts_with("a = 1\n"), "{}", python.screen());
    }

    #[test]
    fn short_values_are_shown_as_python_writes_them() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        let values = "[], (), {}, set(), (1,), [1, (2, 'x')], {'a': [None], 'b': {2}}, b'x', -1.5, range(9), frozenset({1})";
        says(
            &mut python,
            &format!(
                "for _name, _value in enumerate([{values}]):\n    globals()[f'v{{_name}}'] = _value"
            ),
        );
        let shown: Vec<String> = python.screen().lines().map(str::to_owned).collect();
        let values: Vec<_> =
            shown.iter().filter_map(|line| Some(line.split_once(" = ")?.1)).collect();
        assert_eq!(
            values.join(", "),
            "[], (), {}, set(), (1,), [1, (2, 'x')], {'a': [None], 'b': {2}}, b'x', -1.5, range(0, 9), frozenset({1})"
        );
        let long = "x".repeat(81);
        says(
            &mut python,
            &format!(
                "a = '{long}'\nb = ['{}']\nc = 1 << 400\nd = type('D', (), {{'__repr__': lambda self: 'x\\ny'}})()",
                &long[..78]
            ),
        );
        assert!(
            python.screen().starts_with("a: str (81 items)\nb: list (1 items)\nc: int\nd: D\n"),
            "{}",
            python.screen()
        );
    }

    #[test]
    fn a_value_of_endless_text_costs_the_screen_nothing() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        let said = says(
            &mut python,
            "x = 1\nown = []\nown.append(own)\nlarge = [1] * 1000\nfor _ in range(9): large = [large] * 1000\nd = {1: large}",
        );
        assert_eq!(said, "");
        assert_eq!(
            python.screen(),
            "x = 1\nown: list (1 items)\nlarge: list (1000 items)\nd: dict (1 items)"
        );
        let said = says(
            &mut python,
            "class Slow:\n    def __repr__(self):\n        while True: pass\nslow = Slow()",
        );
        assert_eq!(said, "");
        assert!(python.screen().starts_with("slow: Slow\nSlow: class\n"), "{}", python.screen());
    }

    #[test]
    fn a_screen_that_waits_is_interrupted_and_the_variables_stay() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        says(
            &mut python,
            "import time\nx = 1\nclass Waits:\n    def __repr__(self): time.sleep(1000)",
        );
        let said = python.command("waits = Waits()", Duration::from_secs(1)).output;
        assert!(said.contains("the variables stay"), "{said}");
        assert_eq!(python.screen(), "(the variables can't be shown: KeyboardInterrupt)");
        assert_eq!(says(&mut python, "del waits\nx"), "1\n");
    }

    #[test]
    fn what_takes_too_long_is_interrupted_and_the_variables_stay() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        says(&mut python, "x = 1");
        let said = python.command("while True: pass", Duration::from_millis(300)).output;
        assert!(
            said.contains("KeyboardInterrupt") && said.contains("the variables stay"),
            "{said}"
        );
        assert_eq!(says(&mut python, "x"), "1\n");
    }

    #[test]
    fn exit_is_told_and_a_fresh_one_follows() {
        let project = tempfile::tempdir().unwrap();
        let mut python = Python::at(project.path());
        assert!(says(&mut python, "x = 1\nexit(4)").contains("[python ended with code 4;"));
        assert!(says(&mut python, "x").contains("NameError"));
    }
}
