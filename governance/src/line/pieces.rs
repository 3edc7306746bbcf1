//! Reads the pieces of one word.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::word::{self, WordPiece};

use super::word::{Word, Writing, parameter, refused};
use super::{Reading, options};

fn pieces(text: &str) -> Result<Vec<WordPiece>, String> {
    let parse = || word::parse(text, &options()).map_err(|error| error.to_string());
    let found = catch_unwind(AssertUnwindSafe(parse))
        .unwrap_or_else(|_| Err("it can't be parsed".to_owned()))?;
    Ok(found.into_iter().map(|piece| piece.piece).collect())
}

impl Reading<'_> {
    pub(super) fn word(&mut self, text: &str) -> Word {
        let mut writing = Writing::new();
        let text = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                writing.literal(self.home);
                rest
            }
            _ => text,
        };
        match pieces(text) {
            Ok(found) => found.iter().for_each(|piece| self.piece(piece, &mut writing, text)),
            Err(why) => self.fault(text, why),
        }
        writing.done()
    }

    fn piece(&mut self, piece: &WordPiece, writing: &mut Writing, all: &str) {
        match piece {
            WordPiece::Text(text) => {
                if let Err(why) = writing.bare(text) {
                    self.fault(all, why);
                }
            }
            WordPiece::SingleQuotedText(text) => writing.literal(text),
            WordPiece::EscapeSequence(text) => writing.literal(escaped(text)),
            WordPiece::DoubleQuotedSequence(inner) => {
                writing.literal("");
                inner.iter().for_each(|piece| self.quoted(&piece.piece, writing, all));
            }
            WordPiece::ParameterExpansion(expression) => match parameter(expression) {
                Ok(text) => writing.split_expansion(&text),
                Err(why) => self.fault(all, why),
            },
            WordPiece::CommandSubstitution(inner) => {
                let inner = self.text(inner);
                writing.split_expansion(&format!("$({inner})"));
            }
            WordPiece::BackquotedCommandSubstitution(inner) => self.backquoted(inner, writing, ""),
            other => self.fault(all, refused(other)),
        }
    }

    /// A piece between double quotes.
    fn quoted(&mut self, piece: &WordPiece, writing: &mut Writing, all: &str) {
        match piece {
            WordPiece::Text(text) => writing.literal(text),
            WordPiece::EscapeSequence(text) => writing.literal(escaped(text)),
            WordPiece::ParameterExpansion(expression) => match parameter(expression) {
                Ok(text) => writing.expansion(&format!("\"{text}\"")),
                Err(why) => self.fault(all, why),
            },
            WordPiece::CommandSubstitution(inner) => {
                let inner = self.text(inner);
                writing.expansion(&format!("\"$({inner})\""));
            }
            WordPiece::BackquotedCommandSubstitution(inner) => {
                self.backquoted(inner, writing, "\"");
            }
            other => self.fault(all, refused(other)),
        }
    }

    fn backquoted(&mut self, inner: &str, writing: &mut Writing, quote: &str) {
        if inner.contains('\\') {
            self.fault(inner, "write $(...) in the place of `...` with a \\ in it");
        }
        let inner = self.text(inner);
        let text = format!("{quote}$({inner}){quote}");
        if quote.is_empty() { writing.split_expansion(&text) } else { writing.expansion(&text) }
    }
}

/// The character behind a backslash; a line that goes on has none.
fn escaped(text: &str) -> &str {
    let rest = text.strip_prefix('\\').unwrap_or(text);
    if rest == "\n" { "" } else { rest }
}
