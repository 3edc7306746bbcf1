//! A line of shell, read: its simple commands, the files that it redirects to, and the line written anew.

mod pieces;
mod runners;
mod word;
mod wrapper;

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::ast::{
    AndOr, AssignmentName, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item,
    CompoundCommand, CompoundList, IoFileRedirectKind as Kind, IoFileRedirectTarget as Target,
    IoRedirect, Pipeline, SeparatorOperator, SimpleCommand,
};
use brush_parser::{ParserOptions, ast, parse_tokens, uncached_tokenize_str};

use crate::paths::Access;
use word::{Word, in_quotes, is_name};

/// The longest line, in bytes.
pub const MOST: usize = 4096;

/// How many round brackets a line may open: this parser needs twice as long for each that stands in another.
const BRACKETS: usize = 10;

/// How often a line may begin something else that can stand in itself, so that the stack of a parser lasts.
const NESTS: usize = 32;

/// The words that begin it.
const NESTING: [&str; 10] =
    ["case", "coproc", "do", "elif", "for", "function", "if", "time", "until", "while"];

/// How deeply lines may stand in lines: `sh -c "sh -c ..."`, `$(... $(...))`.
const DEPTH: usize = 4;

/// A line that was read.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// The line for `bash -c`.
    pub shell: String,
    pub(crate) commands: Vec<Simple>,
    /// Files that something is read from or written to.
    pub(crate) files: Vec<(Option<String>, Access)>,
    /// What no list can allow: what stands there, and why.
    pub(crate) faults: Vec<(String, String)>,
}

/// A simple command, without what wraps it.
#[derive(Debug, Clone)]
pub(crate) struct Simple {
    /// Its name, without a folder.
    pub(crate) name: String,
    /// What stands behind the name.
    pub(crate) args: Vec<Word>,
    /// It runs another command, which stands for itself: only a list that denies it or asks counts.
    pub(crate) wraps: bool,
}

impl Simple {
    pub(crate) fn shown(&self) -> String {
        let args = self.args.iter().map(Word::shown);
        std::iter::once(self.name.as_str()).chain(args).collect::<Vec<_>>().join(" ")
    }
}

impl Line {
    /// Reads `text`. `home` is what `~` stands for.
    #[must_use]
    pub fn read(text: &str, home: &str) -> Self {
        let mut reading = Reading { home, line: Self::default(), depth: 0 };
        let shell = reading.text(text);
        Self { shell, ..reading.line }
    }

    /// Whether all of it was understood, so that it can be judged by lists.
    #[must_use]
    pub fn is_understood(&self) -> bool {
        self.faults.is_empty()
    }
}

/// A line that is being read.
pub(crate) struct Reading<'a> {
    home: &'a str,
    pub(crate) line: Line,
    depth: usize,
}

fn options() -> ParserOptions {
    ParserOptions {
        enable_extended_globbing: false,
        tilde_expansion_at_word_start: false,
        ..ParserOptions::default()
    }
}

/// Why `text` is not even parsed.
fn unparsed(text: &str) -> Option<&'static str> {
    let is_hidden = |c: char| c.is_control() && !"\n\t".contains(c);
    let count = |sign: u8| text.bytes().filter(|byte| *byte == sign).count();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| NESTING.contains(word)).count();
    if text.len() > MOST {
        return Some("it is longer than 4,096 bytes");
    }
    if count(b'(') > BRACKETS {
        return Some("it opens more than 10 brackets: write several lines");
    }
    if words + count(b'{') > NESTS {
        return Some("it begins too many things within one another: write several lines");
    }
    text.chars().any(is_hidden).then_some("it holds control characters")
}

fn parsed(text: &str) -> Result<ast::Program, String> {
    let parse = || {
        let tokens = uncached_tokenize_str(text, &options().tokenizer_options())
            .map_err(|error| error.to_string())?;
        parse_tokens(&tokens, &options()).map_err(|error| error.to_string())
    };
    // Of a number that is too large this parser is known to panic.
    catch_unwind(AssertUnwindSafe(parse)).unwrap_or_else(|_| Err("it can't be parsed".to_owned()))
}

