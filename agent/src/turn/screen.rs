//! Where the words of an answer go while they come.

use super::repeat::Repeat;
use crate::answer::Words;
use crate::channel::Outgoing;
use crate::model::Progress;
use crate::session::Outlet;

/// Shows one answer as it comes.
pub(super) struct Screen<'a> {
    outlet: &'a Outlet,
    /// What the turn has said by now.
    said: &'a mut String,
    words: Words<'a>,
    repeat: &'a mut Repeat,
    /// How much had been said before this answer, in bytes.
    from: usize,
    /// The next piece is set apart from what was said before.
    separate: bool,
    /// It began with reasoning that looked like words.
    has_thought: bool,
}

impl<'a> Screen<'a> {
    /// For one answer, which goes to the outlet and is kept behind what was said before.
    pub(super) fn new(
        (outlet, said): (&'a Outlet, &'a mut String),
        words: Words<'a>,
        repeat: &'a mut Repeat,
    ) -> Self {
        // A second try sets itself apart from the first.
        let separate = !said.is_empty() && !repeat.is_second();
        Self { outlet, from: said.len(), said, words, repeat, separate, has_thought: false }
    }

    /// Shows how the model gets on; `what` says what it does.
    pub(super) fn hear(&mut self, what: &str, progress: Progress<'_>) {
        match progress {
            Progress::Piece(piece) => {
                let piece = self.words.push(piece);
                self.show(piece);
            }
            other => self.outlet.say_progress(what, &other),
        }
    }

    /// Shows what was held back. Gives whether the answer began with reasoning that looked like words.
    pub(super) fn finish(mut self) -> bool {
        let piece = self.words.finish();
        self.show(piece);
        self.has_thought
    }

    fn show(&mut self, piece: String) {
        if self.words.begins_anew() {
            self.begin_anew();
        }
        let piece = self.repeat.new_of(piece);
        if piece.is_empty() {
            return;
        }
        if std::mem::take(&mut self.separate) && !piece.starts_with('\n') {
            self.said.push('\n');
        }
        self.said.push_str(&piece);
        self.outlet.say(Outgoing::Words(piece));
    }

    /// What was said of this answer was reasoning: it can't be taken back where it was shown, but is no part of what was said.
    fn begin_anew(&mut self) {
        *self.repeat = Repeat::default();
        (self.has_thought, self.separate) = (true, self.from > 0);
        if self.said.len() > self.from {
            self.said.truncate(self.from);
            self.outlet.say(Outgoing::Words("\n\n".to_owned()));
        }
    }
}
