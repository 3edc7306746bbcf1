//! How a command begins and ends on the server: at its end its reply is kept and sent, and the router lets go of it.

use protocol::{Code, MessageId, Outcome, REPLY_TTL_MS, Reply};
use redis::RedisError;

use super::hands::Held;
use super::letter;
use super::life::Life;
use super::link::BackOff;
use super::scripts::{BEGINS, FINISH, KEEP, LET_GO, PUT_BACK, SEND};
use crate::failpoint::{self, Point};
use crate::responder::Ending;

/// What is written for an ending.
struct Words {
    reply: Vec<u8>,
    letter: Option<Vec<u8>>,
}

impl Life {
    /// Ends a command in hand, through as many failures of the server as it takes. Until that is done its slot
    /// stays taken.
    pub(super) async fn end(&self, held: Held, ending: Ending) {
        let words = match ending {
            Ending::PutBack { begun, .. } => {
                if !begun {
                    self.begun.forget(&held.seal.mac);
                }
                self.until_done(|| self.put_back(&held, begun)).await;
                return self.hands.let_go(held.field);
            }
            // It is another router's, and this one only stopped because of that.
            Ending::Reply(reply) if held.lost.is_cancelled() && was_stopped(&reply) => {
                return self.hands.let_go(held.field);
            }
            Ending::Known(reply) => Words { reply, letter: None },
            Ending::Reply(reply) => {
                let letter = letter::of(&held, &reply, self.clock.now());
                Words { reply: self.sealed(&held, &reply), letter }
            }
        };
        failpoint::pass(Point::BeforeFinish);
        self.until_done(|| self.finish(&held, &words)).await;
        failpoint::pass(Point::AfterFinish);
        self.hands.let_go(held.field);
    }

    /// Says that a command begins; false when it is another router's by now.
    pub(super) async fn begins(&self, held: &Held) -> bool {
        let mut back_off = BackOff::new();
        loop {
            let mut begins = BEGINS.key(self.keys.work(&held.router));
            match begins.arg(held.field).invoke_async::<u8>(&mut self.commands()).await {
                Ok(0) => {
                    self.hands.lose(held.field);
                    return false;
                }
                Ok(_) => return true,
                Err(error) => self.say_down(&error),
            }
            back_off.pause().await;
        }
    }

    pub(super) async fn until_done<F>(&self, step: impl Fn() -> F)
    where
        F: Future<Output = Result<(), RedisError>>,
    {
        let mut back_off = BackOff::new();
        while let Err(error) = step().await {
            self.say_down(&error);
            back_off.pause().await;
        }
    }

    async fn finish(&self, held: &Held, words: &Words) -> Result<(), RedisError> {
        match &held.id {
            Some(id) if self.commands().is_cluster() || failpoint::in_steps() => {
                self.finish_in_steps(held, id, words).await
            }
            id => self.finish_at_once(held, id.as_ref(), words).await,
        }
    }

    async fn finish_at_once(
        &self,
        held: &Held,
        id: Option<&MessageId>,
        words: &Words,
    ) -> Result<(), RedisError> {
        let mut finish = FINISH.key(self.keys.work(&held.router));
        finish.key(&self.keys.letters);
        if let Some(id) = id {
            finish.key(self.keys.state(id)).key(self.keys.names.reply(id));
        }
        finish.arg(held.field).arg(&words.reply).arg(self.remembered(&held.seal));
        finish.arg(words.letter.as_deref().unwrap_or_default()).arg(letter::MOST);
        finish.arg(REPLY_TTL_MS).invoke_async(&mut self.commands()).await
    }

    /// On a cluster the reply's key lives elsewhere. Each step may be repeated after a crash: after the first
    /// one a redelivery is answered with what was kept.
    async fn finish_in_steps(
        &self,
        held: &Held,
        id: &MessageId,
        words: &Words,
    ) -> Result<(), RedisError> {
        let work = self.keys.work(&held.router);
        let mut keep = KEEP.key(&work);
        keep.key(&self.keys.letters).key(self.keys.state(id));
        keep.arg(held.field).arg(&words.reply).arg(self.remembered(&held.seal));
        keep.arg(words.letter.as_deref().unwrap_or_default()).arg(letter::MOST);
        let counts: Option<Vec<u8>> = keep.invoke_async(&mut self.commands()).await?;
        let Some(reply) = counts else { return Ok(()) };
        failpoint::pass(Point::Kept);
        let mut send = SEND.key(self.keys.names.reply(id));
        send.arg(reply).arg(REPLY_TTL_MS).invoke_async::<()>(&mut self.commands()).await?;
        failpoint::pass(Point::Sent);
        LET_GO.key(&work).arg(held.field).invoke_async(&mut self.commands()).await
    }

    async fn put_back(&self, held: &Held, begun: bool) -> Result<(), RedisError> {
        let mut put_back = PUT_BACK.key(self.keys.work(&held.router));
        put_back.key(&self.keys.again).arg(&*held.router).arg(&self.keys.states);
        put_back.arg(held.field).arg(u8::from(!begun));
        put_back.invoke_async(&mut self.commands()).await
    }
}

/// Whether a reply only says that the command was stopped before its end.
fn was_stopped(reply: &Reply) -> bool {
    matches!(&reply.outcome, Outcome::Stopped(stopped)
        if matches!(stopped.code, Code::Cancelled | Code::Interrupted))
}
