//! A command of the editor, as it is written.

use super::view::What;

/// What can be asked for, with how it is written.
const HELP: &str = "The editor knows: view <file> [/start/ [/end/]] [label] | next_match <id> | prev_match <id> | close <id|label|all> | \
search \"<regex>\" [glob] | edit <file> <first>-<last> and the new lines below | create <file> and its lines below | goto_definition <name>";

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    /// Opens a view.
    View { file: String, what: What, label: Option<String> },
    /// Has a view show the next or the previous match of its pattern.
    Match { id: u64, forward: bool },
    /// Closes views, by id, by label, or all.
    Close { which: String },
    /// Lists the lines that fit a pattern.
    Search { pattern: String, glob: String },
    /// Puts `text` in the place of some lines.
    Edit { file: String, lines: (usize, usize), text: String },
    /// Makes a file.
    Create { file: String, text: String },
    /// Opens a view of the place where a name is defined.
    GotoDefinition { name: String },
}

impl Order {
    /// Reads a command.
    ///
    /// # Errors
    /// How it is written.
    pub(super) fn read(command: &str) -> Result<Self, String> {
        let command = command.trim_start();
        let (line, text) = command.split_once('\n').unwrap_or((command, ""));
        let mut words = Words(line.trim());
        let verb = words.next().ok_or_else(|| HELP.to_owned())?;
        let order = match verb.as_str() {
            "view" => view(&mut words),
            "next_match" | "prev_match" => {
                let id = words.next().and_then(|id| id.parse().ok());
                id.map(|id| Self::Match { id, forward: verb == "next_match" })
            }
            "close" => words.next().map(|which| Self::Close { which }),
            "search" => words.next().map(|pattern| Self::Search {
                pattern,
                glob: words.next().unwrap_or_else(|| "*".to_owned()),
            }),
            "edit" => edit(&mut words, text),
            "create" => words.next().map(|file| Self::Create { file, text: text.to_owned() }),
            "goto_definition" => words.next().map(|name| Self::GotoDefinition { name }),
            _ => None,
        };
        order.filter(|_| words.0.is_empty()).ok_or_else(|| HELP.to_owned())
    }
}

fn view(words: &mut Words<'_>) -> Option<Order> {
    let file = words.next()?;
    let start = words.pattern();
    let end = start.is_some().then(|| words.pattern()).flatten();
    let label = words.next();
    let what = match start {
        Some(start) => What::Lines { start, end },
        None => What::All,
    };
    Some(Order::View { file, what, label })
}

fn edit(words: &mut Words<'_>, text: &str) -> Option<Order> {
    let (file, lines) = (words.next()?, words.next()?);
    let (first, last) = lines.split_once('-').unwrap_or((&lines, &lines));
    let lines = (first.parse().ok()?, last.parse().ok()?);
    (1 <= lines.0 && lines.0 <= lines.1).then(|| Order::Edit { file, lines, text: text.to_owned() })
}

/// The words of a line: `"quoted"`, or up to the next blank.
struct Words<'a>(&'a str);

impl Words<'_> {
    fn next(&mut self) -> Option<String> {
        let quoted = self.0.strip_prefix('"').and_then(|rest| delimited(rest, '"'));
        let (word, rest) = quoted.or_else(|| {
            let end = self.0.find(char::is_whitespace).unwrap_or(self.0.len());
            (end > 0).then(|| (self.0[..end].to_owned(), &self.0[end..]))
        })?;
        self.0 = rest.trim_start();
        Some(word)
    }

    /// `/pattern/`.
    fn pattern(&mut self) -> Option<String> {
        let (pattern, rest) = delimited(self.0.strip_prefix('/')?, '/')?;
        self.0 = rest.trim_start();
        Some(pattern)
    }
}

/// What stands before the next `end` that no backslash hides, and what follows.
fn delimited(text: &str, end: char) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some((_, hidden)) if hidden == end => word.push(hidden),
                Some((_, other)) => word.extend(['\\', other]),
                None => word.push('\\'),
            },
            c if c == end => return Some((word, &text[at + c.len_utf8()..])),
            c => word.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_as_they_are_written() {
        let lines = |start: &str, end: Option<&str>| What::Lines {
            start: start.to_owned(),
            end: end.map(str::to_owned),
        };
        for (text, order) in [
            ("view a.c", Order::View { file: "a.c".to_owned(), what: What::All, label: None }),
            (
                "view src/a.c /int main\\(/ /^}/ entry",
                Order::View {
                    file: "src/a.c".to_owned(),
                    what: lines("int main\\(", Some("^}")),
                    label: Some("entry".to_owned()),
                },
            ),
            ("next_match 2", Order::Match { id: 2, forward: true }),
            ("close all", Order::Close { which: "all".to_owned() }),
            (
                "search \"a b\" *.rs",
                Order::Search { pattern: "a b".to_owned(), glob: "*.rs".to_owned() },
            ),
            (
                "edit \"my file\" 2-3\nnew\n",
                Order::Edit { file: "my file".to_owned(), lines: (2, 3), text: "new\n".to_owned() },
            ),
            ("goto_definition main", Order::GotoDefinition { name: "main".to_owned() }),
        ] {
            assert_eq!(Order::read(text), Ok(order), "{text}");
        }
        for bad in
            ["", "open a", "edit a 3-2\nx", "edit a\nx", "close", "next_match x", "view a b c"]
        {
            assert_eq!(Order::read(bad), Err(HELP.to_owned()), "{bad}");
        }
    }
}
