//! A command that ran, for people: which one, with what exit code, and the end of what it printed.

use answer::Action;
use drive::is_together;
use protocol::{Object, Outcome};
use serde_json::Value;
use words::Words;

use crate::observation::{Observation, exit_code};

/// How many characters of a command, and of a line that it printed, are shown.
const WIDTH: usize = 120;

/// How many of the last lines that it printed are shown.
const LINES: usize = 5;

/// An action that is a command: it has one as a parameter.
#[derive(Debug)]
pub struct Ran {
    environment: Option<String>,
    command: String,
}

impl Ran {
    /// What `action` wants to run, if it is a command.
    #[must_use]
    pub fn of(action: &Action) -> Option<Self> {
        let text = |key: &str| action.params.get(key).and_then(Value::as_str).map(str::to_owned);
        let command = is_together(&text("command")?).0.to_owned();
        Some(Self { environment: text("env"), command })
    }

    /// The same with a sentence of what ran, if it has printed something that is known as such: `✗ bash: make (exit code 2)`,
    /// and below it the end of the output. Each line of the output has a bar before it, so that none passes for the house's.
    #[must_use]
    pub fn told(&self, seen: Observation, words: &Words) -> Observation {
        let output = seen.fields.get("output").and_then(Value::as_str);
        let (Outcome::Done(_), Some(output)) = (&seen.outcome, output) else { return seen };
        let printed = printed(output, words);
        let sentence = match self.environment.as_deref() {
            // What the workbench is asked beside its environments: what lies in the folder. It is for the model.
            Some(own) if own.starts_with('.') => words.fill("deed.looked", &[]),
            Some(environment) => {
                format!("{environment}: {}{printed}", self.head(&seen.fields, words))
            }
            None => format!("{}{printed}", self.head(&seen.fields, words)),
        };
        Observation { sentence: Some(sentence), ..seen }
    }

    /// The command's first line, and its exit code if it failed.
    fn head(&self, fields: &Object, words: &Words) -> String {
        let mut lines = self.command.lines().filter(|line| !line.trim().is_empty());
        let mut head = short(lines.next().unwrap_or_default());
        if lines.next().is_some() && !head.ends_with('…') {
            head.push('…');
        }
        match exit_code(fields) {
            None | Some(0) => head,
            Some(code) => {
                format!("{head} {}", words.fill("deed.exit", &[("code", &code.to_string())]))
            }
        }
    }
}

/// The last lines, each behind a bar, and before them how many are not shown.
fn printed(output: &str, words: &Words) -> String {
    let lines: Vec<&str> = output.trim_end().lines().collect();
    let before = lines.len().saturating_sub(LINES);
    let told = match before {
        0 => String::new(),
        _ => format!("\n  │ {}", words.fill("deed.before", &[("count", &before.to_string())])),
    };
    lines[before..].iter().fold(told, |told, line| format!("{told}\n  │ {}", short(line)))
}

fn short(line: &str) -> String {
    let mut letters = line.chars();
    let short: String = letters.by_ref().take(WIDTH).collect();
    if letters.next().is_some() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use drive::together;
    use protocol::{ActionName, Done};
    use serde_json::json;

    use super::*;

    fn told(params: Value, result: Value) -> String {
        let name = ActionName::new("WORKBENCH").unwrap();
        let params = params.as_object().unwrap().clone();
        let ran = Ran::of(&Action { name: name.clone(), params });
        let result = result.as_object().unwrap().clone();
        let seen = Observation::of_local(name, Ok(Done { result, ..Done::default() }));
        let words = words::CONSOLE.wanted([]);
        ran.map_or(seen.clone(), |ran| ran.told(seen, words)).ended(false).told
    }

    #[test]
    fn a_command_is_told_with_its_exit_code_and_the_end_of_its_output() {
        let numbers: String = (1..=9).map(|number| format!("{number}\n")).collect();
        let lines = [
            told(json!({"env": "bash", "command": "ls"}), json!({"output": "", "exit_code": 0})),
            told(
                json!({"env": "bash", "command": "\ncd src\nmake"}),
                json!({"output": "✓ Posted on X\n", "exit_code": 2}),
            ),
            told(json!({"command": "seq 9"}), json!({"output": numbers, "exit_code": 0})),
            told(
                json!({"env": "python", "command": together(&"x".repeat(121))}),
                json!({"output": "y".repeat(121), "processed": true}),
            ),
            told(json!({"env": ".project", "command": "show"}), json!({"output": "It holds:\na"})),
            told(json!({"command": "ls"}), json!({"rows": 1, "exit_code": 1})),
            told(json!({"url": "x"}), json!({"output": "a"})),
        ];
        let lines = lines.join("\n").replace(&"x".repeat(120), "X").replace(&"y".repeat(120), "Y");
        insta::assert_snapshot!(lines, @r"
        ✓ bash: ls
        ✗ bash: cd src… (exit code 2)
          │ ✓ Posted on X
        ✓ seq 9
          │ … lines not shown: 4
          │ 5
          │ 6
          │ 7
          │ 8
          │ 9
        ✓ python: X…
          │ Y…
        ✓ I have looked at what lies in the folder.
        ✗ WORKBENCH: rows: 1, exit_code: 1
        ✓ WORKBENCH: output: a
        ");
    }
}
