//! Where one session's messages arrive: one turn at a time, in order, and each can be stopped.

use std::collections::VecDeque;
use std::time::Duration;

use protocol::Event;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Held, Outlet, Session};
use crate::channel::{Incoming, Outgoing, Said};
use crate::mind::Mind;
use crate::slash::{self, Slash};
use crate::turn::Turn;

/// How long the result of what a person has answered is waited for at the end: no router lets a call take
/// longer.
const LONGEST: Duration = Duration::from_secs(600);

/// One session with everything that it needs to answer.
pub struct Desk {
    /// What thinks and acts.
    pub mind: Mind,
    /// The conversation.
    pub session: Session,
    /// What people say.
    pub incoming: mpsc::Receiver<Incoming>,
    /// What the agent says.
    pub outlet: Outlet,
    /// What the router says on its own.
    pub events: mpsc::Receiver<Event>,
    /// Cancelled when the agent ends: the turn that runs is stopped then, and kept.
    pub leaving: CancellationToken,
}

/// What is attended to next.
enum Next {
    /// Somebody says something.
    Said(Incoming),
    /// A person has said yes to something that the agent does itself.
    Permitted(Held),
}

impl Desk {
    /// Serves the session until nobody can say anything any more.
    pub async fn run(mut self) {
        let mut waiting = VecDeque::new();
        while let Some(next) = self.next(&mut waiting).await {
            let incoming = match next {
                Next::Said(incoming) => incoming,
                Next::Permitted(held) => {
                    self.go_on(held, &mut waiting).await;
                    continue;
                }
            };
            self.session.principal = incoming.from.clone();
            match incoming.said {
                Said::Message(text) => {
                    let (ticket, from) = (incoming.ticket, incoming.from);
                    self.outlet.say(Outgoing::Begin { ticket, from, text: text.clone() });
                    self.session.entered.was_typed(&text);
                    self.take_turn(&text, &mut waiting).await;
                    self.mind.pass_notices_on(&self.outlet);
                    self.outlet.say(Outgoing::End);
                    // People have their answer; what they say next waits until this one is kept.
                    let _ = self.mind.keep(&self.session, &self.outlet).await;
                }
                Said::Answer(decision) => {
                    self.mind.answer(&mut self.session, decision, &self.outlet).await;
                }
                // There is no turn to stop.
                Said::Stop => {}
            }
        }
        self.hear_results().await;
        let _ = self.mind.keep(&self.session, &self.outlet).await;
    }

    /// Waits for what became of what was answered: who has nothing more to say wants to hear that still.
    async fn hear_results(&mut self) {
        let patience = tokio::time::sleep(LONGEST);
        tokio::pin!(patience);
        while self.session.awaited > 0 {
            tokio::select! {
                () = self.leaving.cancelled() => return,
                () = &mut patience => return,
                event = self.events.recv() => match event {
                    Some(event) => {
                        if let Some(held) = self.mind.hear(&mut self.session, event, &self.outlet) {
                            self.go_on(held, &mut VecDeque::new()).await;
                        }
                    }
                    None => return,
                },
            }
        }
    }

    /// The next thing to attend to; the router's events are taken in while nobody says anything.
    async fn next(&mut self, waiting: &mut VecDeque<Incoming>) -> Option<Next> {
        if let Some(incoming) = waiting.pop_front().filter(|_| !self.leaving.is_cancelled()) {
            return Some(Next::Said(incoming));
        }
        loop {
            tokio::select! {
                () = self.leaving.cancelled() => return None,
                incoming = self.incoming.recv() => return incoming.map(Next::Said),
                Some(event) = self.events.recv() => {
                    if let Some(held) = self.mind.hear(&mut self.session, event, &self.outlet) {
                        return Some(Next::Permitted(held));
                    }
                }
            }
        }
    }

    /// Answers one message, unless somebody wants it stopped.
    async fn take_turn(&mut self, text: &str, waiting: &mut VecDeque<Incoming>) {
        if self.finish_turn(text, waiting).await {
            return;
        }
        let said = std::mem::take(&mut self.session.said);
        if slash::parse(text).is_none() {
            self.mind.remember(text, &format!("{said} (stopped)"));
        }
        self.outlet.say(Outgoing::Notice("stopped".to_owned()));
    }

    /// Does what a person has said yes to, in the name of whoever wanted it, unless somebody wants it stopped.
    async fn go_on(&mut self, held: Held, waiting: &mut VecDeque<Incoming>) {
        self.session.principal = held.principal;
        let (mind, session, outlet) = (&self.mind, &mut self.session, &self.outlet);
        let done = Turn { mind, session, outlet }.go_on(held.action);
        if !unless_stopped(done, &mut self.incoming, &self.leaving, waiting).await {
            self.outlet.say(Outgoing::Notice("stopped".to_owned()));
        }
        let _ = self.mind.keep(&self.session, &self.outlet).await;
    }

    /// Runs a turn; `false` when it was stopped.
    async fn finish_turn(&mut self, text: &str, waiting: &mut VecDeque<Incoming>) -> bool {
        let (mind, session, outlet) = (&self.mind, &mut self.session, &self.outlet);
        let turn = async {
            match slash::parse(text) {
                Some(command) => command.run(mind, session, outlet).await,
                None => Turn { mind, session, outlet }.run(text).await,
            }
        };
        unless_stopped(turn, &mut self.incoming, &self.leaving, waiting).await
    }
}

/// Does something to its end; `false` when it was stopped. Whatever else comes meanwhile waits.
async fn unless_stopped(
    work: impl Future<Output = ()>,
    incoming: &mut mpsc::Receiver<Incoming>,
    leaving: &CancellationToken,
    waiting: &mut VecDeque<Incoming>,
) -> bool {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            () = &mut work => return true,
            () = leaving.cancelled() => return false,
            said = incoming.recv() => match said {
                // Dropping it ends the model's request and takes running commands back.
                Some(said) if is_stop(&said.said) => {
                    // The kill switch does not wait its turn.
                    if is_kill(&said.said) {
                        waiting.push_front(said);
                    }
                    return false;
                }
                Some(said) => waiting.push_back(said),
                // Nobody can say anything any more, but what runs is still wanted.
                None => {
                    work.await;
                    return true;
                }
            },
        }
    }
}

/// Whether somebody wants the turn that runs to end.
fn is_stop(said: &Said) -> bool {
    match said {
        Said::Stop => true,
        Said::Message(text) => slash::parse(text) == Some(Slash::Cancel) || is_kill(said),
        Said::Answer(_) => false,
    }
}

/// Whether somebody wants everything to end.
fn is_kill(said: &Said) -> bool {
    matches!(said, Said::Message(text) if slash::parse(text) == Some(Slash::Stop))
}
