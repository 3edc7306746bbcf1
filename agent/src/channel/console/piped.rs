//! Lines from a pipe or a file: each is answered before the next one is read.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

use super::Console;
use super::input::{self, Typed};
use super::screen::Screen;
use crate::channel::{Incoming, Line, Outgoing, Said};

/// How much of a line is read into memory: enough to say how long it is, whatever its length.
const MOST_READ: u64 = 16 * 1024 * 1024;

pub(super) async fn run(console: Console, mut line: Line) -> io::Result<()> {
    let mut screen = Screen::new();
    let mut lines = lines();
    loop {
        let bytes = tokio::select! {
            bytes = lines.recv() => bytes,
            outgoing = line.outgoing.recv() => {
                let Some(outgoing) = outgoing else { return Ok(()) };
                screen.show(&outgoing)?;
                continue;
            }
        };
        let message = match bytes.map(|bytes| input::read(&bytes)) {
            None | Some(Typed::Quit) => return Ok(()),
            Some(Typed::Nothing(why)) => {
                screen.show(&Outgoing::Notice(why))?;
                continue;
            }
            Some(Typed::Message(text, remark)) => {
                if let Some(remark) = remark {
                    screen.show(&Outgoing::Notice(remark.to_owned()))?;
                }
                text
            }
        };
        let incoming = Incoming { from: console.principal.clone(), said: Said::Message(message) };
        if line.incoming.send(incoming).await.is_err() || !answered(&mut line, &mut screen).await? {
            return Ok(());
        }
    }
}

/// Shows the answer to its end; `false` when the agent has gone.
async fn answered(line: &mut Line, screen: &mut Screen) -> io::Result<bool> {
    while let Some(outgoing) = line.outgoing.recv().await {
        match outgoing {
            // There is nobody to ask. It stays pending, and its line has said so.
            Outgoing::Question { .. } => {}
            Outgoing::End => {
                screen.show(&outgoing)?;
                return Ok(true);
            }
            other => screen.show(&other)?,
        }
    }
    Ok(false)
}

/// The lines of stdin, read by a thread of its own: a read of stdin can't be taken back.
fn lines() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match stdin.by_ref().take(MOST_READ).read_until(b'\n', &mut line) {
                Ok(1..) if sender.blocking_send(line).is_ok() => {}
                _ => return,
            }
        }
    });
    receiver
}
