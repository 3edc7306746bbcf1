//! One thing said and its answer, the same at a terminal and on a pipe.

use std::io;
use std::time::Duration;

use protocol::{Principal, SessionKey};

use super::input::{self, Typed};
use super::interrupts::Interrupts;
use super::screen::Screen;
use crate::channel::{Incoming, Line, Outgoing, Said, Ticket};
use crate::question::Question;

/// How long the agent may take to its last words when a person at a terminal wants to end it.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(2);

/// Says things to the agent and shows what it answers.
#[derive(Debug)]
pub(super) struct Exchange {
    session: SessionKey,
    from: Principal,
    pub(super) line: Line,
    pub(super) screen: Screen,
    pub(super) interrupts: Interrupts,
}

/// What has become of something said.
#[derive(Debug)]
pub(super) enum Heard {
    /// It is answered, perhaps with questions.
    Answer(Vec<Question>),
    /// A person has stopped the answer; what was asked before that still waits.
    Stopped(Vec<Question>),
    /// A person wants to end it, and nothing runs.
    Quit,
    /// The conversation is over.
    Over,
}

impl Exchange {
    pub(super) fn new(session: SessionKey, from: Principal, line: Line) -> io::Result<Self> {
        Ok(Self { session, from, line, screen: Screen::new(), interrupts: Interrupts::new()? })
    }

    /// Takes one line as it was typed, and shows its answer to the end.
    pub(super) async fn say(&mut self, typed: &[u8]) -> io::Result<Heard> {
        match input::read(typed) {
            Typed::Quit => Ok(Heard::Quit),
            Typed::Nothing(why) => {
                self.screen.show(&Outgoing::Notice(why))?;
                Ok(Heard::Answer(Vec::new()))
            }
            Typed::Message(text, remark) => {
                if let Some(remark) = remark {
                    self.screen.show(&Outgoing::Notice(remark.to_owned()))?;
                }
                self.interrupts.forget();
                if !self.send(Said::Message(text)).await {
                    return Ok(Heard::Over);
                }
                self.listen().await
            }
        }
    }

    /// Sends it; `false` when the agent has gone.
    pub(super) async fn send(&self, said: Said) -> bool {
        let (session, from) = (self.session.clone(), self.from.clone());
        let incoming = Incoming { ticket: Ticket::new(), session, from, said };
        self.line.incoming.send(incoming).await.is_ok()
    }

    /// What the agent says next; `None` when it has gone.
    pub(super) async fn hear(&mut self) -> Option<Outgoing> {
        self.line.outgoing.recv().await.map(|addressed| addressed.outgoing)
    }

    /// Lets the agent end when nothing runs, and shows what it still has to say, such as that something
    /// could not be kept, for as long as `patience`. An interrupt is for those in a hurry.
    pub(super) async fn leave(self, patience: Duration) -> io::Result<()> {
        let Self { line: Line { incoming, mut outgoing }, mut screen, mut interrupts, .. } = self;
        drop(incoming);
        let last_words = async {
            while let Some(last) = outgoing.recv().await {
                screen.show(&last.outgoing)?;
            }
            Ok(())
        };
        tokio::select! {
            shown = last_words => shown,
            () = interrupts.next() => Ok(()),
            () = tokio::time::sleep(patience) => Ok(()),
        }
    }

    /// Shows an answer to its end. An interrupt stops it, a second one everything.
    async fn listen(&mut self) -> io::Result<Heard> {
        let mut stopping = false;
        let mut questions = Vec::new();
        loop {
            tokio::select! {
                outgoing = self.line.outgoing.recv() => match outgoing.map(|said| said.outgoing) {
                    None => return Ok(Heard::Over),
                    Some(Outgoing::Question(question)) => questions.push(question),
                    Some(Outgoing::End) => break,
                    Some(other) => self.screen.show(&other)?,
                },
                () = self.interrupts.next() => {
                    if stopping || !self.send(Said::Stop).await {
                        return Ok(Heard::Over);
                    }
                    stopping = true;
                }
            }
        }
        self.screen.show(&Outgoing::End)?;
        Ok(if stopping { Heard::Stopped(questions) } else { Heard::Answer(questions) })
    }
}
