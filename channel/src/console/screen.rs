//! Shows what the agent says: stdout for what was said and done, stderr for everything else.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use conversation::message::ActionLine;
use conversation::question::Question;
use indicatif::{ProgressBar, ProgressStyle};
use markup::{Prose, Surface, harmless};
use protocol::Principal;

use crate::Outgoing;

/// The terminal, or the files, that this process writes to.
#[derive(Debug)]
pub(super) struct Screen {
    /// Whether marks are dimmed.
    dims: bool,
    /// Whether what is done stands on stderr.
    pub(super) deeds_aside: bool,
    /// What was said since then, where it does.
    aside: String,
    words: Prose,
    within_line: bool,
    is_prompted: bool,
    spinner: Option<ProgressBar>,
    moves: bool,
    /// Whether the terminal is told that somebody is wanted.
    rings: bool,
    /// Whether the wait that lasts has been said.
    waits: bool,
}

/// Tells the terminal that somebody is wanted: a notification where it knows them (OSC 9), and its bell.
fn ring() -> String {
    format!("\x1b]9;{}\x1b\\\x07", settings::words().get("say.wanted"))
}

/// What the spinner shows: the time since it began, or a wait that tells its time itself.
const WORKING: &str = "{spinner} {msg} {elapsed}";
const WAITING: &str = "{spinner} {msg}";

impl Screen {
    pub(super) fn new() -> Self {
        let is_terminal = io::stderr().is_terminal() && io::stdout().is_terminal();
        let moves = is_terminal && settings::shows_motion();
        let rings = is_terminal && settings::rings();
        let dims = settings::shows_styles();
        let words = Prose::new(Surface::of_stdout(dims));
        Self {
            dims,
            deeds_aside: false,
            aside: String::new(),
            words,
            within_line: false,
            is_prompted: false,
            spinner: None,
            moves,
            rings,
            waits: false,
        }
    }

    /// What is written to, as it is now.
    pub(super) fn place(&self) -> Surface {
        Surface::of_stdout(self.dims)
    }

    /// Makes room for a line that is typed, and gives the words whose end has not come.
    pub(super) fn pause(&mut self) -> io::Result<Prose> {
        self.still();
        if self.within_line {
            self.write("\n")?;
        }
        let place = self.place();
        let mut words = std::mem::replace(&mut self.words, Prose::new(place));
        words.on_a_new_row();
        Ok(words)
    }

    /// Goes on with words whose end has not come, of which `begun` can be shown by now.
    pub(super) fn go_on(&mut self, words: Prose, begun: &str) -> io::Result<()> {
        self.words = words;
        self.write(begun)
    }

    /// Calls whoever has looked away. It moves nothing on the screen, also while a line is edited there.
    pub(super) fn ring(&self) -> io::Result<()> {
        if !self.rings {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(ring().as_bytes())?;
        stdout.flush()
    }

    /// Shows one thing. Fails only when stdout is gone.
    pub(super) fn show(&mut self, outgoing: &Outgoing) -> io::Result<()> {
        match outgoing {
            Outgoing::Waiting(what) => {
                self.wait(what);
                return Ok(());
            }
            Outgoing::Notice(notice) => return self.notice(notice),
            _ => self.waits = false,
        }
        self.still();
        outgoing.taken();
        match outgoing {
            Outgoing::Working(what) => {
                self.spin(what, WORKING);
                Ok(())
            }
            Outgoing::Words(piece) if self.deeds_aside => {
                self.aside.push_str(piece);
                Ok(())
            }
            Outgoing::Words(piece) => {
                self.words.moved_to(self.place());
                let piece = self.words.push(piece);
                self.write(&piece)
            }
            Outgoing::Action(ended) if self.deeds_aside => {
                // What was said before something was done is no answer yet.
                let said = std::mem::take(&mut self.aside);
                if !said.trim().is_empty() {
                    self.notice(&harmless(said.trim()))?;
                }
                self.notice(&told(ended))
            }
            Outgoing::Action(ended) => self.tell(&told(ended)),
            Outgoing::Text(text) => self.line(&Prose::whole(self.place(), &harmless(text))),
            Outgoing::Question(question) => {
                let text = question.pending(settings::words());
                self.line(&markup::question(self.place(), &text))
            }
            Outgoing::End => self.end(),
            Outgoing::Settled { how, .. } => self.notice(how),
            Outgoing::Begin { from, text, .. } => self.tell(&mirrored(from, text)),
            Outgoing::Broadcast { text, .. } => {
                self.line(&Prose::whole(self.place(), &harmless(text)))
            }
            Outgoing::Reminder { text, .. } => self.tell(text),
            Outgoing::File(path) => self.line(&harmless(&path.display().to_string())),
            Outgoing::Waiting(_)
            | Outgoing::Notice(_)
            | Outgoing::Failed
            | Outgoing::Switched
            | Outgoing::Aside { .. }
            | Outgoing::Queued { .. }
            | Outgoing::Refused { .. }
            | Outgoing::Picture(_) => Ok(()),
        }
    }

    /// What was said last is the answer, where deeds stand aside.
    fn end(&mut self) -> io::Result<()> {
        let said = std::mem::take(&mut self.aside);
        if !said.is_empty() {
            self.line(&Prose::whole(self.place(), &said))?;
        }
        self.break_line()
    }

    /// A question, for a person who can answer at once.
    pub(super) fn put(&mut self, question: &Question, at: usize, of: usize) -> io::Result<()> {
        self.still();
        self.line(&markup::question(self.place(), &question.put(settings::words(), at, of)))
    }

    /// What is told, wrapped at words.
    fn tell(&mut self, text: &str) -> io::Result<()> {
        self.line(&markup::told(self.place(), text))
    }

    /// One line, or several, on stdout.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.break_line()?;
        self.write(text)?;
        self.break_line()
    }

