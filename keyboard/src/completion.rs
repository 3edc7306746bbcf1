//! What a line that is typed may become: commands behind a `/`, with a line on what they do, and names behind an `@`.

mod files;

use std::borrow::Cow;
use std::path::PathBuf;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter};
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use unicode_width::UnicodeWidthStr;

/// Turn dim on and off (ECMA-48, SGR 2 and 22).
const DIM: &str = "\x1b[2m";
const BRIGHT: &str = "\x1b[22m";

/// In which column of the list what a command does begins.
const ABOUT_FROM: usize = 30;

/// A command that can be typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// As it is written: its name with the slash, and then words for what stands behind it.
    pub usage: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

impl Command {
    fn name(&self) -> &'static str {
        self.usage.split(' ').next().unwrap_or_default()
    }

    /// What stands behind its name.
    fn rest(&self) -> &'static str {
        &self.usage[self.name().len()..]
    }
}

/// What lines are completed with.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    /// The commands, in the order in which they are shown. One that is written in several ways stands there for each.
    pub commands: Vec<Command>,
    /// The folder whose files `NAME.md` can be addressed as `@NAME`.
    pub people: PathBuf,
    /// The folder whose files can be named behind an `@`, by their paths from the folder that it is in.
    pub files: PathBuf,
    /// Whether help is shown in dim letters behind what is typed.
    pub hints: bool,
    /// Whether nothing of what is typed is shown, completed or hinted at.
    pub is_unseen: bool,
}

/// A hint behind the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dimmed {
    shown: String,
    /// What the right arrow adds to the line.
    added: Option<&'static str>,
}

impl Hint for Dimmed {
    fn display(&self) -> &str {
        &self.shown
    }

    fn completion(&self) -> Option<&str> {
        self.added
    }
}

impl Completion {
    /// What the last word of the beginning of a line can become, and where that word begins.
    fn candidates(&self, begun: &str) -> (usize, Vec<Pair>) {
        let at = begun.rfind(char::is_whitespace).map_or(0, |at| begun.ceil_char_boundary(at + 1));
        let word = &begun[at..];
        let found = match word.chars().next() {
            Some('/') if at == 0 => self.of_commands(word),
            Some('@') if at == 0 => {
                let mut found = self.of_people(&word[1..]);
                found.extend(files::named(&self.files, &word[1..]));
                found
            }
            Some('@') => files::named(&self.files, &word[1..]),
            _ => Vec::new(),
        };
        (at, found)
    }

    fn of_commands(&self, begun: &str) -> Vec<Pair> {
        let begun = begun.to_ascii_lowercase();
        let fits = self.commands.iter().filter(|command| command.name().starts_with(&begun));
        let shown = |command: &Command| {
            let gap = ABOUT_FROM.saturating_sub(command.usage.width()).max(2);
            format!("{}{}{}", command.usage, " ".repeat(gap), command.about)
        };
        fits.map(|command| Pair {
            display: shown(command),
            replacement: format!("{} ", command.name()),
        })
        .collect()
    }

    fn of_people(&self, begun: &str) -> Vec<Pair> {
        let begun = begun.to_lowercase();
        // Without the folder there is nobody.
        let files = std::fs::read_dir(&self.people).into_iter().flatten().flatten();
        let names = files
            .filter_map(|file| Some(file.file_name().to_str()?.strip_suffix(".md")?.to_owned()));
        let mut names: Vec<String> =
            names.filter(|name| name.to_lowercase().starts_with(&begun)).collect();
        names.sort_unstable();
        let pair =
            |name: String| Pair { replacement: format!("@{name} "), display: format!("@{name}") };
        names.into_iter().map(pair).collect()
    }

    /// What is told behind a line with its cursor at the end.
    fn hint(&self, line: &str) -> Option<Dimmed> {
        let mut words = line.splitn(2, ' ');
        let name = words.next().filter(|name| name.len() > 1 && name.starts_with('/'))?;
        let arguments = words.next();
        let whole = self.commands.iter().find(|command| command.name() == name);
        match (whole, arguments) {
            (Some(command), None) => {
                let shown = format!("{}  {}", command.rest(), command.about);
                Some(Dimmed { shown, added: None })
            }
            (Some(command), Some("")) => {
                let shown = format!("{}  {}", command.rest().trim_start(), command.about);
                Some(Dimmed { shown: shown.trim_start().to_owned(), added: None })
            }
            (None, None) => {
                let mut fits =
                    self.commands.iter().map(Command::name).filter(|other| other.starts_with(name));
                let first = fits.next()?;
                let is_only = fits.all(|other| other == first);
                let rest = &first[name.len()..];
                is_only.then(|| Dimmed { shown: rest.to_owned(), added: Some(rest) })
            }
            _ => None,
        }
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        if self.is_unseen {
            return Ok((at, Vec::new()));
        }
        Ok(self.candidates(&line[..at]))
    }
}

