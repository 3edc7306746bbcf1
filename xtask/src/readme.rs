//! Runs the commands that README.md and the pages of the book tell people to type, each page in an empty home.
//!
//! A fenced block whose info string is `sh` is a promise and is run, as one script, in the order of the
//! page. `sh no-run` marks what a gate can't do, such as cloning this repository. Calls of
//! `cargo xtask` are left out, for this is one.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

/// What a chat without a model says to a sentence that it does not know.
const NOT_UNDERSTOOD: &str = "I have no language model";

/// Where the pages of the book are.
const BOOK: &str = "docs/src";

/// Runs them all.
///
/// # Errors
/// When a command fails, or when README.md holds none.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    let page = sh.read_file("README.md").context("people need a README.md")?;
    let of_the_readme = scripts(&page);
    ensure!(!of_the_readme.is_empty(), "README.md has no ```sh block: what do people type?");
    run_page(sh, "README.md", &of_the_readme)?;
    let files = sh.read_dir(BOOK).unwrap_or_default();
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    for path in files.into_iter().filter(is_page) {
        let scripts = scripts(&sh.read_file(&path)?);
        if !scripts.is_empty() {
            // README.md's first command has built it.
            run_page(sh, &path.display().to_string(), &scripts)?;
        }
    }
    Ok(())
}

/// Runs the scripts of one page in a home of its own, with the program on the PATH.
fn run_page(sh: &Shell, page: &str, scripts: &[String]) -> Result<()> {
    let home = sh.create_temp_dir()?;
    let built = sh.current_dir().join("target/release");
    let path = format!("{}:{}", built.display(), sh.var("PATH").unwrap_or_default());
    for script in scripts {
        eprintln!("{}", script.trim_end());
        cmd!(sh, "bash -euo pipefail -c {script}")
            .env("PATH", &path)
            .env("SAFECLAW_HOME", home.path())
            .env_remove("REDIS_URL")
            // Nothing listens there: what the page promises holds without a model.
            .env("OLLAMA_HOST", "127.0.0.1:1")
            .stdin("")
            .quiet()
            .read()
            .inspect(|said| eprintln!("{said}"))
            .with_context(|| format!("{page} promises that this works:\n{script}"))
            .and_then(|said| {
                let understood = !said.contains(NOT_UNDERSTOOD);
                ensure!(understood, "{page} promises that this is understood:\n{script}");
                Ok(())
            })?;
    }
    Ok(())
}

/// The blocks to run, without what is left out.
fn scripts(page: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let block = lines.by_ref().take_while(|line| line.trim() != "```");
        let kept = block.filter(|line| !line.trim_start().starts_with("cargo xtask"));
        let script: String = kept.map(|line| format!("{line}\n")).collect();
        if info.trim() == "sh" && !script.trim().is_empty() {
            scripts.push(script);
        }
    }
    scripts
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# A page
```sh
one
cargo xtask test
two
```
```sh no-run
git clone
```
```toml
name = \"x\"
```
```sh
cargo xtask lint
```
```
plain
```
```sh
three
```
";

    #[test]
    fn only_the_promises_are_run() {
        assert_eq!(scripts(PAGE), ["one\ntwo\n", "three\n"]);
    }

    fn run_readme(page: &str) -> Result<()> {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        sh.write_file("README.md", page).unwrap();
        run(&sh)
    }

    #[test]
    fn a_folder_of_pictures_is_no_page() {
        let sh = Shell::new().unwrap();
        let folder = sh.create_temp_dir().unwrap();
        sh.change_dir(folder.path());
        sh.write_file("README.md", "```sh\ntrue\n```\n").unwrap();
        sh.create_dir(format!("{BOOK}/pictures")).unwrap();
        run(&sh).unwrap();
    }

    #[test]
    fn a_command_that_fails_anywhere_in_a_block_fails() {
        run_readme("```sh\ntest -d \"$SAFECLAW_HOME\"\n! read -r line\n```").unwrap();
        let error = run_readme("```sh\nfalse | true\ntrue\n```").unwrap_err();
        assert!(format!("{error:#}").contains("README.md promises"), "{error:#}");
        assert!(run_readme("no commands").is_err());
    }
}
