//! The environments of one conversation, by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use drive::{FencedCommand, Reply as Steps};

use super::adhoc::AdHoc;
use super::bash::Bash;
use super::editor::Editor;
use super::python::Python;

use super::adhoc::digest;
use super::{Environment, Reply, output, project};

/// The environments that are always there.
const BUILT_IN: [&str; 3] = ["bash", "python", "editor"];

/// The name by which the project itself is asked for: no file of its can have it.
const PROJECT: &str = ".project";

/// What a project's people want done at the beginning of each task.
const BEGINNING: &str = ".7aigent/init.md";

/// The largest command, in bytes.
const LONGEST: usize = 1024 * 1024;

/// All environments at work in one folder.
pub(super) struct Environments {
    project: PathBuf,
    bash: Bash,
    python: Python,
    editor: Editor,
    adhoc: AdHoc,
    /// The digests of the files that may run although they lay there before.
    allowed: Vec<String>,
}

impl Environments {
    /// A workbench at `project`. Nothing is started before it is asked for. Of the environments that lie there already
    /// those run whose files have one of the digests `allowed`.
    pub(super) fn at(project: &Path, allowed: &[String]) -> Self {
        Self {
            bash: Bash::at(project),
            python: Python::at(project),
            editor: Editor::at(project),
            adhoc: AdHoc::at(project, allowed),
            allowed: allowed.to_owned(),
            project: project.to_owned(),
        }
    }

    /// Whoever commands has seen the latest screen.
    pub(super) fn note_seen(&mut self) {
        self.editor.note_seen();
    }

    /// Has `environment` do `command`.
    pub(super) fn command(&mut self, environment: &str, command: &str, limit: Duration) -> Reply {
        if !self.project.is_dir() {
            return Reply::refused("The project folder is gone; nothing was run.");
        }
        if command.len() > LONGEST || command.contains('\0') {
            return Reply::refused(
                "A command is at most 1 MB of text without NUL; it was not run.",
            );
        }
        if environment == PROJECT {
            let beginning = self.begin(limit).map(|told| format!("\n\n{told}"));
            let told = project::told(&self.project);
            return Reply::of(told + &beginning.unwrap_or_default());
        }
        match self.named(environment).map(|found| found.command(command, limit)) {
            Some(reply) if reply.crowded => self.with_room(environment, command, limit),
            Some(reply) => reply,
            None => Reply::refused(format!(
                "Unknown environment: '{environment}'. Available environments: {}",
                self.names().join(", ")
            )),
        }
    }

    /// Does what the project's people want done first, if its owner has allowed that, and tells what came of it.
    fn begin(&mut self, limit: Duration) -> Option<String> {
        let file = self.project.join(BEGINNING);
        let text = project::text(&file)?;
        let sum = digest(&file)?;
        if !self.allowed.contains(&sum) {
            return Some(format!(
                "{BEGINNING} was not run: its owner has to allow it first (SHA-256 {sum})."
            ));
        }
        let steps = match Steps::read(&text, &self.names()) {
            Ok(Steps { commands, .. }) => commands,
            Err(fault) => return Some(format!("{BEGINNING}: {}", fault.told(&self.names()))),
        };
        let mut told = format!("{BEGINNING} was run:");
        for FencedCommand { environment, text } in steps {
            let reply = self.command(&environment, &text, limit);
            let code = reply.exit_code.map(|code| format!(" exit code {code}")).unwrap_or_default();
            told += &format!("\n[{environment}]{code}\n{}", reply.output.trim_end());
        }
        Some(told)
    }

    /// The same once the shell has ended, with all that it has started.
    fn with_room(&mut self, environment: &str, command: &str, limit: Duration) -> Reply {
        self.bash.forget();
        let reply = self.named(environment).map(|found| found.command(command, limit));
        let reply = reply.unwrap_or_else(|| Reply::refused("It is there no more."));
        let note = "[too many processes ran, so bash was ended with all that it had started]";
        Reply { output: format!("{note}\n{}", reply.output), ..reply }
    }

    /// The panel of each environment, by name. What the project brings is looked for first.
    pub(super) fn screen(&mut self) -> BTreeMap<String, String> {
        let mut screen = self.adhoc.look();
        for name in BUILT_IN {
            if let Some(found) = self.named(name) {
                screen.insert(name.to_owned(), found.screen());
            }
        }
        screen.into_iter().map(|(name, content)| (name, output::section(&content))).collect()
    }

    fn named(&mut self, name: &str) -> Option<&mut dyn Environment> {
        match name {
            "bash" => Some(&mut self.bash),
            "python" => Some(&mut self.python),
            "editor" => Some(&mut self.editor),
            other => self.adhoc.named(other),
        }
    }

    fn names(&self) -> Vec<String> {
        let built_in = BUILT_IN.iter().map(|name| (*name).to_owned());
        built_in.chain(self.adhoc.names()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn an_unknown_environment_names_those_that_are_there() {
        let project = tempfile::tempdir().unwrap();
        let said = Environments::at(project.path(), &[]).command("docker", "ps", LIMIT);
        assert_eq!(
            said,
            Reply::refused(
                "Unknown environment: 'docker'. Available environments: bash, python, editor"
            )
        );
    }

    #[test]
    fn what_a_project_wants_done_first_runs_once_its_owner_has_allowed_it() {
        let project = tempfile::tempdir().unwrap();
        let file = project.path().join(BEGINNING);
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "First:\n```bash\necho ready > ready.txt; echo begun\n```\n")
            .unwrap();
        let sum = digest(&file).unwrap();
        let told = |allowed: &[String]| {
            Environments::at(project.path(), allowed).command(PROJECT, "show", LIMIT).output
        };
        let refused = told(&[]);
        assert!(refused.contains(&format!("(SHA-256 {sum})")), "{refused}");
        assert!(!project.path().join("ready.txt").exists(), "it ran");
        let begun = told(&[sum]);
        assert!(begun.ends_with(".7aigent/init.md was run:\n[bash] exit code 0\nbegun"), "{begun}");
        assert!(project.path().join("ready.txt").exists());
    }

    #[test]
    fn a_project_that_is_gone_is_said() {
        let project = tempfile::tempdir().unwrap();
        let mut workbench = Environments::at(project.path(), &[]);
        drop(project);
        let said = workbench.command("bash", "echo ran", LIMIT);
        assert!(!said.processed && said.output.contains("is gone"), "{said:?}");
    }

    #[test]
    fn the_screen_has_all_sections_and_is_quick_before_anything_runs() {
        let project = tempfile::tempdir().unwrap();
        let screen = Environments::at(project.path(), &[]).screen();
        assert_eq!(screen.keys().collect::<Vec<_>>(), ["bash", "editor", "python"]);
        assert_eq!(screen["python"], "(no variables)");
        assert_eq!(screen["editor"], "(no views)");
    }
}