impl Reading<'_> {
    pub(crate) fn fault(&mut self, shown: &str, why: impl Into<String>) {
        self.line.faults.push((shown.to_owned(), why.into()));
    }

    /// Reads a whole line, one within another among them; its text for a shell.
    pub(crate) fn text(&mut self, text: &str) -> String {
        if let Some(why) = unparsed(text) {
            self.fault(text, why);
            return String::new();
        }
        if self.depth >= DEPTH {
            self.fault(text, "lines stand in lines more than four times");
            return String::new();
        }
        match parsed(text) {
            Ok(program) => {
                self.depth += 1;
                let lists = program.complete_commands.iter().map(|list| self.list(list));
                let lists: Vec<_> = lists.collect();
                self.depth -= 1;
                if lists.is_empty() {
                    self.fault(text, "there is no command in it");
                }
                lists.join("; ")
            }
            Err(why) => {
                self.fault(text, format!("it is no shell that can be judged: {why}"));
                String::new()
            }
        }
    }

    fn list(&mut self, list: &CompoundList) -> String {
        let mut texts = Vec::new();
        for item in &list.0 {
            if matches!(item.1, SeparatorOperator::Async) {
                self.fault("&", "nothing is left to run in the background");
            }
            let mut text = self.pipeline(&item.0.first);
            for more in &item.0.additional {
                let (sign, pipeline) = match more {
                    AndOr::And(pipeline) => ("&&", pipeline),
                    AndOr::Or(pipeline) => ("||", pipeline),
                };
                text = format!("{text} {sign} {}", self.pipeline(pipeline));
            }
            texts.push(text);
        }
        texts.join("; ")
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> String {
        if pipeline.seq.is_empty() {
            self.fault("!", "there is no command behind it");
        }
        let commands: Vec<_> = pipeline.seq.iter().map(|command| self.command(command)).collect();
        let time = if pipeline.timed.is_some() { "time " } else { "" };
        let bang = if pipeline.bang { "! " } else { "" };
        format!("{time}{bang}{}", commands.join(" | "))
    }

    fn command(&mut self, command: &Command) -> String {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                let text = self.compound(compound);
                let redirects = redirects.iter().flat_map(|list| &list.0);
                let redirects: Vec<_> = redirects.map(|redirect| self.redirect(redirect)).collect();
                [&[text], redirects.as_slice()].concat().join(" ")
            }
            Command::Function(_) => {
                self.unknown("a function", "a function could take the name of a command")
            }
            Command::ExtendedTest(..) => self.unknown("[[ ]]", "write test or [ ]"),
        }
    }

    fn unknown(&mut self, what: &str, why: &str) -> String {
        self.fault(what, why);
        String::new()
    }

    fn compound(&mut self, compound: &CompoundCommand) -> String {
        match compound {
            CompoundCommand::Subshell(inner) => format!("( {} )", self.list(&inner.list)),
            CompoundCommand::BraceGroup(inner) => format!("{{ {}; }}", self.list(&inner.list)),
            CompoundCommand::ForClause(inner) => {
                self.assigned(&inner.variable_name);
                let values = inner.values.iter().flatten();
                let values: Vec<_> = values.map(|value| self.word(&value.value).shell).collect();
                let (name, body) = (&inner.variable_name, self.list(&inner.body.list));
                format!("for {name} in {}; do {body}; done", values.join(" "))
            }
            CompoundCommand::IfClause(inner) => {
                let mut text =
                    format!("if {}; then {}", self.list(&inner.condition), self.list(&inner.then));
                for other in inner.elses.iter().flatten() {
                    let word = other.condition.as_ref().map_or_else(
                        || "else".to_owned(),
                        |condition| format!("elif {}; then", self.list(condition)),
                    );
                    text = format!("{text}; {word} {}", self.list(&other.body));
                }
                format!("{text}; fi")
            }
            CompoundCommand::WhileClause(inner) => {
                format!("while {}; do {}; done", self.list(&inner.0), self.list(&inner.1.list))
            }
            CompoundCommand::UntilClause(inner) => {
                format!("until {}; do {}; done", self.list(&inner.0), self.list(&inner.1.list))
            }
            CompoundCommand::CaseClause(_) => self.unknown("case", "write it with if"),
            CompoundCommand::Coprocess(_) => {
                self.unknown("coproc", "nothing is left to run in the background")
            }
            CompoundCommand::Arithmetic(_) | CompoundCommand::ArithmeticForClause(_) => {
                self.unknown("(( ))", "arithmetic can run commands: use test or [ ]")
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> String {
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        let (mut before, mut after, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for item in prefix {
            match item {
                Item::IoRedirect(redirect) => after.push(self.redirect(redirect)),
                Item::AssignmentWord(assignment, _) => before.push(self.assignment(assignment)),
                Item::Word(word) => words.push(self.word(&word.value)),
                Item::ProcessSubstitution(..) => after.push(self.process()),
            }
        }
        words.extend(simple.word_or_name.iter().map(|word| self.word(&word.value)));
        for item in suffix {
            match item {
                Item::IoRedirect(redirect) => after.push(self.redirect(redirect)),
                // Behind the name it is a word like any other.
                Item::AssignmentWord(_, word) | Item::Word(word) => {
                    words.push(self.word(&word.value));
                }
                Item::ProcessSubstitution(..) => after.push(self.process()),
            }
        }
        wrapper::unwrap(self, &mut words);
        let words = words.into_iter().enumerate().map(|(at, word)| match word.literal {
            // No keyword, no alias, no assignment.
            Some(name) if at == 0 => in_quotes(&name),
            _ => word.shell,
        });
        before.into_iter().chain(words).chain(after).collect::<Vec<_>>().join(" ")
    }

    fn process(&mut self) -> String {
        self.unknown("<( )", "write it with a pipe")
    }

    fn assignment(&mut self, assignment: &ast::Assignment) -> String {
        let AssignmentName::VariableName(name) = &assignment.name else {
            return self.unknown("an array", "lists are not judged: use plain variables");
        };
        let AssignmentValue::Scalar(value) = &assignment.value else {
            return self.unknown("an array", "lists are not judged: use plain variables");
        };
        self.assigned(name);
        let sign = if assignment.append { "+=" } else { "=" };
        format!("{name}{sign}{}", self.word(&value.value).shell)
    }

    /// Judges that the variable `name` is given a value: many of them change what a command is or does.
    pub(crate) fn assigned(&mut self, name: &str) {
        const HARMLESS: [&str; 6] = ["LANG", "LANGUAGE", "TZ", "COLUMNS", "LINES", "NO_COLOR"];
        let is_own =
            name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        let is_locale =
            name.starts_with("LC_") && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
        let is_name = is_name(name);
        if !is_name || !(is_own || is_locale || HARMLESS.contains(&name)) {
            let why =
                "a variable in capitals can change what a command is or does: use small letters";
            self.fault(&format!("{name}="), why);
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect) -> String {
        match redirect {
            IoRedirect::File(fd, kind, target) => {
                let fd = fd.map(|fd| fd.to_string()).unwrap_or_default();
                let (sign, access) = sign(kind);
                let target = match target {
                    Target::Fd(number) => number.to_string(),
                    Target::Duplicate(word) => self.descriptor(&word.value),
                    Target::Filename(word) => self.file(&word.value, access),
                    Target::ProcessSubstitution(..) => self.process(),
                };
                format!("{fd}{sign}{target}")
            }
            IoRedirect::OutputAndError(word, append) => {
                let target = self.file(&word.value, Access::Write);
                format!("{}{target}", if *append { "&>>" } else { "&>" })
            }
            IoRedirect::HereString(fd, word) => {
                let fd = fd.map(|fd| fd.to_string()).unwrap_or_default();
                format!("{fd}<<<{}", self.word(&word.value).shell)
            }
            IoRedirect::HereDocument(..) => self.unknown("<<", "write the text with <<< or printf"),
        }
    }

    /// `>&2` and `>&-`; with anything else it would be a file.
    fn descriptor(&mut self, word: &str) -> String {
        let is_number =
            word == "-" || (word.len() == 1 && word.bytes().all(|b| b.is_ascii_digit()));
        if !is_number {
            self.fault(word, "behind >& stands a number or -");
        }
        word.to_owned()
    }

    fn file(&mut self, word: &str, access: Access) -> String {
        let word = self.word(word);
        if word.literal.is_none() {
            self.fault(&word.shell, "the file of a redirection is written out");
        }
        self.line.files.push((word.literal.clone(), access));
        word.shell
    }
}

fn sign(kind: &Kind) -> (&'static str, Access) {
    match kind {
        Kind::Read => ("<", Access::Read),
        Kind::Write => (">", Access::Write),
        Kind::Append => (">>", Access::Write),
        Kind::ReadAndWrite => ("<>", Access::Write),
        Kind::Clobber => (">|", Access::Write),
        Kind::DuplicateInput => ("<&", Access::Read),
        Kind::DuplicateOutput => (">&", Access::Write),
    }
}
