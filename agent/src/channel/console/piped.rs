//! Lines from a pipe or a file: each is answered before the next one is read.

use std::io::{self, BufRead, Read};

use tokio::sync::mpsc;

use super::exchange::{Exchange, Heard};

/// How much of a line is read into memory: enough to say how long it is, whatever its length.
const MOST_READ: u64 = 16 * 1024 * 1024;

pub(super) async fn run(mut exchange: Exchange) -> io::Result<()> {
    let mut lines = lines();
    loop {
        let bytes = tokio::select! {
            bytes = lines.recv() => bytes,
            () = exchange.interrupts.next() => None,
            outgoing = exchange.line.outgoing.recv() => {
                let Some(outgoing) = outgoing else { return Ok(()) };
                exchange.screen.show(&outgoing)?;
                continue;
            }
        };
        let Some(bytes) = bytes else { return Ok(()) };
        // Questions find nobody here. They stay pending, and the actions' lines have said so.
        if let Heard::Over = exchange.say(&bytes).await? {
            return Ok(());
        }
    }
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
