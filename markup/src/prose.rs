//! What a model writes, made fit for where it is shown: every character stays, on a terminal the marks of Markdown are
//! dimmed, what they mark stands out, addresses are links, and prose is wrapped at words.
//!
//! Code, tables and addresses get no line end, so that what is copied is what was written.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::blocks::{Blocks, ProseLine, may_be_mark};
use crate::harmless::{acts, controls};
use crate::style::{Style, may_be_address, opens_code, push_dim};

/// How many columns a tab reaches over.
const TAB: usize = 8;

/// How long a word may get before it is shown though its end has not come, in columns.
const LONGEST: usize = 400;

/// How many columns a word may grow by that is shown before its end has come.
const SPARE: usize = 20;

/// How many spaces set the columns of a list apart.
const WIDE_GAP: usize = 2;

/// Makes one picture of the two beside it (ZERO WIDTH JOINER).
const JOINER: char = '\u{200d}';

/// Where it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// In a file, or at the other end of a pipe.
    File,
    /// On a terminal.
    Terminal {
        /// How many columns it has.
        columns: usize,
        /// Whether styles are shown there.
        dims: bool,
    },
}

impl Surface {
    /// What this process writes to.
    pub fn of_stdout(dims: bool) -> Self {
        Self::of(&io::stdout(), dims)
    }

    /// What this process tells of itself on; no style is shown there.
    pub fn of_stderr() -> Self {
        Self::of(&io::stderr(), false)
    }

    fn of(written: &(impl AsFd + IsTerminal), dims: bool) -> Self {
        let size = written.is_terminal().then(|| tcgetwinsize(written).ok()).flatten();
        match size.map(|size| usize::from(size.ws_col)) {
            None => Self::File,
            // A terminal that does not know how wide it is.
            Some(0) => Self::Terminal { columns: usize::MAX, dims },
            Some(columns) => Self::Terminal { columns, dims },
        }
    }

    /// The place without styles.
    pub(crate) fn plain(self) -> Self {
        match self {
            Self::File => Self::File,
            Self::Terminal { columns, .. } => Self::Terminal { columns, dims: false },
        }
    }

    /// Whether `c` of a model's answer may stand there. A file gets it as it was written.
    fn shows(self, c: char) -> bool {
        match self {
            Self::File => !controls(c),
            Self::Terminal { .. } => !acts(c),
        }
    }
}

/// Takes a text in pieces, and gives what can be shown by now.
#[derive(Debug)]
pub struct Prose {
    place: Surface,
    line: ProseLine,
    blocks: Blocks,
    /// The space before the word, which is not shown yet.
    gap: String,
    /// The word whose end has not come.
    word: String,
    /// What has come of a line of code or of a table. It is shown when it is whole, so that nothing else comes between.
    held: String,
    /// In which column the next character stands.
    column: usize,
    /// In which column the rest of a wrapped line goes on.
    hang: usize,
    /// Whether the columns of a list are kept when a row of it is wrapped. What a model writes gets no blanks of ours.
    hangs: bool,
    /// Whether the line may be a row of a list in two columns: it is set in, or begins with a name and a colon.
    is_row: bool,
    style: Style,
}

impl Prose {
    /// What is shown at `place`.
    pub fn new(place: Surface) -> Self {
        let (gap, word, held) = (String::new(), String::new(), String::new());
        let (blocks, style) = (Blocks::default(), Style::default());
        let line = ProseLine::Begins;
        let (column, hang, hangs, is_row) = (0, 0, false, false);
        Self { place, line, blocks, gap, word, held, column, hang, hangs, is_row, style }
    }

    /// A whole text of the house's as it is shown at `place`.
    pub fn whole(place: Surface, text: &str) -> String {
        let mut prose = Self { hangs: true, ..Self::new(place) };
        let shown = prose.push(text);
        shown + &prose.finish()
    }

