//! The hostile suite and the tests of the pages, run on a tree.

use std::fmt;

use anyhow::Result;
use serde::Deserialize;
use xshell::{Shell, cmd};

use super::tree::Tree;

/// What is run on a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub(crate) enum Suite {
    /// The hostile suite.
    #[default]
    Hostile,
    /// A test of a package, written `package/test`, or the tests within a package, written `package/lib`.
    Test { package: String, test: String },
}

impl From<String> for Suite {
    fn from(named: String) -> Self {
        let (package, test) = named.split_once('/').unwrap_or(("safeclaw", &named));
        Self::Test { package: package.to_owned(), test: test.to_owned() }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hostile => f.write_str("the hostile suite"),
            Self::Test { package, test } => write!(f, "the test {package}/{test}"),
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A case has failed.
    Killed {
        /// The first.
        by: String,
        /// How many there were.
        count: usize,
    },
    /// Every case has passed.
    Survived,
    /// There was nothing to run: the tree can't be built, or the suite ended early.
    Unbuilt(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Killed { by, count: 1 } => f.write_str(by),
            Self::Killed { by, count } => write!(f, "{by} (and {} more)", count - 1),
            Self::Survived => f.write_str("SURVIVED"),
            Self::Unbuilt(why) => write!(f, "NOT BUILT: {why}"),
        }
    }
}

/// The arguments that pick classes and cases.
pub(crate) fn arguments<'a>(
    classes: &[String],
    cases: impl IntoIterator<Item = &'a String>,
) -> Vec<String> {
    let classes = classes.iter().flat_map(|class| ["--class".to_owned(), class.clone()]);
    classes.chain(cases.into_iter().cloned()).collect()
}

/// How many of the cases that have failed are run again.
const AGAIN: usize = 3;

impl Suite {
    /// Runs the picked cases on what stands in `tree`; what fails is run again by itself, and only what fails then, too,
    /// has failed: a busy machine must not be taken for a missing control.
    ///
    /// # Errors
    /// When cargo can't be started.
    pub(crate) fn attack(&self, sh: &Shell, tree: &Tree, arguments: &[String]) -> Result<Outcome> {
        let first = self.run(sh, tree, arguments)?;
        let Ran::Numbers { failed } = &first else { return Ok(first.outcome()) };
        if failed.is_empty() {
            return Ok(Outcome::Survived);
        }
        let names: Vec<String> = telling(failed).map(|case| name(case).to_owned()).collect();
        Ok(match self.run(sh, tree, &names)?.outcome() {
            Outcome::Killed { by, .. } => Outcome::Killed { by, count: failed.len() },
            other => other,
        })
    }

    fn run(&self, sh: &Shell, tree: &Tree, arguments: &[String]) -> Result<Ran> {
        let _in_there = sh.push_dir(tree.root());
        let build = tree.build();
        let tests = match self {
            Self::Hostile => cmd!(sh, "cargo test --quiet --locked --test hostile"),
            Self::Test { package, test } => {
                let tests = cmd!(sh, "cargo test --locked --package {package}");
                if test == "lib" { tests.arg("--lib") } else { tests.args(["--test", test]) }
            }
        };
        let output = tests
            .arg("--")
            .args(arguments)
            .env("CARGO_TARGET_DIR", build)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .quiet()
            .ignore_status()
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        Ok(match self {
            Self::Hostile => Ran::read(&said, &complained),
            Self::Test { .. } => Ran::read_test(&said, &complained),
        })
    }
}

/// What one run has said.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Ran {
    /// It came to its end: the cases that failed, as `class: name`, perhaps with ` LEAK` behind it.
    Numbers { failed: Vec<String> },
    /// It did not.
    Nothing(String),
}

