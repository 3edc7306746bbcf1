//! One thing said and its answer, the same at a terminal and on a pipe.

use std::io;
use std::time::Duration;

use protocol::{Principal, SessionKey};
use tokio_util::sync::CancellationToken;

use super::input::{self, Typed};
use super::interrupts::Interrupts;
use super::screen::Screen;
use crate::channel::{Incoming, Line, Origin, Outgoing, Said, Ticket};
use crate::question::Question;

/// How long the agent may take to its last words when a person at a terminal wants to end it.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(2);

/// Says things to the agent and shows what it answers.
#[derive(Debug)]
pub(super) struct Exchange {
    session: SessionKey,
    from: Principal,
    /// Cancelled when the person here wants the agent to end.
    quit: CancellationToken,
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
    pub(super) fn new(console: super::Console, line: Line) -> io::Result<Self> {
        let super::Console { session, principal: from, quit, .. } = console;
        let (screen, interrupts) = (Screen::new(), Interrupts::new()?);
        Ok(Self { session, from, quit, line, screen, interrupts })
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
                match self.send(Said::typed(text)).await {
                    Some(ticket) => self.listen(ticket).await,
                    None => Ok(Heard::Over),
                }
            }
        }
    }

    /// Sends it, and gives the mark that it is known by; `None` when the agent has gone.
    pub(super) async fn send(&self, said: Said) -> Option<Ticket> {
        let (session, from) = (self.session.clone(), self.from.clone());
        let ticket = Ticket::new();
        let incoming = Incoming { ticket, session, from, origin: Origin::Person, said };
        self.line.incoming.send(incoming).await.ok().map(|()| ticket)
    }

    /// What the agent says next; `None` when it has gone.
    pub(super) async fn hear(&mut self) -> Option<Outgoing> {
        self.line.outgoing.recv().await.map(|addressed| addressed.outgoing)
    }

    /// Lets the agent end when nothing runs, and shows what it still has to say, such as that something
    /// could not be kept, for as long as `patience`. An interrupt is for those in a hurry.
    pub(super) async fn leave(self, patience: Duration) -> io::Result<()> {
        let Self { line: Line { incoming, mut outgoing }, mut screen, mut interrupts, .. } = self;
        self.quit.cancel();
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

    /// Says nothing more where nobody can be, as under a service, and leaves the agent to its other channels. What is
    /// wrong with it is still shown; what people say elsewhere is not for a log.
    pub(super) async fn step_back(self) -> io::Result<()> {
        let Self {
            line: Line { incoming, mut outgoing }, mut screen, mut interrupts, quit, ..
        } = self;
        drop(incoming);
        loop {
            tokio::select! {
                said = outgoing.recv() => match said.map(|said| said.outgoing) {
                    None => return Ok(()),
                    Some(notice @ Outgoing::Notice(_)) => screen.show(&notice)?,
                    Some(_) => {}
                },
                () = interrupts.next() => quit.cancel(),
            }
        }
    }

    /// Shows the answer to what was sent as `ticket` to its end, and what is said before it to others. An interrupt
    /// stops what runs, a second one everything.
    async fn listen(&mut self, ticket: Ticket) -> io::Result<Heard> {
        let (mut begun, mut stopping) = (false, false);
        let mut questions = Vec::new();
        loop {
            tokio::select! {
                outgoing = self.line.outgoing.recv() => match outgoing.map(|said| said.outgoing) {
                    None => return Ok(Heard::Over),
                    Some(Outgoing::Begin { ticket: now, .. }) if now == ticket => begun = true,
                    Some(Outgoing::Queued { ticket: now, ahead }) if now == ticket => {
                        let told = format!("it waits until {ahead} more are answered");
                        self.screen.show(&Outgoing::Notice(told))?;
                    }
                    Some(Outgoing::Refused { ticket: now, why }) if now == ticket => {
                        self.screen.show(&Outgoing::Notice(why))?;
                        break;
                    }
                    Some(Outgoing::Question(question)) => questions.push(question),
                    Some(Outgoing::End) if begun => break,
                    Some(other) => {
                        if let Outgoing::Settled { id, .. } = &other {
                            questions.retain(|question: &Question| question.id != *id);
                        }
                        self.screen.show(&other)?;
                    }
                },
                () = self.interrupts.next() => {
                    if stopping || self.send(Said::Stop).await.is_none() {
                        self.quit.cancel();
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
