//! What is said while a person types, in whole lines: the editor prints above the line that is being typed.

use markup::{Prose, Surface, harmless};

use super::screen::{mirrored, told};
use crate::Outgoing;

/// Gathers pieces of an answer until their line is whole.
#[derive(Debug)]
pub(super) struct Gathered {
    place: Surface,
    /// What is said, as far as its words have not ended.
    pub(super) words: Prose,
    line: String,
}

impl Gathered {
    /// Nothing yet, for lines that are shown at `place`.
    pub(super) fn new(place: Surface) -> Self {
        Self { place, words: Prose::new(place), line: String::new() }
    }

    /// Gives what was begun and can be shown by now, and the words that go on.
    pub(super) fn hand_back(&mut self) -> (Prose, String) {
        let words = std::mem::replace(&mut self.words, Prose::new(self.place));
        (words, std::mem::take(&mut self.line))
    }

    /// Takes the next thing that is said and gives the lines that can be shown now, each with its end.
    pub(super) fn take(&mut self, outgoing: &Outgoing) -> Option<String> {
        outgoing.taken();
        let text = match outgoing {
            Outgoing::Words(piece) => {
                self.line.push_str(&self.words.push(piece));
                let whole = self.line.rfind('\n').map_or(0, |at| at + 1);
                return Some(self.line.drain(..whole).collect())
                    .filter(|text: &String| !text.is_empty());
            }
            Outgoing::Action(ended) => markup::told(self.place, &told(ended)),
            Outgoing::Text(text) => Prose::whole(self.place, &harmless(text)),
            Outgoing::Broadcast { text, .. } => Prose::whole(self.place, &harmless(text)),
            Outgoing::Reminder { text, .. } => markup::told(self.place, text),
            Outgoing::File(path) => harmless(&path.display().to_string()),
            Outgoing::Notice(text) | Outgoing::Settled { how: text, .. } => {
                markup::told(self.place, &format!("[{text}]"))
            }
            Outgoing::Question(question) => {
                markup::question(self.place, &question.pending(settings::words()))
            }
            Outgoing::Begin { from, text, .. } => markup::told(self.place, &mirrored(from, text)),
            Outgoing::End => String::new(),
            Outgoing::Working(_)
            | Outgoing::Waiting(_)
            | Outgoing::Failed
            | Outgoing::Switched
            | Outgoing::Aside { .. }
            | Outgoing::Queued { .. }
            | Outgoing::Refused { .. }
            | Outgoing::Picture(_) => return None,
        };
        let mut lines = std::mem::take(&mut self.line);
        lines.push_str(&self.words.finish());
        end_line(&mut lines);
        lines.push_str(&text);
        end_line(&mut lines);
        Some(lines).filter(|lines| !lines.is_empty())
    }
}

/// Ends a line that has begun.
fn end_line(lines: &mut String) {
    if !lines.is_empty() && !lines.ends_with('\n') {
        lines.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use protocol::Principal;

    use conversation::message::ActionLine;
    use protocol::{ActionName, Status};

    use super::*;

    /// An action that has ended well, with this line.
    fn ended(line: &str) -> ActionLine {
        let (action, line) = (ActionName::new("LOOK").unwrap(), line.to_owned());
        ActionLine { action, status: Status::Ok, told: line.clone(), line }
    }
    use crate::Ticket;

    #[test]
    fn what_is_said_elsewhere_stands_in_whole_lines_with_its_source() {
        let mut gathered = Gathered::new(Surface::File);
        let from = Principal::new("telegram:42").unwrap();
        let words = |text: &str| Outgoing::Words(text.to_owned());
        let said = [
            Outgoing::Begin { ticket: Ticket::new(), from, text: "two\nlines\x1b[2J".to_owned() },
            Outgoing::Working("model is thinking".to_owned()),
            words("It is **sun"),
            words("ny**.\nAnd "),
            words("warm"),
            Outgoing::Action(ended("LOOK: ok, done")),
            words("Bye"),
            Outgoing::End,
        ];
        let shown: Vec<String> = said.iter().filter_map(|said| gathered.take(said)).collect();
        assert_eq!(
            shown,
            [
                "telegram:42> two\n  lines[2J\n",
                "It is **sunny**.\n",
                "And warm\nLOOK: ok, done\n",
                "Bye\n"
            ]
        );
    }
}
