//! Shows on the command line how a storm goes on: who is awaited, and the words as they come.

use std::io::Stderr;

use mind::storm::Heard;

use crate::cli::waits::Waits;

/// What is shown of the speaker who is awaited.
#[derive(Default)]
pub(super) struct Screen {
    name: String,
    waits: Option<Waits<Stderr>>,
    /// Whether words of this speaker were shown.
    has_words: bool,
}

impl Screen {
    /// Shows what has happened.
    pub(super) fn hear(&mut self, heard: &Heard<'_>) {
        match heard {
            Heard::Awaited(name) => {
                self.name = name.to_string();
                self.wait();
            }
            Heard::Piece("") => {}
            Heard::Piece(piece) => {
                // The line that moves goes before the words come.
                self.waits = None;
                if !std::mem::replace(&mut self.has_words, true) {
                    show(&format!("[{}]: ", self.name));
                }
                show(piece);
            }
            Heard::Anew if self.has_words => {
                show("\n[begins anew]\n");
                self.wait();
            }
            Heard::Anew => {}
            Heard::Waiting(wait) => {
                if let Some(waits) = &mut self.waits {
                    waits.wait(wait);
                }
            }
            Heard::Said(_) => self.end(),
            Heard::Changed(_) | Heard::Notice(_) => self.tell(&heard.notice().unwrap_or_default()),
        }
    }

    fn tell(&mut self, notice: &str) {
        match &mut self.waits {
            Some(waits) => waits.tell(notice),
            None => home::say_on_stderr!("[{notice}]"),
        }
    }

    /// Ends what is shown of this speaker.
    pub(super) fn end(&mut self) {
        self.waits = None;
        if std::mem::take(&mut self.has_words) {
            show("\n\n");
        }
    }

    fn wait(&mut self) {
        self.has_words = false;
        let waits = self.waits.insert(Waits::new(format!("{} is thinking", self.name)));
        waits.begin();
    }
}

fn show(words: &str) {
    home::say_part(format_args!("{words}"));
}
