//! A person at a terminal where no line is edited, because it is too simple or because a screen reader reads it: whole
//! lines in, and out what is said, with nothing that moves. Here, too, a line counts while an answer comes.

use std::io;

use super::exchange::{Exchange, LAST_WORDS, Taken};
use super::piped;
use super::unanswered::Unanswered;
use crate::{Outgoing, Said};

/// Talks until the person, or the agent, has ended it.
pub(super) async fn run(mut exchange: Exchange) -> io::Result<()> {
    let mut lines = piped::lines();
    let mut unanswered = Unanswered::default();
    let (mut is_asked, mut is_stopping) = (false, false);
    let mut hidden = Hidden::default();
    loop {
        if unanswered.is_empty() && !is_asked {
            exchange.screen.prompt()?;
            (is_asked, is_stopping) = (true, false);
        }
        tokio::select! {
            line = lines.recv() => {
                let Some(line) = line else { return exchange.leave(LAST_WORDS).await };
                hidden = Hidden::default();
                exchange.screen.was_typed();
                is_asked = false;
                match exchange.begin(&line).await? {
                    Taken::Said(ticket) => unanswered.push(ticket),
                    Taken::Nothing => {}
                    Taken::Quit => return exchange.leave(LAST_WORDS).await,
                    Taken::Over => return Ok(()),
                }
            }
            said = exchange.line.outgoing.recv() => {
                let Some(said) = said else { return Ok(()) };
                let has_ended = matches!(said.outgoing, Outgoing::End);
                if let Some(outgoing) = unanswered.hear(said.outgoing) {
                    hidden.hear(&outgoing);
                    // No word answers a question here: a line may have been typed before it was there.
                    exchange.screen.show(&outgoing)?;
                    if matches!(outgoing, Outgoing::Question(_)) {
                        exchange.screen.ring()?;
                    }
                    is_asked &= exchange.screen.is_prompted();
                }
                if has_ended {
                    unanswered.end();
                }
            }
            () = exchange.interrupts.next() => {
                if unanswered.is_empty() || is_stopping {
                    return exchange.leave(LAST_WORDS).await;
                }
                is_stopping = true;
                if exchange.send(Said::Stop).await.is_none() {
                    return Ok(());
                }
            }
        }
    }
}

/// The terminal shows nothing of what is typed while a question wants a PIN.
#[derive(Debug, Default)]
struct Hidden {
    unseen: Option<keyboard::Unseen>,
    /// The questions that want it.
    wanted: Vec<String>,
}

impl Hidden {
    /// Takes in what is about to be shown.
    fn hear(&mut self, outgoing: &Outgoing) {
        match outgoing {
            Outgoing::Question(question) if question.wants_pin => {
                // Once: another one would find the terminal silent, and leave it so.
                self.unseen.get_or_insert_with(keyboard::Unseen::take);
                self.wanted.push(question.id.clone());
            }
            Outgoing::Settled { id, .. } => {
                self.wanted.retain(|other| other != id);
                self.unseen.take_if(|_| self.wanted.is_empty());
            }
            _ => {}
        }
    }
}
