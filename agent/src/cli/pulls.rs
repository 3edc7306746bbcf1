//! Shows how a model gets on that Ollama fetches.

use std::io::{IsTerminal, Stderr, Write, stderr};

use indicatif::{ProgressBar, ProgressStyle};
use llm::Pulling;

/// What the bar shows where a file is fetched.
const BAR: &str = "{msg} [{wide_bar}] {decimal_bytes} of {decimal_total_bytes}, {eta} left";

/// A fetch, on stderr: a bar on a terminal, elsewhere one line for each step.
pub(super) struct Pulls<W: Write> {
    out: W,
    name: String,
    bar: Option<ProgressBar>,
    /// The step that was told last.
    at: String,
}

impl Pulls<Stderr> {
    /// On stderr, of the model called `name`.
    pub(super) fn new(name: &str) -> Self {
        let bar = stderr().is_terminal().then(ProgressBar::no_length);
        Self { out: stderr(), name: name.to_owned(), bar, at: String::new() }
    }
}

impl<W: Write> Pulls<W> {
    /// Shows `step`.
    pub(super) fn hear(&mut self, step: &Pulling) {
        let is_new = self.at != step.at;
        self.at.clone_from(&step.at);
        let told = format!("{}: {}", self.name, shown(&step.at));
        let Some(bar) = &self.bar else {
            if is_new {
                // Whoever has closed stderr does not want to hear it.
                let _ = writeln!(self.out, "[{told}]");
            }
            return;
        };
        if is_new {
            bar.reset();
            let style = if step.bytes.is_some() { BAR } else { "{msg}" };
            if let Ok(style) = ProgressStyle::with_template(style) {
                bar.set_style(style);
            }
            bar.set_message(told);
        }
        if let Some((done, all)) = step.bytes {
            bar.set_length(all);
            bar.set_position(done);
        }
        bar.tick();
    }
}

/// The server's words, which may hold anything, in one short line.
fn shown(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(80).collect()
}

impl<W: Write> Drop for Pulls<W> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_moves_each_step_is_told_once() {
        let mut out = Vec::new();
        let name = "m".to_owned();
        let mut pulls = Pulls { out: &mut out, name, bar: None, at: String::new() };
        for (at, bytes) in [
            ("pulling manifest", None),
            ("pulling 8eeb52dfb3bb", Some((0, 10))),
            ("pulling 8eeb52dfb3bb", Some((5, 10))),
            ("success\x1b[2J", None),
        ] {
            pulls.hear(&Pulling { at: at.to_owned(), bytes });
        }
        drop(pulls);
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
        [m: pulling manifest]
        [m: pulling 8eeb52dfb3bb]
        [m: success[2J]
        ");
    }
}
