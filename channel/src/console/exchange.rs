//! One thing said and its answer, the same at a terminal and on a pipe.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use conversation::question::Question;
use protocol::{Principal, SessionKey, Status};
use tokio_util::sync::CancellationToken;

use super::dim_line::DimLine;
use super::input::{self, Typed};
use super::interrupts::Interrupts;
use super::own_editor::OwnEditor;
use super::screen::Screen;
use crate::{Incoming, Line, Origin, Outgoing, Said, Ticket};

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
    pub(super) dim: DimLine,
    pub(super) editor: Option<Arc<dyn OwnEditor>>,
    /// Whether something was not done of what was said last.
    failed: bool,
}

/// What a line was.
#[derive(Debug)]
pub(super) enum Taken {
    /// Something said, known by this mark from now on.
    Said(Ticket),
    /// Nothing that can be said, which was told.
    Nothing,
    /// The wish to end.
    Quit,
    /// It can't be said any more: the agent has gone.
    Over,
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
        let super::Console { session, principal: from, quit, dim, editor, .. } = console;
        let (screen, interrupts) = (Screen::new(), Interrupts::new()?);
        Ok(Self { session, from, quit, line, screen, interrupts, dim, editor, failed: false })
    }

    /// Takes one line as it was typed, and shows its answer to the end.
    pub(super) async fn say(&mut self, typed: &[u8]) -> io::Result<Heard> {
        match self.begin(typed).await? {
            Taken::Said(ticket) => self.listen(ticket).await,
            Taken::Nothing => Ok(Heard::Answer(Vec::new())),
            Taken::Quit => Ok(Heard::Quit),
            Taken::Over => Ok(Heard::Over),
        }
    }

    /// Takes one line as it was typed, whose answer is still to come.
    pub(super) async fn begin(&mut self, typed: &[u8]) -> io::Result<Taken> {
        let (text, remark) = match input::read(typed) {
            Typed::Quit => return Ok(Taken::Quit),
            Typed::Nothing(why) => {
                self.screen.show(&Outgoing::Notice(why))?;
                return Ok(Taken::Nothing);
            }
            Typed::Message(text, remark) => (text, remark),
        };
        if let Some(remark) = remark {
            self.screen.show(&Outgoing::Notice(settings::words().get(remark).to_owned()))?;
        }
        self.interrupts.forget();
        self.failed = false;
        Ok(match self.send(Said::typed(text)).await {
            None => Taken::Over,
            Some(ticket) => Taken::Said(ticket),
        })
    }

    /// Whether the PIN that `question` wants is that of whoever types here.
    pub(super) fn has_asked(&self, question: &Question) -> bool {
        question.wants_pin_of(&self.session, &self.from)
    }

    /// Whether something was not done of what was said last.
    pub(super) fn has_failed(&self) -> bool {
        self.failed
    }

    /// Sends it, and gives the mark that it is known by; `None` when the agent has gone.
    pub(super) async fn send(&self, said: Said) -> Option<Ticket> {
        let (session, from) = (self.session.clone(), self.from.clone());
        let ticket = Ticket::new();
        let incoming = Incoming { ticket, session, from, origin: Origin::Person, said };
        self.line.incoming.send(incoming).await.ok().map(|()| ticket)
    }

    /// Lets the agent end when nothing runs, and shows what it still has to say, such as that something
    /// could not be kept, for as long as `patience`. An interrupt is for those in a hurry.
    pub(super) async fn leave(self, patience: Duration) -> io::Result<()> {
        self.hear_out(patience).await.map(drop)
    }

    /// The same; says whether something has failed meanwhile, as what was approved may.
    pub(super) async fn hear_out(self, patience: Duration) -> io::Result<bool> {
        let Self { line: Line { incoming, mut outgoing }, mut screen, mut interrupts, .. } = self;
        self.quit.cancel();
        drop(incoming);
        let mut has_failed = false;
        let last_words = async {
            while let Some(last) = outgoing.recv().await {
                has_failed |= match &last.outgoing {
                    Outgoing::Action(ended) => {
                        matches!(ended.status, Status::Error | Status::Expired)
                    }
                    said => matches!(said, Outgoing::Failed),
                };
                screen.show(&last.outgoing)?;
            }
            Ok(())
        };
        let shown: io::Result<()> = tokio::select! {
            shown = last_words => shown,
            () = interrupts.next() => Ok(()),
            () = tokio::time::sleep(patience) => Ok(()),
        };
        shown.map(|()| has_failed)
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
    pub(super) async fn listen(&mut self, ticket: Ticket) -> io::Result<Heard> {
        let (mut begun, mut stopping) = (false, false);
        let mut questions = Vec::new();
        loop {
            tokio::select! {
                outgoing = self.line.outgoing.recv() => match outgoing.map(|said| said.outgoing) {
                    None => return Ok(Heard::Over),
                    Some(Outgoing::Begin { ticket: now, .. }) if now == ticket => begun = true,
                    Some(Outgoing::Queued { ticket: now, ahead }) if now == ticket => {
                        let told = crate::queued(settings::words(), ahead);
                        self.screen.show(&Outgoing::Notice(told))?;
                    }
                    Some(Outgoing::Refused { ticket: now, why }) if now == ticket => {
                        self.screen.show(&Outgoing::Notice(why))?;
                        self.failed = true;
                        break;
                    }
                    // Another channel's turn runs, and this need not wait for it.
                    Some(Outgoing::Aside { ticket: now, text }) if now == ticket => {
                        self.screen.show(&Outgoing::Text(text))?;
                        break;
                    }
                    Some(Outgoing::Question(question)) => questions.push(question),
                    Some(Outgoing::End) if begun => break,
                    Some(Outgoing::Failed) if begun => self.failed = true,
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
