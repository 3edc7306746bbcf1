//! What is printed above the line that is being typed, by a thread that may wait for the line editor.
//!
//! The editor's printer hands lines over to the editor's own loop, one text at a time, and waits while the one before has
//! not been fetched. Nobody fetches any more once Enter was pressed. So the conversation never calls the printer itself.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rustyline::ExternalPrinter;

/// Up one row and down again, which changes nothing on the screen. The editor has room for one text: when it has taken
/// this one, it has fetched the text before it.
const NOTHING: &str = "\x1b[A\n";

/// Lines on their way to the screen.
#[derive(Debug, Default)]
pub(crate) struct Above {
    lines: Mutex<Lines>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Lines {
    /// The first of them is being printed, if one is.
    waiting: VecDeque<String>,
    /// Whether a line is being typed.
    is_open: bool,
}

impl Above {
    /// Prints `lines` as soon as the editor takes them. It does not wait.
    pub(crate) fn print(&self, lines: String) {
        self.lines().waiting.push_back(lines);
        self.changed.notify_all();
    }

    /// A line is being typed from now on.
    pub(crate) fn open(&self) {
        self.lines().is_open = true;
        self.changed.notify_all();
    }

    /// No line is being typed until [`Self::open`] is called again.
    pub(crate) fn close(&self) {
        self.lines().is_open = false;
    }

    /// What was not printed by now.
    pub(crate) fn late(&self) -> String {
        self.lines().waiting.iter().map(String::as_str).collect()
    }

    /// Prints whatever comes while a line is typed, until the editor has gone.
    pub(crate) fn print_all(&self, mut printer: impl ExternalPrinter) {
        loop {
            let lines = self.next();
            let printed = printer.print(lines).and_then(|()| printer.print(NOTHING.to_owned()));
            if printed.is_err() {
                return;
            }
            self.lines().waiting.pop_front();
        }
    }

    /// The next lines, as soon as there are some and a line is typed.
    fn next(&self) -> String {
        let rest = |lines: &mut Lines| !lines.is_open || lines.waiting.is_empty();
        let lines = self.changed.wait_while(self.lines(), rest);
        let lines = lines.unwrap_or_else(PoisonError::into_inner);
        lines.waiting.front().cloned().unwrap_or_default()
    }

    // A std mutex, because it is never held across an await. Poisoned, it is still whole.
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::mpsc::{SyncSender, sync_channel};

    use super::*;

    /// An editor's printer: it has room for one text, and fails when the editor has gone.
    struct Printer(SyncSender<String>);

    impl ExternalPrinter for Printer {
        fn print(&mut self, text: String) -> rustyline::Result<()> {
            self.0.send(text).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe).into())
        }
    }

    #[test]
    fn whoever_prints_never_waits_and_what_comes_too_late_is_printed_above_the_next_line() {
        for fetched in 0..=3 {
            let (above, (sender, editor)) = (Arc::new(Above::default()), sync_channel(1));
            let printing = Arc::clone(&above);
            let thread = std::thread::spawn(move || printing.print_all(Printer(sender)));
            let mut shown = Vec::new();
            let mut fetch = || {
                shown.push(editor.recv().unwrap());
                // What follows tells nothing new.
                assert_eq!(editor.recv().unwrap(), NOTHING);
            };
            above.open();
            ["a\n", "b\n", "c\n"].into_iter().for_each(|line| above.print(line.to_owned()));
            (0..fetched).for_each(|_| fetch());
            above.close();
            if fetched < 3 {
                assert!("a\nb\nc\n".ends_with(&above.late()) && !above.late().is_empty());
            }
            above.open();
            (fetched..3).for_each(|_| fetch());
            assert_eq!(shown.concat(), "a\nb\nc\n", "{fetched} were fetched at first");
            drop(editor);
            above.print("d\n".to_owned());
            thread.join().unwrap();
            assert_eq!(above.late(), "d\n");
        }
    }
}
