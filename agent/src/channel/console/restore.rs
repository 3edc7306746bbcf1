//! Gives the terminal back as it was found, however the conversation ends.

use std::io::{self, Write};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// Turns bracketed paste off, which the line editor turns on for each line (xterm's control sequences).
const PASTE_AS_TYPED: &[u8] = b"\x1b[?2004l";

/// The terminal's settings at the time this was made. Dropping it brings them back.
pub(super) struct Restore(Option<Termios>);

impl Restore {
    pub(super) fn new() -> Self {
        Self(tcgetattr(io::stdin()).ok())
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        let (Some(found), Ok(now)) = (&self.0, tcgetattr(io::stdin())) else { return };
        if found.local_modes == now.local_modes {
            return;
        }
        // The line editor was cut off in the middle of a line, so nobody else tidies up behind it.
        let mut stdout = io::stdout();
        let _ = stdout.write_all(PASTE_AS_TYPED).and_then(|()| stdout.write_all(b"\r\n"));
        let _ = stdout.flush();
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, found);
    }
}