impl Ran {
    /// What the suite's last lines mean: its numbers, and a line for each case that has failed.
    fn read(said: &str, complained: &str) -> Self {
        let mut last = said.lines().skip_while(|line| !line.starts_with("hostile: "));
        if last.next().is_none() {
            return Self::nothing(complained);
        }
        let failed = last.filter_map(|line| line.strip_prefix("FAILED ")).map(str::to_owned);
        Self::Numbers { failed: failed.collect() }
    }

    /// The same of a test of Rust's own, which must have run something.
    fn read_test(said: &str, complained: &str) -> Self {
        let ended = said.lines().any(|line| line.starts_with("test result: "));
        if !ended || said.contains("running 0 tests") {
            return Self::nothing(complained);
        }
        let failed = said.lines().filter_map(|line| {
            line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned)
        });
        Self::Numbers { failed: failed.collect() }
    }

    /// Nothing was run, perhaps because it could not be built.
    fn nothing(complained: &str) -> Self {
        let why = complained.lines().find(|line| line.starts_with("error"));
        Self::Nothing(why.unwrap_or("it has said no numbers").to_owned())
    }

    fn outcome(&self) -> Outcome {
        match self {
            Self::Nothing(why) => Outcome::Unbuilt(why.clone()),
            Self::Numbers { failed } => match telling(failed).next() {
                Some(by) => {
                    let by = by.strip_suffix(LEAK).unwrap_or(by).to_owned();
                    Outcome::Killed { by, count: failed.len() }
                }
                None => Outcome::Survived,
            },
        }
    }
}

/// What stands behind a case whose attack has come through.
const LEAK: &str = " LEAK";

/// The cases that are worth a second look: what has leaked says more than an attack that took another way.
fn telling(failed: &[String]) -> impl Iterator<Item = &String> {
    let leaked = |case: &&String| case.ends_with(LEAK);
    let others = failed.iter().filter(move |case| !leaked(case));
    failed.iter().filter(leaked).chain(others).take(AGAIN)
}

/// The part of a case's line that picks it.
fn name(case: &str) -> &str {
    let name = case.strip_suffix(LEAK).unwrap_or(case);
    let name = name.split_once(": ").map_or(name, |(_, name)| name);
    name.split(" [").next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_say_how_it_ended() {
        let outcome = |said: &str, complained| Ran::read(said, complained).outcome();
        let numbers = "FAILED a: one (from Model)\n...\nhostile: 2 attacks\n";
        assert_eq!(outcome(numbers, ""), Outcome::Survived);
        let killed = outcome(&format!("{numbers}FAILED a: one\nFAILED a: two LEAK\n"), "");
        assert_eq!(killed, Outcome::Killed { by: "a: two".to_owned(), count: 2 });
        assert_eq!(killed.to_string(), "a: two (and 1 more)");
        let unbuilt = outcome("", "warning: x\nerror[E0425]: no\n");
        assert_eq!(unbuilt, Outcome::Unbuilt("error[E0425]: no".to_owned()));
    }

    #[test]
    fn a_test_says_which_cases_have_failed_and_nothing_when_none_was_run() {
        let outcome = |said: &str| Ran::read_test(said, "error: no\n").outcome();
        let ended = "test result: FAILED. 1 passed\n";
        let passed = "running 2 tests\ntest a::one ... ok\n";
        assert_eq!(outcome(&format!("{passed}{ended}")), Outcome::Survived);
        let failed = format!("{passed}test a::two ... FAILED\n{ended}");
        assert_eq!(outcome(&failed), Outcome::Killed { by: "a::two".to_owned(), count: 1 });
        for nothing in ["", passed, &format!("running 0 tests\n{ended}")] {
            assert_eq!(outcome(nothing), Outcome::Unbuilt("error: no".to_owned()));
        }
    }

    #[test]
    fn what_leaked_is_run_again_first_by_its_name() {
        let failed = ["a: one", "a: b: two [3: x] LEAK", "c: three"].map(str::to_owned);
        let names: Vec<&str> = telling(&failed).map(|case| name(case)).collect();
        assert_eq!(names, ["b: two", "one", "three"]);
    }
}
