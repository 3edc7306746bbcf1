//! What is printed above the line that is being typed, by a thread that may wait for the line editor.
//!
//! The editor's printer hands lines over to the editor's own loop, one at a time, and waits while the one before has not
//! been fetched. Nobody fetches any more once Enter was pressed. So the conversation never calls the printer itself.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rustyline::ExternalPrinter;

/// Up one row and down again, which changes nothing on the screen. The editor has room for one text: when it has taken
/// this one, it has fetched the text before it.
const NOTHING: &str = "\x1b[A\n";

/// Lines on their way to the screen.
#[derive(Debug, Default)]
pub(super) struct Above {
    lines: Mutex<Lines>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Lines {
    waiting: VecDeque<String>,
    /// Whether a line is being typed.
    is_open: bool,
}

impl Above {
    /// Prints `lines` as soon as the editor takes them. It does not wait.
    pub(super) fn print(&self, lines: String) {
        self.lines().waiting.push_back(lines);
        self.changed.notify_all();
    }

    /// Prints from now on what waits, until [`Self::close`] is called and the editor of `printer` is dropped.
    pub(super) fn open(
        self: &Arc<Self>,
        printer: impl ExternalPrinter + Send + 'static,
    ) -> JoinHandle<()> {
        self.lines().is_open = true;
        let above = Arc::clone(self);
        std::thread::spawn(move || above.print_all(printer))
    }

    /// Prints nothing more.
    pub(super) fn close(&self) {
        self.lines().is_open = false;
        self.changed.notify_all();
    }

    /// What was not printed.
    pub(super) fn take(&self) -> String {
        self.lines().waiting.drain(..).collect()
    }

    fn print_all(&self, mut printer: impl ExternalPrinter) {
        while let Some(lines) = self.next() {
            let printed = printer.print(lines.clone());
            if printed.and_then(|()| printer.print(NOTHING.to_owned())).is_err() {
                self.lines().waiting.push_front(lines);
                return;
            }
        }
    }

    /// The next lines, when there are some; `None` when nothing is printed any more.
    fn next(&self) -> Option<String> {
        let idle = |lines: &mut Lines| lines.is_open && lines.waiting.is_empty();
        let lines = self.changed.wait_while(self.lines(), idle);
        let mut lines = lines.unwrap_or_else(PoisonError::into_inner);
        lines.is_open.then(|| lines.waiting.pop_front()).flatten()
    }

    // A std mutex, because it is never held across an await. Poisoned, it is still whole.
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use super::*;

    /// An editor's printer: it has room for one text, and fails when the editor has gone.
    struct Printer(SyncSender<String>);

    impl ExternalPrinter for Printer {
        fn print(&mut self, text: String) -> rustyline::Result<()> {
            self.0.send(text).map_err(|_| std::io::Error::from(std::io::ErrorKind::Other).into())
        }
    }

    fn opened(above: &Arc<Above>) -> (Receiver<String>, JoinHandle<()>) {
        let (sender, fetched) = sync_channel(1);
        (fetched, above.open(Printer(sender)))
    }

    #[test]
    fn what_the_editor_has_not_fetched_is_given_back_in_its_order() {
        for fetches in 0..=3 {
            let above = Arc::new(Above::default());
            ["a\n", "b\n", "c\n"].into_iter().for_each(|line| above.print(line.to_owned()));
            let (editor, printing) = opened(&above);
            let mut shown = Vec::new();
            while shown.len() < fetches {
                shown.push(editor.recv().unwrap());
                // What follows tells nothing new.
                assert_eq!(editor.recv().unwrap(), NOTHING);
            }
            above.close();
            drop(editor);
            printing.join().unwrap();
            assert_eq!(shown.concat() + &above.take(), "a\nb\nc\n", "{fetches} were fetched");
        }
    }

    #[test]
    fn nothing_is_printed_when_no_line_is_typed_and_nobody_waits() {
        let above = Arc::new(Above::default());
        let (editor, printing) = opened(&above);
        above.close();
        printing.join().unwrap();
        above.print("late\n".to_owned());
        assert!(editor.try_recv().is_err());
        assert_eq!(above.take(), "late\n");
    }
}
