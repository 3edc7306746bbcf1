//! Takes the terminal for a conversation and gives it back as it was found, however that ends.

use std::io::{self, Write};

use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcsetattr,
};

/// Turns bracketed paste off, which the line editor turns on for each line (xterm's control sequences).
const PASTE_AS_TYPED: &[u8] = b"\x1b[?2004l";

/// The terminal's settings at the time it was taken. Dropping this brings them back.
#[derive(Debug)]
pub(crate) struct Restore(Option<Termios>);

impl Restore {
    /// Takes the terminal: the keys that are pressed while the agent speaks don't show in the middle of its
    /// words: the first one opens the line editor, which shows them itself.
    pub(crate) fn take() -> Self {
        let found = tcgetattr(io::stdin()).ok();
        if let Some(found) = &found {
            quieten(found.clone());
        }
        Self(found)
    }

    /// Brings them back for another program, until what is given is dropped.
    pub(crate) fn lend(&self) -> Lent {
        if let Some(found) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, found);
        }
        Lent(self.0.clone())
    }
}

/// The terminal while another program has it. Dropping this takes it back.
#[derive(Debug)]
pub struct Lent(Option<Termios>);

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(found) = self.0.take() {
            quieten(found);
        }
    }
}

/// Each key can be noticed as it comes, and none shows; Ctrl-C stays a signal.
fn quieten(mut found: Termios) {
    found.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
    found.special_codes[SpecialCodeIndex::VMIN] = 1;
    found.special_codes[SpecialCodeIndex::VTIME] = 0;
    // A terminal that refuses echoes, which is ugly and no more.
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &found);
}

/// A terminal that shows nothing of what is typed. Dropping this has it show that again.
#[derive(Debug)]
pub struct Unseen(Option<Termios>);

impl Unseen {
    /// Has the terminal show nothing more, if there is one.
    #[must_use]
    pub fn take() -> Self {
        let found = tcgetattr(io::stdin()).ok();
        if let Some(mut unseen) = found.clone() {
            unseen.local_modes.remove(LocalModes::ECHO);
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &unseen);
        }
        Self(found)
    }
}

impl Drop for Unseen {
    fn drop(&mut self) {
        if let Some(found) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, found);
        }
    }
}

/// Throws away the keys that were pressed before now: they can't be the answer to what is asked now.
pub fn forget_keys() {
    // Without a terminal there are none.
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

/// Whether the line editor has the terminal: Ctrl-C is a key then.
pub(crate) fn is_edited() -> bool {
    tcgetattr(io::stdin()).is_ok_and(|now| !now.local_modes.contains(LocalModes::ISIG))
}

impl Drop for Restore {
    fn drop(&mut self) {
        let Some(found) = &self.0 else { return };
        if is_edited() {
            // The line editor was cut off in the middle of a line; nobody else tidies up behind it.
            let mut stdout = io::stdout();
            let _ = stdout.write_all(PASTE_AS_TYPED).and_then(|()| stdout.write_all(b"\r\n"));
            let _ = stdout.flush();
        }
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, found);
    }
}
