//! What the lists say of a line: of each simple command, and of all of them together.

use crate::file::{Governance, ListedCommand};
use crate::line::{Line, Simple};

/// What is decided. The stricter one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ruling {
    /// It may run.
    Allow,
    /// A person is asked.
    Confirm,
    /// It does not run.
    Deny,
}

/// What is decided about one part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What stands in the line.
    pub shown: String,
    /// What is decided.
    pub ruling: Ruling,
    /// What decides it, with what to do where it is a no.
    pub why: String,
}

/// What is decided about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineVerdict {
    /// Each simple command, each redirection, and whatever is judged in no case.
    pub parts: Vec<Judged>,
}

impl LineVerdict {
    /// What is decided about all of it.
    #[must_use]
    pub fn ruling(&self) -> Ruling {
        self.parts.iter().map(|part| part.ruling).max().unwrap_or(Ruling::Deny)
    }

    /// The first part that decides it.
    #[must_use]
    pub fn deciding(&self) -> Option<&Judged> {
        let ruling = self.ruling();
        self.parts.iter().find(|part| part.ruling == ruling)
    }
}

/// What changes where a path begins that has no beginning.
const MOVES: [&str; 3] = ["cd", "popd", "pushd"];

impl Governance {
    /// Judges the line `text`.
    #[must_use]
    pub fn judge(&self, text: &str) -> LineVerdict {
        let line = Line::read(text, &self.paths().home().to_string_lossy());
        let refused = line.faults.iter().map(|(shown, why)| Judged {
            shown: shown.clone(),
            ruling: Ruling::Deny,
            why: why.clone(),
        });
        let commands = line.commands.iter().map(|command| self.command(command));
        let files = line.files.iter().filter_map(|(file, access)| {
            let file = file.as_deref()?;
            let moves = line.commands.iter().any(|command| MOVES.contains(&command.name.as_str()));
            let judged = match moves && !file.starts_with('/') {
                true => Err("behind cd the file of a redirection is a whole path".to_owned()),
                false => self.paths().judge_file(file, *access),
            };
            let (ruling, why) = match judged {
                Ok(()) => (Ruling::Allow, "paths".to_owned()),
                Err(why) => (Ruling::Deny, why),
            };
            Some(Judged { shown: format!("the file {file}"), ruling, why })
        });
        LineVerdict { parts: refused.chain(commands).chain(files).collect() }
    }

    fn command(&self, command: &Simple) -> Judged {
        let (ruling, why) = self.ruling(command);
        Judged { shown: command.shown(), ruling, why }
    }

    fn ruling(&self, command: &Simple) -> (Ruling, String) {
        let Simple { name, args, .. } = command;
        let words: Vec<&str> = args.iter().filter_map(|arg| arg.literal.as_deref()).collect();
        // A word that is put in while it runs could be any of these.
        let anywhere = |entry: &&ListedCommand| entry.is_in(name, &words, args.len() > words.len());
        if let Some(entry) = self.deny.iter().find(anywhere) {
            return (Ruling::Deny, format!("commands.deny holds \"{entry}\""));
        }
        if let Some(why) = words.iter().find_map(|word| self.paths().denied_in(word)) {
            return (Ruling::Deny, why);
        }
        if let Some(entry) = self.confirm.iter().find(anywhere) {
            return (Ruling::Confirm, format!("commands.requireConfirmation holds \"{entry}\""));
        }
        if command.wraps {
            return (Ruling::Allow, "it only runs another command".to_owned());
        }
        match self.allow.iter().find(|entry| entry.begins(name, &words)) {
            Some(entry) => (Ruling::Allow, format!("commands.allow holds \"{entry}\"")),
            None => (
                Ruling::Deny,
                format!("no list of commands holds \"{name}\": add it to commands.allow"),
            ),
        }
    }
}
