//! The line editor, on a thread of its own: it waits for keys as long as it takes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustyline::DefaultEditor;
use rustyline::error::{ReadlineError, Signal};
use tokio::sync::mpsc;

use super::above::Above;
use super::restore::Restore;

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

/// What came of it, and what was to be printed above the line and was not.
pub(super) type Typed = (Asked, String);

/// Whether a line goes into the history of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Yes,
    No,
}

/// Asks for lines. Dropped in the middle of one, it leaves the terminal as it was found.
pub(super) struct Editor {
    questions: std::sync::mpsc::Sender<Asking>,
    answers: mpsc::Receiver<Typed>,
    above: Arc<Above>,
    _restore: Restore,
}

impl Editor {
    /// Starts the thread. `typed` is where the history of keys is kept.
    ///
    /// # Errors
    /// When the terminal is too simple for it.
    pub(super) fn start(typed: PathBuf) -> io::Result<Self> {
        let restore = Restore::take();
        let mut first = DefaultEditor::new().map_err(io::Error::other)?;
        first.create_external_printer().map_err(io::Error::other)?;
        let (questions, asking) = std::sync::mpsc::channel::<Asking>();
        let (answering, answers) = mpsc::channel(1);
        let above = Arc::new(Above::default());
        let shared = Arc::clone(&above);
        std::thread::spawn(move || {
            while let Ok((prompt, kept)) = asking.recv() {
                let asked = edit(&prompt, kept, &typed, &shared).unwrap_or(Asked::End);
                if answering.blocking_send((asked, shared.take())).is_err() {
                    return;
                }
            }
        });
        Ok(Self { questions, answers, above, _restore: restore })
    }

    /// Shows `prompt` and begins to take a line, which [`Editor::asked`] waits for.
    pub(super) fn ask(&self, prompt: String, kept: Kept) {
        // A thread that is gone is told by `asked`.
        let _ = self.questions.send((prompt, kept));
    }

    /// What came of it.
    pub(super) async fn asked(&mut self) -> Typed {
        self.answers.recv().await.unwrap_or((Asked::End, String::new()))
    }

    /// Prints lines above the one that is being typed; otherwise they would land in the middle of it. It does not wait
    /// for that; what was not printed in time comes with what was typed.
    pub(super) fn print(&self, lines: String) {
        self.above.print(lines);
    }
}

/// Takes one line. Each has an editor of its own: when it is dropped, whatever it has not printed is known.
fn edit(prompt: &str, kept: Kept, typed: &Path, above: &Arc<Above>) -> rustyline::Result<Asked> {
    let mut editor = DefaultEditor::new()?;
    // The first start has no history yet.
    let _ = editor.load_history(typed);
    let printing = above.open(editor.create_external_printer()?);
    let read = editor.readline(prompt);
    if let (Ok(line), Kept::Yes) = (&read, kept)
        && !line.trim().is_empty()
    {
        // Losing the history of keys is not worth a word.
        let _ = editor.add_history_entry(line).and_then(|_| editor.save_history(typed));
    }
    above.close();
    drop(editor);
    let _ = printing.join();
    Ok(match read {
        Ok(line) => Asked::Line(line),
        Err(ReadlineError::Interrupted | ReadlineError::Signal(Signal::Interrupt)) => {
            Asked::Interrupted
        }
        Err(_) => Asked::End,
    })
}