    /// It is shown there from now on: a terminal may have become wider or narrower.
    pub fn moved_to(&mut self, place: Surface) {
        self.place = place;
    }

    /// What comes next stands at the beginning of a row.
    pub fn on_a_new_row(&mut self) {
        self.column = 0;
    }

    /// Takes the next piece, and gives what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        let place = self.place;
        for c in piece.chars().filter(|c| place.shows(*c)) {
            if place == Surface::File {
                shown.push(c);
            } else {
                self.take(c, &mut shown);
            }
        }
        self.show_early(&mut shown);
        shown
    }

    /// Shows a word whose end has not come, where it may grow without being wrapped and can't turn out to be a mark.
    fn show_early(&mut self, shown: &mut String) {
        let Surface::Terminal { columns, .. } = self.place else { return };
        let has_room = self.column + self.gap.width() + self.word.width() + SPARE < columns;
        let may_be_mark = self.word.ends_with(['*', '`', '#', '|'])
            || (self.line == ProseLine::Begins && may_be_mark(&self.word))
            || self.is_within_code();
        if has_room && !may_be_mark && !may_be_address(&self.word) {
            self.end_word(shown);
        }
    }

    /// Ends the text, and gives what was held back.
    pub fn finish(&mut self) -> String {
        let mut shown = String::new();
        self.end_line(&mut shown);
        self.blocks = Blocks::default();
        shown
    }

    fn take(&mut self, c: char, shown: &mut String) {
        match c {
            '\n' => {
                self.end_line(shown);
                shown.push('\n');
            }
            ' ' | '\t' if !self.is_within_code() => {
                self.end_word(shown);
                self.gap.push(c);
            }
            _ => {
                // Between two letters of Chinese or Japanese a line may end, for there is no space.
                let may_end = is_wide(c)
                    || self.word.chars().rev().find(|c| c.width() > Some(0)).is_some_and(is_wide);
                if (may_end && !self.joins(c)) || self.word.width() >= LONGEST {
                    self.end_word(shown);
                }
                self.word.push(c);
            }
        }
    }

    /// Whether `c` and what stands before it are one picture or letter: an emoji of several, or a mark on a letter.
    fn joins(&self, c: char) -> bool {
        let is_modifier = matches!(c, '\u{1f3fb}'..='\u{1f3ff}');
        c.width() == Some(0) || is_modifier || self.word.ends_with(JOINER)
    }

    /// Whether the word is code between backticks that has not ended; its spaces are part of it.
    fn is_within_code(&self) -> bool {
        let may_be_fence = self.line == ProseLine::Begins && self.word.starts_with("```");
        matches!(self.line, ProseLine::Begins | ProseLine::Words)
            && !(may_be_fence || self.blocks.is_in_fence())
            && self.word.width() < LONGEST
            && opens_code(&self.word)
    }

    fn end_line(&mut self, shown: &mut String) {
        self.end_word(shown);
        shown.push_str(&std::mem::take(&mut self.held));
        shown.push_str(&std::mem::take(&mut self.gap));
        (self.line, self.column) = (ProseLine::Begins, 0);
        (self.hang, self.is_row) = (0, false);
        self.blocks.end_line();
        self.style.begin_line();
    }

    fn end_word(&mut self, shown: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let (gap, word) = (std::mem::take(&mut self.gap), std::mem::take(&mut self.word));
        let Surface::Terminal { columns, dims } = self.place else { return };
        let is_first = self.column == 0;
        self.column = advanced(self.column, &gap);
        let begins = self.line == ProseLine::Begins;
        match begins {
            true => self.line = self.blocks.first(&gap, &word, self.column),
            false => self.blocks.further(&word),
        }
        if !gap.is_empty() {
            self.style.space();
        }
        let mut held = std::mem::take(&mut self.held);
        let shown = if self.line == ProseLine::Words {
            // The mark of a list or a quote.
            shown.push_str(&std::mem::take(&mut held));
            shown
        } else {
            &mut held
        };
        shown.push_str(&gap);
        self.find_columns(&gap, &word, columns, is_first);
        let may_wrap = !gap.is_empty() || word.chars().next().is_some_and(is_wide);
        // The last column stays free: a space there would begin a line of its own.
        let is_full = self.column + word.width() >= columns;
        if self.line == ProseLine::Words && !is_first && may_wrap && is_full {
            shown.push('\n');
            shown.push_str(&" ".repeat(self.hang));
            self.column = self.hang;
        }
        let is_heading = is_first && word.len() <= 6 && word.bytes().all(|byte| byte == b'#');
        match self.line {
            ProseLine::Words if dims && is_heading => self.style.heading(&word, shown),
            ProseLine::Words if dims => self.style.show(&word, shown),
            ProseLine::Fence if dims && begins => push_dim(&word, shown),
            _ => shown.push_str(&word),
        }
        self.held = held;
        self.column = advanced(self.column, &word);
    }

    /// Finds where the second column of a list begins: behind two spaces, in the nearer half of the terminal.
    fn find_columns(&mut self, gap: &str, word: &str, columns: usize, is_first: bool) {
        if is_first {
            self.is_row = gap.len() >= WIDE_GAP || word.ends_with(':');
        } else if self.hangs && self.is_row && self.hang == 0 && gap.len() >= WIDE_GAP {
            self.hang = if self.column <= columns / 2 { self.column } else { 0 };
        }
    }
}

