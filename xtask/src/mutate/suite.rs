//! The hostile suite, run on a tree.

use std::fmt;

use anyhow::Result;
use xshell::{Shell, cmd};

use super::tree::Tree;

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

/// Runs the picked cases on what stands in `tree`.
///
/// # Errors
/// When cargo can't be started.
pub(crate) fn attack(sh: &Shell, tree: &Tree, arguments: &[String]) -> Result<Outcome> {
    let _in_there = sh.push_dir(tree.root());
    let build = tree.build();
    let output = cmd!(sh, "cargo test --quiet --locked --test hostile -- {arguments...}")
        .env("CARGO_TARGET_DIR", build)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .quiet()
        .ignore_status()
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(understood(&said, &String::from_utf8_lossy(&output.stderr)))
}

/// What the suite's last lines mean: its numbers, and a line for each case that has failed.
fn understood(said: &str, complained: &str) -> Outcome {
    let mut last = said.lines().skip_while(|line| !line.starts_with("hostile: "));
    if last.next().is_none() {
        let why = complained.lines().find(|line| line.starts_with("error"));
        return Outcome::Unbuilt(why.unwrap_or("the suite has said no numbers").to_owned());
    }
    let failed: Vec<&str> = last.filter_map(|line| line.strip_prefix("FAILED ")).collect();
    // What has leaked says more than an attack that took another way.
    let leaked = failed.iter().find_map(|case| case.strip_suffix(" LEAK"));
    match leaked.or(failed.first().copied()) {
        Some(by) => Outcome::Killed { by: by.to_owned(), count: failed.len() },
        None => Outcome::Survived,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_say_how_it_ended() {
        let numbers = "FAILED a: one (from Model)\n...\nhostile: 2 attacks\n";
        assert_eq!(understood(numbers, ""), Outcome::Survived);
        let killed = understood(&format!("{numbers}FAILED a: one\nFAILED a: two LEAK\n"), "");
        assert_eq!(killed, Outcome::Killed { by: "a: two".to_owned(), count: 2 });
        assert_eq!(killed.to_string(), "a: two (and 1 more)");
        let unbuilt = understood("", "warning: x\nerror[E0425]: no\n");
        assert_eq!(unbuilt, Outcome::Unbuilt("error[E0425]: no".to_owned()));
    }
}
