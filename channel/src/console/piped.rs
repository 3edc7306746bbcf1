//! Lines from a pipe or a file: each is answered before the next one is read.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use tokio::sync::mpsc;

use super::exchange::{Exchange, Heard};
use crate::Outgoing;

/// How much of a line is kept: enough to say that it is too long, and about how long.
const MOST_KEPT: u64 = 16 * 1024 * 1024;

/// How long the result of what was approved is waited for at the end; the session itself waits no longer for
/// it than a call can take, and not at all for what nobody has answered.
pub(super) const RESULTS: Duration = Duration::from_secs(660);

/// Takes all lines, and waits for what was approved.
pub(super) async fn run(mut exchange: Exchange) -> io::Result<()> {
    let mut lines = lines();
    let mut was_said = false;
    loop {
        let bytes = tokio::select! {
            bytes = lines.recv() => bytes,
            () = exchange.interrupts.next() => return exchange.leave(RESULTS).await,
            said = exchange.line.outgoing.recv() => {
                let Some(said) = said else { return Ok(()) };
                exchange.screen.show(&said.outgoing)?;
                continue;
            }
        };
        let Some(bytes) = bytes else {
            // Whoever has said nothing by the end, as /dev/null, does not want anything ended either.
            return if was_said {
                exchange.leave(RESULTS).await
            } else {
                exchange.step_back().await
            };
        };
        was_said = true;
        match exchange.say(&bytes).await? {
            Heard::Over => return Ok(()),
            Heard::Quit => return exchange.leave(RESULTS).await,
            // Nobody here answers by a word: a line may have been written before the question was there.
            Heard::Answer(questions) | Heard::Stopped(questions) => {
                for question in questions {
                    exchange.screen.show(&Outgoing::Question(question))?;
                }
            }
        }
    }
}

/// The lines of stdin with their ends, read by a thread of its own: a read of stdin can't be taken back.
pub(super) fn lines() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Ok(line @ [_, ..]) = read_line(&mut stdin).as_deref()
            && sender.blocking_send(line.to_vec()).is_ok()
        {}
    });
    receiver
}

/// The next line with its end; nothing at the end of the input. What is beyond the limit is passed over, so
/// that it is not taken for a line of its own.
fn read_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    input.by_ref().take(MOST_KEPT).read_until(b'\n', &mut line)?;
    if line.len() as u64 == MOST_KEPT && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_line_that_is_too_long_is_no_line_of_its_own() {
        let mut text = vec![b'x'; usize::try_from(MOST_KEPT).unwrap() + 5];
        text.extend_from_slice(b"\nnext\nlast");
        let mut input = text.as_slice();
        assert_eq!(read_line(&mut input).unwrap().len() as u64, MOST_KEPT);
        assert_eq!(read_line(&mut input).unwrap(), b"next\n");
        assert_eq!(read_line(&mut input).unwrap(), b"last");
        assert_eq!(read_line(&mut input).unwrap(), b"");
    }
}