impl Hinter for Completion {
    type Hint = Dimmed;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<Dimmed> {
        if self.hints && !self.is_unseen && at == line.len() { self.hint(line) } else { None }
    }
}

impl Highlighter for Completion {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        if self.is_unseen { " ".repeat(line.width()).into() } else { line.into() }
    }

    fn highlight_char(&self, _: &str, _: usize, _: CmdKind) -> bool {
        self.is_unseen
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("{DIM}{hint}{BRIGHT}"))
    }
}

impl Validator for Completion {}

impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion() -> Completion {
        let command = |usage, about| Command { usage, about };
        Completion {
            commands: vec![
                command("/model", "show who thinks"),
                command("/model TARGET", "ask another"),
                command("/memory", "show what is remembered"),
            ],
            hints: true,
            ..Completion::default()
        }
    }

    fn replacements(begun: &str) -> Vec<String> {
        completion().candidates(begun).1.into_iter().map(|pair| pair.replacement).collect()
    }

    fn hint(line: &str) -> Option<(String, Option<&'static str>)> {
        completion().hint(line).map(|hint| (hint.shown, hint.added))
    }

    #[test]
    fn a_slash_is_completed_with_the_commands_and_what_they_do() {
        assert_eq!(replacements("/MEM"), ["/memory "]);
        assert_eq!(replacements("/m").len(), 3);
        assert_eq!(
            completion().candidates("/me").1[0].display,
            "/memory                       show what is remembered"
        );
        for other in ["", "m", "a /m", "/memory x", "\t"] {
            assert!(replacements(other).is_empty(), "{other:?}");
        }
    }

    #[test]
    fn an_at_sign_is_completed_with_the_personas() {
        let people = tempfile::tempdir().unwrap();
        for file in ["Coder.md", "Critic.md", "notes.txt"] {
            std::fs::write(people.path().join(file), "").unwrap();
        }
        let completion = Completion { people: people.path().to_owned(), ..completion() };
        let names = |begun: &str| -> Vec<String> {
            completion.candidates(begun).1.into_iter().map(|pair| pair.replacement).collect()
        };
        assert_eq!(names("@c"), ["@Coder ", "@Critic "]);
        assert_eq!(names("@cr"), ["@Critic "]);
        assert!(names("@n").is_empty() && names("hello @c").is_empty());
    }

    #[test]
    fn a_word_behind_an_at_sign_is_completed_with_a_file_anywhere_in_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("output");
        std::fs::create_dir(&output).unwrap();
        std::fs::write(output.join("Report.md"), "").unwrap();
        let completion = Completion { files: output, ..completion() };
        let found = |line: &str| {
            let (at, found) = completion.candidates(line);
            found.into_iter().map(|pair| format!("{}{}", &line[..at], pair.replacement)).collect()
        };
        let none: [&str; 0] = [];
        let lines: Vec<String> = found("ä\u{2003}read @rep");
        assert_eq!(lines, ["ä\u{2003}read output/Report.md "]);
        assert_eq!(found("@rep"), ["output/Report.md "].map(str::to_owned).to_vec());
        assert_eq!(found("read rep"), none.map(str::to_owned).to_vec());
    }

    #[test]
    fn help_stands_behind_what_is_typed() {
        assert_eq!(hint("/mem"), Some(("ory".to_owned(), Some("ory"))));
        assert_eq!(hint("/m"), None, "it may become several");
        assert_eq!(hint("/memory"), Some(("  show what is remembered".to_owned(), None)));
        assert_eq!(hint("/model "), Some(("show who thinks".to_owned(), None)));
        for other in ["", "/", "hello", "/memory x", "/x"] {
            assert_eq!(hint(other), None, "{other:?}");
        }
    }
}