    /// Asks for a line where none can be edited.
    pub(super) fn prompt(&mut self) -> io::Result<()> {
        self.break_line()?;
        self.write(settings::words().get("prompt.you"))?;
        self.is_prompted = true;
        Ok(())
    }

    /// Whether the prompt is what was written last.
    pub(super) fn is_prompted(&self) -> bool {
        self.is_prompted
    }

    /// A line was typed behind the prompt: the terminal has begun a new one.
    pub(super) fn was_typed(&mut self) {
        (self.within_line, self.is_prompted) = (false, false);
    }

    /// Stops whatever moves.
    pub(super) fn still(&mut self) {
        if let Some(spinner) = self.spinner.take() {
            spinner.finish_and_clear();
        }
    }

    /// A line of its own on stderr. What moved goes on below it: a further try is still a try.
    fn notice(&mut self, notice: &str) -> io::Result<()> {
        let moved = self.spinner.take();
        if let Some(spinner) = &moved {
            spinner.finish_and_clear();
        }
        self.break_line()?;
        // Whoever has closed stderr does not want to hear it.
        let _ = writeln!(
            io::stderr(),
            "{}",
            markup::told(Surface::of_stderr(), &format!("[{notice}]"))
        );
        if let Some(moved) = moved {
            self.spin(&moved.message(), WORKING);
        }
        Ok(())
    }

    /// A wait: every second of it where something moves, elsewhere one line in all.
    fn wait(&mut self, what: &str) {
        if self.moves {
            self.spin(what, WAITING);
        } else if self.is_first_of_a_wait() {
            let _ = writeln!(
                io::stderr(),
                "{}",
                markup::told(Surface::of_stderr(), &format!("[{what}]"))
            );
        }
    }

    /// Whether nothing was said of the wait that lasts. In the middle of a line nothing is said.
    fn is_first_of_a_wait(&mut self) -> bool {
        !self.within_line && !std::mem::replace(&mut self.waits, true)
    }

    fn spin(&mut self, what: &str, template: &str) {
        if !self.moves || self.within_line {
            return;
        }
        let spinner = self.spinner.get_or_insert_with(|| {
            let spinner = ProgressBar::new_spinner();
            spinner.enable_steady_tick(Duration::from_millis(120));
            spinner
        });
        spinner.set_message(harmless(what));
        if let Ok(style) = ProgressStyle::with_template(template) {
            spinner.set_style(style);
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        (self.within_line, self.is_prompted) = (!text.ends_with('\n'), false);
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

/// How an action ended, in letters that are shown here.
pub(super) fn told(ended: &ActionLine) -> String {
    if settings::shows_unicode() { ended.told.clone() } else { ended.told_in_ascii() }
}

/// What was said elsewhere, with its source. Further lines are set in, so that none looks like something else.
pub(super) fn mirrored(from: &Principal, text: &str) -> String {
    format!("{from}> {}", text.trim().replace('\n', "\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_once_where_nothing_moves_and_never_within_a_line() {
        let mut screen = Screen::new();
        assert!(screen.is_first_of_a_wait());
        assert!(!screen.is_first_of_a_wait());
        screen.show(&Outgoing::Notice("something else".to_owned())).unwrap();
        assert!(!screen.is_first_of_a_wait(), "it is the same wait");
        screen.show(&Outgoing::Working("the next".to_owned())).unwrap();
        assert!(screen.is_first_of_a_wait());
        screen.show(&Outgoing::Working("the next".to_owned())).unwrap();
        screen.within_line = true;
        assert!(!screen.is_first_of_a_wait());
    }
}
