//! The line editor, on a thread of its own: it waits for keys as long as it takes.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustyline::config::Configurer;
use rustyline::error::{ReadlineError, Signal};
use rustyline::history::FileHistory;
use rustyline::{
    Cmd, ColorMode, CompletionType, ConditionalEventHandler, Config, Event, EventContext,
    EventHandler, KeyCode, KeyEvent, Modifiers, RepeatCount,
};
use tokio::sync::mpsc;

use crate::above::Above;
use crate::completion::Completion;
use crate::restore::{Lent, Restore, forget_keys, is_edited};

/// How long the line editor may need to take the terminal.
const TAKES: Duration = Duration::from_millis(500);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(5);

/// What came of asking for a line.
#[derive(Debug)]
pub enum TypedLine {
    /// The line.
    Line(String),
    /// As far as it was typed, when an editor of the person's own was wanted for the rest (Ctrl-X Ctrl-E).
    Elsewhere(String),
    /// Ctrl-C, and the line as far as it was typed, unless it is to be gone.
    Interrupted(String),
    /// A byte came that is no UTF-8, and the line is gone.
    Unreadable,
    /// Ctrl-D, or a terminal that is gone.
    End,
}

/// What is asked: the prompt, what stands behind it already, and whether the arrow keys bring the answer back later.
type Asking = (String, String, LineHistory);

/// Whether a line goes into the history of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineHistory {
    /// The arrow keys bring it back, also after a restart.
    Yes,
    /// It is gone.
    No,
    /// The same, and nobody sees what is typed.
    Unseen,
}

/// What edits lines.
type Lines = rustyline::Editor<Completion, FileHistory>;

/// Asks for lines. Dropped in the middle of one, it leaves the terminal as it was found.
#[derive(Debug)]
pub struct Editor {
    questions: std::sync::mpsc::Sender<Asking>,
    answers: mpsc::Receiver<TypedLine>,
    above: Arc<Above>,
    /// Whether a line was asked for that has not come.
    is_asked: bool,
    restore: Restore,
}

impl Editor {
    /// Starts the thread. `typed` is where the history of keys is kept.
    ///
    /// # Errors
    /// When the terminal is too simple for it.
    pub fn start(typed: PathBuf, completion: Completion) -> io::Result<Self> {
        let restore = Restore::take();
        let mut editor = lines(completion).map_err(io::Error::other)?;
        let elsewhere = Elsewhere::default();
        let keys = Event::KeySeq(vec![KeyEvent::ctrl('X'), KeyEvent::ctrl('E')]);
        editor.bind_sequence(keys, EventHandler::Conditional(Box::new(elsewhere.clone())));
        let interrupted = Drafted::default();
        let key = EventHandler::Conditional(Box::new(interrupted.clone()));
        editor.bind_sequence(KeyEvent::ctrl('C'), key);
        let printer = editor.create_external_printer().map_err(io::Error::other)?;
        // The first start has no history yet.
        let _ = editor.load_history(&typed);
        let (questions, asking) = std::sync::mpsc::channel();
        let (answering, answers) = mpsc::channel(1);
        let above = Arc::new(Above::default());
        let (shared, printing) = (Arc::clone(&above), Arc::clone(&above));
        let edited = Edited { editor, typed, elsewhere, interrupted };
        std::thread::spawn(move || edited.edit(&asking, &answering, &shared));
        std::thread::spawn(move || printing.print_all(printer));
        Ok(Self { questions, answers, above, is_asked: false, restore })
    }

    /// Shows `prompt` and begins to take a line, which [`Editor::asked`] waits for. What is `begun` stands in it as if it had
    /// been typed.
    pub fn ask(&mut self, prompt: String, begun: String, kept: LineHistory) {
        self.is_asked = true;
        // A thread that is gone is told by `asked`.
        let _ = self.questions.send((prompt, begun, kept));
    }

    /// What came of it.
    pub async fn asked(&mut self) -> TypedLine {
        let asked = self.answers.recv().await.unwrap_or(TypedLine::End);
        self.is_asked = false;
        asked
    }

    /// Prints lines above the one that is being typed; otherwise they would land in the middle of it. It does not wait
    /// for that: lines that come too late are printed above the next one.
    pub fn print(&self, lines: String) {
        self.above.print(lines);
    }