fn is_wide(c: char) -> bool {
    c.width() == Some(2)
}

/// The column behind `text`.
fn advanced(column: usize, text: &str) -> usize {
    let mut parts = text.split('\t');
    let first = column + parts.next().unwrap_or_default().width();
    parts.fold(first, |column, part| (column / TAB + 1) * TAB + part.width())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    const ANSWER: &str = "# Tidy\nIt **all** goes.\n```sh\n# rm -rf ~/old\ncp src/**/*.rs /tmp\n```\n2**10 is 1024, a * b.\n";

    fn terminal(columns: usize, dims: bool) -> Surface {
        Surface::Terminal { columns, dims }
    }

    /// What is shown without its styles; no test has a link.
    fn bright(shown: &str) -> String {
        ["1", "2", "22", "36", "39"]
            .iter()
            .fold(shown.to_owned(), |shown, style| shown.replace(&format!("\x1b[{style}m"), ""))
    }

    #[test]
    fn a_file_gets_what_was_written() {
        assert_eq!(Prose::whole(Surface::File, ANSWER), ANSWER);
    }

    #[test]
    fn a_file_gets_every_character_but_controls_and_a_terminal_none_that_reorders() {
        let [marks, text] =
            ["\u{61c}\u{200e}\u{200f}\u{202e}\u{2066}", "שלום\u{200d}\u{200b}\u{ad}"];
        let written = format!("{marks}{text}\x1b\u{9b}\0\r\n");
        assert_eq!(Prose::whole(Surface::File, &written), format!("{marks}{text}\n"));
        assert_eq!(Prose::whole(terminal(80, false), &written), format!("{text}\n"));
    }

    #[test]
    fn a_terminal_gets_what_was_written_with_its_marks_dimmed() {
        let shown = Prose::whole(terminal(80, true), ANSWER);
        assert_eq!(bright(&shown), ANSWER);
        for dimmed in [
            "\x1b[2m#\x1b[22m \x1b[1mTidy\x1b[22m",
            "\x1b[2m**\x1b[22m\x1b[1mall\x1b[22m",
            "\x1b[2m```sh\x1b[22m",
        ] {
            assert!(shown.contains(dimmed), "{dimmed:?} in {shown:?}");
        }
        assert!(shown.contains("\n# rm -rf ~/old\ncp src/**/*.rs /tmp\n"), "{shown:?}");
        assert!(shown.ends_with("is 1024, a * b.\n"), "{shown:?}");
    }

    #[test]
    fn the_second_column_of_a_list_goes_on_below_itself() {
        let wrapped = |text: &str| Prose::whole(terminal(24, false), text);
        assert_eq!(
            wrapped("  /jobs  what is to come\nmodel:  one that thinks long"),
            "  /jobs  what is to \n         come\nmodel:  one that thinks \n        long"
        );
        assert_eq!(wrapped("It ends.  And goes on here"), "It ends.  And goes on \nhere");
    }

    #[test]
    fn a_line_of_code_or_of_a_table_is_shown_when_it_is_whole() {
        let mut prose = Prose::new(terminal(80, false));
        let pieces = ["```sh\necho on", "e two", "\nls -l", "\n```\n| a | b ", "|\n", "and words"];
        let shown = pieces.map(|piece| prose.push(piece));
        assert_eq!(
            shown,
            ["```sh\n", "", "echo one two\n", "ls -l\n```\n", "| a | b |\n", "and words"]
        );
    }

    #[test]
    fn prose_is_wrapped_at_words_and_nothing_else_is() {
        let wrapped = |text: &str| Prose::whole(terminal(20, false), text);
        assert_eq!(
            wrapped("The quick brown fox jumps over it."),
            "The quick brown fox \njumps over it."
        );
        assert_eq!(wrapped("Run `cp a.txt b.txt now` today"), "Run \n`cp a.txt b.txt now` \ntoday");
        for kept in [
            "```\nlet a_long_line = of_code + that_stays;\n```",
            "````md\n```\na line of code that stays\n```\nand one more that stays\n````",
            "~~~ a ` b\na line of code that stays\n~~~~ no end\nand one more that stays\n~~~",
            "   ```\na line of code that stays\n    ```\nand one more that stays\n```",
            "- ```\n  a line of code that stays\n  ```",
            "10. Do\n    ```\n  a line of code that stays\n    ```",
            "> ```\n> a line of code that stays\n> ```",
            "`` a ` line of code that stays ``",
            "    indented code that is longer than that",
            "| a table | that is wider | than it |",
            "https://example.com/a/very/long/address/that/stays",
        ] {
            assert_eq!(wrapped(kept), kept);
        }
        for (code, wraps) in [
            ("```\ncode\n```\n", true),
            ("~~~\ncode\n```\n", false),
            ("````\ncode\n```\n", false),
            ("```\ncode\n``` no end\n", false),
            ("``` a `b` no fence\n", true),
            ("    ```\n\n", true),
            ("- ```\n  code\n  ```\n", true),
            ("> ```\n> code\n", true),
            ("1. 2. -\n", true),
        ] {
            let prose = format!("{code}Then come words that may be wrapped.");
            assert_eq!(wrapped(&prose) != prose, wraps, "{prose}");
        }
        assert_eq!(wrapped("数学家数学家数学家数学家"), "数学家数学家数学家\n数学家");
        // A picture of several is as wide as one, and is never cut.
        let family = "👩‍👩‍👧";
        assert_eq!(wrapped(&family.repeat(10)), format!("{}\n{family}", family.repeat(9)));
        assert_eq!(
            wrapped("e\u{301}e\u{301} שלום לכם כולם יחד"),
            "e\u{301}e\u{301} שלום לכם כולם \nיחד"
        );
    }

    #[test]
    fn an_address_is_shown_once_it_is_whole() {
        let mut prose = Prose::new(terminal(80, true));
        assert_eq!(prose.push("See http"), "See");
        assert_eq!(prose.push("s://a.exa"), "");
        let link = "\x1b]8;;https://a.example\x1b\\https://a.example\x1b]8;;\x1b\\";
        assert_eq!(prose.push("mple now"), format!(" {link} now"));
        assert_eq!(Prose::whole(terminal(80, false), "https://a.example"), "https://a.example");
    }

    #[test]
    fn words_are_shown_as_they_come_and_near_the_end_of_a_line_once_they_are_whole() {
        let mut prose = Prose::new(terminal(40, true));
        assert_eq!(prose.push("These wor"), "These wor");
        assert_eq!(prose.push("ds *"), "ds");
        assert_eq!(prose.push("*stand"), " \x1b[2m**\x1b[22m\x1b[1mstand\x1b[22m");
        assert_eq!(prose.push("** there, and tho"), "\x1b[2m**\x1b[22m there, and");
        assert_eq!(prose.push("se here "), " those \nhere");
        assert_eq!(prose.finish(), " ");
    }

    #[test]
    fn a_row_that_a_model_has_written_gets_no_blanks_of_ours() {
        let row = "name:  some words that are longer than the row\n";
        let mut prose = Prose::new(terminal(24, false));
        let shown = prose.push(row) + &prose.finish();
        assert_eq!(shown.replace('\n', ""), row.replace('\n', ""));
        assert!(Prose::whole(terminal(24, false), row).contains("\n       "));
    }

    /// A block of code in a list, a quote or neither, with lines that look like its end.
    fn block() -> impl Strategy<Value = Vec<String>> {
        let line = "[a-z]{1,9}( [a-z]{1,9}){0,12}|`{1,6}[a-z]?|~{1,6}|[-*>1.] code|# [*]{2}code|";
        let before =
            select(&[["", ""], ["   ", "  "], ["- ", "  "], ["12. ", "    "], ["> ", "> "]][..]);
        let info = select(&["", "sh", " sh x"][..]);
        let marks = (select(&['`', '~'][..]), 3..6usize, 0..3usize);
        (marks, before, info, vec(line, 1..5)).prop_map(
            |((mark, open, more), before, info, code)| {
                let marks = |count: usize| mark.to_string().repeat(count);
                let ends = |line: &str| line.len() >= open && line.chars().all(|c| c == mark);
                let code = code.into_iter().filter(|line| !ends(line));
                let within =
                    code.chain([marks(open + more)]).map(|line| before[1].to_owned() + &line);
                [format!("{}{}{info}", before[0], marks(open))].into_iter().chain(within).collect()
            },
        )
    }

    proptest! {
        #[test]
        fn lines_of_code_keep_their_ends(
            blocks in vec(block(), 1..4), cut in 0usize..400, columns in 4usize..40
        ) {
            let prose = "Some words that are longer than a row of the terminal is.";
            let text: String = blocks.iter().map(|block| format!("{prose}\n{}\n", block.join("\n"))).collect();
            let at = text.char_indices().nth(cut).map_or(text.len(), |(at, _)| at);
            let mut shown = Prose::new(terminal(columns, true));
            let shown = bright(&(shown.push(&text[..at]) + &shown.push(&text[at..]) + &shown.finish()));
            let wrapped = Prose::whole(terminal(columns, false), &format!("{prose}\n"));
            let expected: String = blocks.iter().map(|block| format!("{wrapped}{}\n", block.join("\n"))).collect();
            prop_assert_eq!(shown, expected);
        }

        #[test]
        fn nothing_is_lost_wherever_it_is_cut(text in "[a-z#*`| \n\t数\u{301}\\-]{0,80}", cut in 0usize..80, columns in 4usize..40) {
            let at = text.char_indices().nth(cut).map_or(text.len(), |(at, _)| at);
            for (place, wraps) in [(Surface::File, false), (terminal(columns, true), true)] {
                let mut prose = Prose::new(place);
                let shown = bright(&(prose.push(&text[..at]) + &prose.push(&text[at..]) + &prose.finish()));
                let without = |text: &str| text.replace('\n', "");
                if wraps {
                    prop_assert_eq!(without(&shown), without(&text));
                } else {
                    prop_assert_eq!(&shown, &text);
                }
            }
        }
    }
}
