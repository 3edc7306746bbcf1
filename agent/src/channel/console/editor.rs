//! The line editor, on a thread of its own: it waits for keys as long as it takes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustyline::DefaultEditor;
use rustyline::error::{ReadlineError, Signal};
use tokio::sync::mpsc;

use super::above::Above;
use super::restore::{Restore, is_edited};

/// How long the line editor may need to take the terminal.
const TAKES: Duration = Duration::from_millis(500);
/// How often it is looked whether it has.
const LOOK: Duration = Duration::from_millis(5);

/// What came of asking for a line.
#[derive(Debug)]
pub(super) enum Asked {
    /// The line.
    Line(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or a terminal that is gone.
    End,
}

/// What is asked: the prompt, and whether the arrow keys bring the answer back later.
type Asking = (String, Kept);

/// Whether a line goes into the history of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Yes,
    No,
}

/// Asks for lines. Dropped in the middle of one, it leaves the terminal as it was found.
pub(super) struct Editor {
    questions: std::sync::mpsc::Sender<Asking>,
    answers: mpsc::Receiver<Asked>,
    above: Arc<Above>,
    /// Whether a line was asked for that has not come.
    is_asked: bool,
    _restore: Restore,
}

impl Editor {
    /// Starts the thread. `typed` is where the history of keys is kept.
    ///
    /// # Errors
    /// When the terminal is too simple for it.
    pub(super) fn start(typed: PathBuf) -> io::Result<Self> {
        let restore = Restore::take();
        let mut editor = DefaultEditor::new().map_err(io::Error::other)?;
        let printer = editor.create_external_printer().map_err(io::Error::other)?;
        // The first start has no history yet.
        let _ = editor.load_history(&typed);
        let (questions, asking) = std::sync::mpsc::channel();
        let (answering, answers) = mpsc::channel(1);
        let above = Arc::new(Above::default());
        let (shared, printing) = (Arc::clone(&above), Arc::clone(&above));
        std::thread::spawn(move || edit(editor, &typed, &asking, &answering, &shared));
        std::thread::spawn(move || printing.print_all(printer));
        Ok(Self { questions, answers, above, is_asked: false, _restore: restore })
    }

    /// Shows `prompt` and begins to take a line, which [`Editor::asked`] waits for.
    pub(super) fn ask(&mut self, prompt: String, kept: Kept) {
        self.is_asked = true;
        // A thread that is gone is told by `asked`.
        let _ = self.questions.send((prompt, kept));
    }

    /// What came of it.
    pub(super) async fn asked(&mut self) -> Asked {
        let asked = self.answers.recv().await.unwrap_or(Asked::End);
        self.is_asked = false;
        asked
    }

    /// Prints lines above the one that is being typed; otherwise they would land in the middle of it. It does not wait
    /// for that: lines that come too late are printed above the next one.
    pub(super) fn print(&self, lines: String) {
        self.above.print(lines);
    }

    /// What is to be printed above the next line, because it came too late for the last one.
    pub(super) fn late(&self) -> String {
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

fn edit(
    mut editor: DefaultEditor,
    typed: &Path,
    asking: &std::sync::mpsc::Receiver<Asking>,
    answering: &mpsc::Sender<Asked>,
    above: &Above,
) {
    while let Ok((prompt, kept)) = asking.recv() {
        above.open();
        let read = editor.readline(&prompt);
        above.close();
        let asked = match read {
            Ok(line) => {
                if kept == Kept::Yes && !line.trim().is_empty() {
                    // Losing the history of keys is not worth a word.
                    let _ = editor.add_history_entry(&line);
                    let _ = editor.save_history(typed);
                }
                Asked::Line(line)
            }
            Err(ReadlineError::Interrupted | ReadlineError::Signal(Signal::Interrupt)) => {
                Asked::Interrupted
            }
            Err(_) => Asked::End,
        };
        if answering.blocking_send(asked).is_err() {
            return;
        }
    }
}