    /// Lends the terminal to another program while no line is typed: as it was found, until what is given is dropped.
    #[must_use]
    pub fn lend(&self) -> Lent {
        self.restore.lend()
    }

    /// What is to be printed above the next line, because it came too late for the last one.
    pub fn late(&self) -> String {
        self.above.late()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // What is given back before the thread has taken it would not stay as it was found.
        let until = Instant::now() + TAKES;
        while self.is_asked && self.answers.is_empty() && !is_edited() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
    }
}

/// An editor in which Tab completes, a second Tab lists, and Alt-Enter begins another row.
fn lines(completion: Completion) -> rustyline::Result<Lines> {
    let config = Config::builder().completion_type(CompletionType::List).build();
    let mut lines = Lines::with_config(config)?;
    lines.set_helper(Some(completion));
    lines.bind_sequence(KeyEvent(KeyCode::Enter, Modifiers::ALT), Cmd::Newline);
    Ok(lines)
}

/// Whether the line was ended by the keys that ask for an editor.
#[derive(Debug, Clone, Default)]
struct Elsewhere(Arc<AtomicBool>);

impl ConditionalEventHandler for Elsewhere {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, _: &EventContext<'_>) -> Option<Cmd> {
        self.0.store(true, Ordering::Relaxed);
        Some(Cmd::AcceptLine)
    }
}

/// The line in which Ctrl-C was pressed.
#[derive(Debug, Clone, Default)]
struct Drafted(Arc<Mutex<String>>);

impl Drafted {
    fn take(&self) -> String {
        // Poisoned, it is still whole.
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ConditionalEventHandler for Drafted {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, at: &EventContext<'_>) -> Option<Cmd> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at.line().to_owned();
        Some(Cmd::Interrupt)
    }
}

/// Whether a line may stand in a file: what looks like a PIN does not, for nobody here knows whether one is asked for.
fn may_be_kept(line: &str) -> bool {
    !line.trim().is_empty() && !protocol::Pin::stands_in(line)
}

/// What the thread works with.
struct Edited {
    editor: Lines,
    typed: PathBuf,
    elsewhere: Elsewhere,
    interrupted: Drafted,
}

impl Edited {
    /// Shows what is typed next, or nothing of it.
    fn hide(&mut self, is_unseen: bool) {
        if let Some(completion) = self.editor.helper_mut() {
            completion.is_unseen = is_unseen;
        }
        // What hides a line counts as a colour, which a terminal may have been told to do without.
        self.editor.set_color_mode(if is_unseen { ColorMode::Forced } else { ColorMode::Enabled });
    }

    fn edit(
        mut self,
        asking: &std::sync::mpsc::Receiver<Asking>,
        answering: &mpsc::Sender<TypedLine>,
        above: &Above,
    ) {
        while let Ok((prompt, begun, kept)) = asking.recv() {
            let is_unseen = kept == LineHistory::Unseen;
            self.hide(is_unseen);
            above.open();
            let read = self.editor.readline_with_initial(&prompt, (&begun, ""));
            above.close();
            let asked = match read {
                Ok(line) if self.elsewhere.0.swap(false, Ordering::Relaxed) => {
                    // An editor would show it, and keep it in a file.
                    if is_unseen {
                        TypedLine::Line(String::new())
                    } else {
                        TypedLine::Elsewhere(line)
                    }
                }
                Ok(line) => {
                    if kept == LineHistory::Yes && may_be_kept(&line) {
                        // Losing the history of keys is not worth a word.
                        let _ = self.editor.add_history_entry(&line);
                        let _ = self.editor.save_history(&self.typed);
                    }
                    TypedLine::Line(line)
                }
                Err(ReadlineError::Interrupted | ReadlineError::Signal(Signal::Interrupt)) => {
                    let draft = self.interrupted.take();
                    TypedLine::Interrupted(if kept == LineHistory::Yes {
                        draft
                    } else {
                        String::new()
                    })
                }
                Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                    // What is left of a paste is half of something.
                    forget_keys();
                    TypedLine::Unreadable
                }
                Err(_) => TypedLine::End,
            };
            if answering.blocking_send(asked).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_pin_is_kept_in_no_history() {
        for line in ["493817", " 4938 ", "/approve ab12cd34 493817", " "] {
            assert!(!may_be_kept(line), "{line}");
        }
        assert!(may_be_kept("hello") && may_be_kept("/approve ab12cd34"));
    }
}
