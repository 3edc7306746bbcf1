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
