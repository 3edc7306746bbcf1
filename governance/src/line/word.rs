//! One word of a line: what it says, as far as that stands in the line, and how it is written anew.

use brush_parser::word::{Parameter, ParameterExpr, SpecialParameter, WordPiece};

/// A word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word {
    /// What it says; `None` where something is put in while it runs.
    pub(crate) literal: Option<String>,
    /// The word for a shell. What is literal in it is quoted.
    pub(crate) shell: String,
    /// What is put in could begin with `-`, so that it would be read as an option.
    pub(crate) may_be_option: bool,
}

impl Word {
    /// The word as it is shown to people.
    pub(crate) fn shown(&self) -> &str {
        self.literal.as_deref().unwrap_or(&self.shell)
    }
}

/// `text` for a shell: bare where every character means itself everywhere, else in single quotes.
pub(crate) fn quoted(text: &str) -> String {
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    in_quotes(text)
}

/// `text` in single quotes, so that it is no keyword either.
pub(crate) fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./:,=@%+-".contains(c)
}

/// A word that is being read, piece by piece.
#[derive(Default)]
pub(crate) struct Writing {
    literal: String,
    shell: String,
    /// Literal text that is not in `shell` yet.
    run: String,
    is_literal: bool,
    may_be_option: bool,
}

impl Writing {
    pub(crate) fn new() -> Self {
        Self { is_literal: true, ..Self::default() }
    }

    pub(crate) fn literal(&mut self, text: &str) {
        self.literal.push_str(text);
        self.run.push_str(text);
    }

    /// Text that stands without quotes: `*`, `?` and `[` match files.
    ///
    /// # Errors
    /// What it holds that is not judged.
    pub(crate) fn bare(&mut self, text: &str) -> Result<(), &'static str> {
        if expands_braces(text) {
            return Err("{a,b} stands for several words: write each of them");
        }
        if text.starts_with('~') && self.literal.is_empty() && self.shell.is_empty() {
            return Err("~ stands for a home directory only as ~ or ~/...");
        }
        if text == "[" || text == "]" {
            self.literal(text);
            return Ok(());
        }
        let mut before = ' ';
        for c in text.chars() {
            match c {
                '*' | '?' | '[' | ']' => self.expansion(c.encode_utf8(&mut [0; 4])),
                '!' | '^' if before == '[' => self.expansion(c.encode_utf8(&mut [0; 4])),
                c => self.literal(c.encode_utf8(&mut [0; 4])),
            }
            before = c;
        }
        Ok(())
    }

    /// Something that a shell puts in and takes for one word, such as `"$NAME"`, or for names of files, such as `*`.
    pub(crate) fn expansion(&mut self, shell: &str) {
        self.flush();
        self.may_be_option |= self.literal.is_empty() || self.literal.starts_with('-');
        self.shell.push_str(shell);
        self.is_literal = false;
    }

    /// The same, that a shell takes apart at blanks: whatever stands before it, a word of its own may begin in it.
    pub(crate) fn split_expansion(&mut self, shell: &str) {
        self.expansion(shell);
        self.may_be_option = true;
    }

    fn flush(&mut self) {
        if !self.run.is_empty() {
            self.shell.push_str(&quoted(&self.run));
            self.run.clear();
        }
    }

    pub(crate) fn done(mut self) -> Word {
        self.flush();
        if self.shell.is_empty() {
            self.shell.push_str("''");
        }
        let literal = self.is_literal.then_some(self.literal);
        Word { literal, shell: self.shell, may_be_option: self.may_be_option }
    }
}

/// Whether bash would make several words of it: `{a,b}`, `{1..9}`.
fn expands_braces(text: &str) -> bool {
    text.split('{').skip(1).any(|rest| {
        let inner = rest.split('}').next().unwrap_or_default();
        rest.contains('}') && (inner.contains(',') || inner.contains(".."))
    })
}

/// `$NAME` for a shell.
///
/// # Errors
/// Why it is not judged.
pub(crate) fn parameter(expression: &ParameterExpr) -> Result<String, &'static str> {
    const PLAIN: &str =
        "only plain variables such as $NAME are judged, not what ${...} can do beyond that";
    match expression {
        ParameterExpr::Parameter { parameter, indirect: false } => match parameter {
            Parameter::Named(name) if is_name(name) => Ok(format!("${{{name}}}")),
            Parameter::Special(SpecialParameter::LastExitStatus) => Ok("${?}".to_owned()),
            _ => Err(PLAIN),
        },
        _ => Err(PLAIN),
    }
}

/// Whether it can be the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// Why a piece is judged in no case.
pub(crate) fn refused(piece: &WordPiece) -> &'static str {
    match piece {
        WordPiece::AnsiCQuotedText(_) => "$'...' hides what it says: write the text in '...'",
        WordPiece::GettextDoubleQuotedSequence(_) => "$\"...\" is translated: write \"...\"",
        WordPiece::ArithmeticExpression(_) => "$((...)) can run commands: write the number",
        WordPiece::TildeExpansion(_) => "~ stands for a home directory only as ~ or ~/...",
        _ => "this part of the line is not judged",
    }
}
