//! One message and its answer, without a conversation: what `safeclaw -p TEXT` does.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::exchange::{Exchange, Heard, Taken};
use crate::Outgoing;

/// What has become of a single message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// It was answered, and what it wanted was done.
    #[default]
    Answered,
    /// It was not, or not all of it.
    Failed,
    /// Something waits for a person's yes.
    Open,
}

/// A message that is said once the agent listens, and its outcome.
#[derive(Debug, Clone, Default)]
pub struct OneMessage {
    /// What is said.
    pub text: String,
    /// Whether what is done stands on stderr, and the answer alone on stdout.
    deeds_aside: bool,
    outcome: Arc<Mutex<Outcome>>,
}

impl OneMessage {
    /// This text.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self { text, deeds_aside: false, outcome: Arc::default() }
    }

    /// The same, and what is done stands on stderr.
    #[must_use]
    pub fn with_deeds_aside(self) -> Self {
        Self { deeds_aside: true, ..self }
    }

    /// What has become of it by now.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ends(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = outcome;
    }
}

/// Says it, shows the answer, and ends the agent.
pub(super) async fn run(mut exchange: Exchange, message: &OneMessage) -> io::Result<()> {
    message.ends(Outcome::Failed);
    exchange.screen.deeds_aside = message.deeds_aside;
    let Taken::Said(ticket) = exchange.begin(message.text.as_bytes()).await? else {
        return Ok(());
    };
    let outcome = match exchange.listen(ticket).await? {
        Heard::Answer(questions) if questions.is_empty() => match exchange.has_failed() {
            false => Outcome::Answered,
            true => Outcome::Failed,
        },
        Heard::Answer(questions) => {
            for question in questions {
                // It is no part of the answer, which may go into a file.
                exchange.screen.show(&Outgoing::Notice(question.pending(settings::words())))?;
                let answer = home::command(&format!("-p \"/approve {}\"", question.short()));
                let told = settings::words().fill("say.fromShell", &[("command", &answer)]);
                exchange.screen.show(&Outgoing::Notice(told))?;
            }
            Outcome::Open
        }
        Heard::Stopped(_) | Heard::Quit | Heard::Over => Outcome::Failed,
    };
    message.ends(outcome);
    // What was approved has its result later than the answer.
    if exchange.hear_out(super::piped::RESULTS).await? && outcome == Outcome::Answered {
        message.ends(Outcome::Failed);
    }
    Ok(())
}
