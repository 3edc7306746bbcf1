//! Shows how a model gets on that is asked from the command line.

use std::io::{IsTerminal, Stderr, Write, stderr};

use indicatif::ProgressBar;
use model::Progress;

/// A wait for a model, on stderr: every second of it on a terminal, elsewhere one line in all.
pub(super) struct Waits<W: Write> {
    out: W,
    /// What is waited for.
    what: String,
    /// Where it moves, if it does.
    spinner: Option<ProgressBar>,
    is_said: bool,
}

impl Waits<Stderr> {
    /// On stderr; `what` says what is waited for.
    pub(super) fn new(what: String) -> Self {
        let spinner = stderr().is_terminal().then(ProgressBar::new_spinner);
        Self { out: stderr(), what, spinner, is_said: false }
    }
}

impl<W: Write> Waits<W> {
    /// Shows what people should hear of `step`.
    pub(super) fn hear(&mut self, step: &Progress<'_>) {
        if let Some(wait) = step.wait(&self.what) {
            self.wait(&wait);
        }
        if let Progress::Notice(notice) = step {
            self.tell(&notice.to_string());
        }
    }

    /// Shows at once what is waited for, where it moves.
    pub(super) fn begin(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.set_message(self.what.clone());
            spinner.tick();
        }
    }

    /// Shows how long it takes.
    pub(super) fn wait(&mut self, wait: &str) {
        match &self.spinner {
            Some(spinner) => {
                spinner.set_message(wait.to_owned());
                spinner.tick();
            }
            None if !std::mem::replace(&mut self.is_said, true) => self.line(wait),
            None => {}
        }
    }

    /// Shows a line that stays.
    pub(super) fn tell(&mut self, text: &str) {
        match self.spinner.clone() {
            Some(spinner) => spinner.suspend(|| self.line(text)),
            None => self.line(text),
        }
    }

    fn line(&mut self, text: &str) {
        // Whoever has closed stderr does not want to hear it.
        let _ = writeln!(self.out, "[{text}]");
    }
}

impl<W: Write> Drop for Waits<W> {
    fn drop(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use document::Notice;

    #[test]
    fn where_nothing_moves_a_wait_is_told_once_and_notices_always() {
        let mut out = Vec::new();
        let what = "asking ollama:m".to_owned();
        let mut waits = Waits { out: &mut out, what, spinner: None, is_said: false };
        for waited in 5..8 {
            let (waited, limit) = (Duration::from_secs(waited), Duration::from_secs(120));
            waits.hear(&Progress::Waiting { waited, limit });
            waits.hear(&Progress::Notice(Notice::new(format!("try {}", waited.as_secs()))));
            waits.hear(&Progress::Piece("ready"));
        }
        drop(waits);
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        [asking ollama:m, 5 s of at most 120 s]
        [try 5]
        [try 6]
        [try 7]
        ");
    }
}
