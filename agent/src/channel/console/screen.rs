//! Shows what the agent says: stdout for what was said and done, stderr for everything else.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::plain::{Plain, harmless, plain};
use crate::channel::Outgoing;
use crate::question::Question;

/// The terminal, or the files, that this process writes to.
#[derive(Debug)]
pub(super) struct Screen {
    words: Plain,
    within_line: bool,
    spinner: Option<ProgressBar>,
    moves: bool,
    /// Whether the wait that lasts has been said.
    waits: bool,
}

impl Screen {
    pub(super) fn new() -> Self {
        let moves = io::stderr().is_terminal() && io::stdout().is_terminal();
        Self { words: Plain::default(), within_line: false, spinner: None, moves, waits: false }
    }

    /// Shows one thing. Fails only when stdout is gone.
    pub(super) fn show(&mut self, outgoing: &Outgoing) -> io::Result<()> {
        if let Outgoing::Waiting(what) = outgoing {
            self.wait(what);
            return Ok(());
        }
        self.waits = false;
        self.still();
        match outgoing {
            Outgoing::Working(what) | Outgoing::Waiting(what) => {
                self.spin(what, "{spinner} {msg} {elapsed}");
                Ok(())
            }
            Outgoing::Words(piece) => {
                let piece = self.words.push(piece);
                self.write(&piece)
            }
            Outgoing::Action(line) => self.line(&harmless(line)),
            Outgoing::Text(text) => self.line(&plain(text)),
            Outgoing::Question(question) => self.line(&harmless(&question.pending())),
            Outgoing::Notice(notice) => {
                self.break_line()?;
                // Whoever has closed stderr does not want to hear it.
                let _ = writeln!(io::stderr(), "[{}]", harmless(notice));
                Ok(())
            }
            Outgoing::End => self.break_line(),
        }
    }

    /// A question, for a person who can answer at once.
    pub(super) fn put(&mut self, question: &Question) -> io::Result<()> {
        self.still();
        self.line(&harmless(&question.put()))
    }

    /// One line, or several, on stdout.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.break_line()?;
        self.write(text)?;
        self.break_line()
    }

    /// Stops whatever moves.
    pub(super) fn still(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }

    /// A wait: every second of it where something moves, elsewhere one line in all.
    fn wait(&mut self, what: &str) {
        if self.within_line {
            return;
        }
        if self.moves {
            self.still();
            self.spin(what, "{spinner} {msg}");
        } else if !std::mem::replace(&mut self.waits, true) {
            let _ = writeln!(io::stderr(), "[{}]", harmless(what));
        }
    }

    fn spin(&mut self, what: &str, template: &str) {
        if !self.moves || self.within_line {
            return;
        }
        let spinner = ProgressBar::new_spinner().with_message(harmless(what));
        if let Ok(style) = ProgressStyle::with_template(template) {
            spinner.set_style(style);
        }
        spinner.enable_steady_tick(Duration::from_millis(120));
        self.spinner = Some(spinner);
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.within_line = !text.ends_with('\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    fn break_line(&mut self) -> io::Result<()> {
        let held = self.words.finish();
        self.write(&held)?;
        if self.within_line { self.write("\n") } else { Ok(()) }
    }
}
