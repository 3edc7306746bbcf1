//! What people are told is of the home's own files, and not of the draft's.

use std::io;

use home::Home;
use settings::Asker;

/// Hands everything on to `asker`, with the draft's folder called by the home's name.
pub(super) struct Relabel<A> {
    asker: A,
    draft: String,
    real: String,
}

impl<A> Relabel<A> {
    /// `asker`, who does not know of the draft in `draft`.
    pub(super) fn new(asker: A, draft: &Home, real: &Home) -> Self {
        let shown = |home: &Home| home.root().display().to_string();
        Self { asker, draft: shown(draft), real: shown(real) }
    }

    /// `text`, with the home's name in it.
    pub(super) fn text(&self, text: &str) -> String {
        text.replace(&self.draft, &self.real)
    }
}

impl<A: Asker> Asker for Relabel<A> {
    fn ask(&mut self, question: &str, current: &str, choices: &[String]) -> io::Result<String> {
        self.asker.ask(question, current, choices)
    }

    fn choose(&mut self, question: &str, choices: &[String], current: usize) -> io::Result<usize> {
        self.asker.choose(question, choices, current)
    }

    fn ask_secret(&mut self, question: &str) -> io::Result<String> {
        self.asker.ask_secret(question)
    }

    fn confirm(&mut self, question: &str) -> io::Result<Option<bool>> {
        self.asker.confirm(question)
    }

    fn tell(&mut self, line: &str) {
        self.asker.tell(&self.text(line));
    }
}
