//! People's answers to questions. They wait for no turn: what a person allows or refuses counts at once.

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use protocol::{Code, SessionKey, Stopped};

use crate::message::Outgoing;
use crate::mind::Mind;
use crate::question::{Decision, Question};
use crate::session::{Caller, Outbox, Session};

/// A guest who answers a question hears this.
pub(crate) const GUESTS_ANSWER: &str = "only the owner answers questions, and has been asked";

impl Session {
    /// Passes a person's decision on to the router.
    pub(crate) async fn answer(&mut self, mind: &Mind, given: Decision, outbox: &Outbox) {
        let caller = Caller::of(self);
        Answered::of(mind, caller, given, outbox).await.note(self);
    }

    /// The questions that wait for a person: by the router's word, which also knows those from before a
    /// restart, or of an old router those that this session has seen.
    ///
    /// # Errors
    /// Why the router did not say.
    pub(crate) async fn open_questions(&self, mind: &Mind) -> Result<Vec<Question>, Stopped> {
        let open = mind.actions.owner.open(&Caller::of(self)).await?;
        Ok(open.unwrap_or_else(|| self.questions.clone()))
    }
}

/// What has become of an answer.
#[derive(Debug)]
pub(crate) struct Answered {
    given: Decision,
    /// The session in which the question was asked, as far as the router says.
    ended: Result<Option<SessionKey>, Stopped>,
}

impl Answered {
    /// Passes `given` on to the router, and says what has become of it.
    pub(crate) async fn of(mind: &Mind, caller: Caller, given: Decision, outbox: &Outbox) -> Self {
        let ended = if caller.session.is_owner() {
            mind.actions.owner.decide(&caller, &given).await
        } else {
            Err(Stopped::new(Code::Owner, GUESTS_ANSWER))
        };
        outbox.say(match &ended {
            Ok(_) => {
                let (id, how) = (given.id.clone(), given.settled(&caller.principal));
                Outgoing::Settled { id, how }
            }
            Err(stopped) => {
                Outgoing::Notice(format!("the answer did not count: {}", stopped.message))
            }
        });
        Self { given, ended }
    }

    /// Takes it into the session whose people have given it.
    pub(crate) fn note(self, session: &mut Session) {
        if let Ok(asked_in) = self.ended {
            session.questions.retain(|question| question.id != self.given.id);
            // What becomes of a guest's question is told to the guest.
            session.awaited += usize::from(asked_in.is_none_or(|key| key == session.key));
        }
    }
}

/// The answers that are on their way while a turn runs.
#[derive(Default)]
pub(crate) struct Answering<'a> {
    running: FuturesUnordered<BoxFuture<'a, Answered>>,
    done: Vec<Answered>,
}

impl<'a> Answering<'a> {
    /// Begins to pass an answer on.
    pub(crate) fn begin(&mut self, answered: impl Future<Output = Answered> + Send + 'a) {
        self.running.push(Box::pin(answered));
    }

    /// Goes on with them; never ends.
    pub(crate) async fn go_on(&mut self) {
        while let Some(answered) = self.running.next().await {
            self.done.push(answered);
        }
        std::future::pending().await
    }

    /// Waits for what is left, and gives all.
    pub(crate) async fn finish(mut self) -> Vec<Answered> {
        while let Some(answered) = self.running.next().await {
            self.done.push(answered);
        }
        self.done
    }
}
