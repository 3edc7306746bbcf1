//! Whether a command comes from an agent with the key, and what becomes of one that does not.
//!
//! Who can write on the Redis but has no key must not be able to have anything run, and not to displace the answer to a
//! real command either, whose id it may have read there. So:
//!
//! - What a wrong signature stands under is answered `bad_signature` and forgotten ([`Life::refuse`]): no state of its id is
//!   kept, so the real command runs when its turn comes, before or after. Nor can the answer be taken for the real one's:
//!   what answers a command without a right signature is signed as that, and an agent with a key does not wait for it.
//! - A command with the id of one that is in hand is dropped as its copy only when it is the same, byte for byte (the word
//!   `resent` aside, which is not signed). Another one is looked at: a forged one is refused as above; a real one waits
//!   for a moment and comes again, since it is the other that was forged or is about to end.
//! - A command whose id has been answered gets that same answer again, whatever it says: nothing is run. A code `replay`
//!   would be signed for that id, and could be what the agent finds in the place of the real answer; so there is none.
//! - The id is what is remembered, at least until a minute after the signed deadline, past which the command is
//!   `expired` for good. Should somebody take that memory out of the Redis, a router still knows what it has begun itself
//!   ([`super::begun`]): such a replay is dropped without a word, for the same reason.
//!
//! What remains for such a writer is to destroy: whoever may write to all keys can delete the commands. That is what users
//! of their own on the Redis are for ([`super::acl`]). It may also write `cancelled` into the state of an id, which comes to
//! the same; the list by which agents take commands back needs the key ([`super::control`]).

use protocol::sign::{AHEAD_MOST_MS, About, Kind, LIFE_MOST_MS, REMEMBERED_AFTER_MS};
use protocol::{Command, Millis, Reply, Stopped};
use redis::RedisError;

use super::claim::{Claimed, Mark};
use super::hands::Held;
use super::letter;
use super::life::{Life, millis};
use super::scripts::{REFUSE, SEND};
use super::terms::Terms;
use crate::unrun::{REMEMBERED, bad_signature};

/// What a command is signed with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seal {
    /// The mac; empty when it is not signed, or nobody looked.
    pub(super) mac: String,
    /// Until when it can be begun.
    pub(super) deadline: Option<Millis>,
}

/// What is to be done with a claimed command, by its signature.
#[derive(Debug)]
pub(super) enum Judged {
    /// What its mark says.
    Taken(Seal),
    /// It is answered so, and forgotten.
    Refused(Stopped),
    /// It ends without an answer.
    Dropped(&'static str),
    /// It comes again a little later.
    Waits,
}

impl Terms {
    /// The seal of a command.
    fn seal(&self, body: &[u8], now: Millis) -> Result<Seal, String> {
        let Some(keys) = &self.keys else { return Ok(Seal::default()) };
        let unsigned = || match self.require_signature {
            true => Err("it is not signed, and this router takes signed commands alone".to_owned()),
            false => Ok(Seal::default()),
        };
        let Ok(command) = Command::from_bytes(body) else { return unsigned() };
        if command.envelope.mac.is_none() && command.envelope.key_id.is_none() {
            return unsigned();
        }
        let mac = keys.verify(&About::command(&command), body).map_err(|why| why.to_string())?;
        let (Some(issued_at), Some(deadline)) =
            (command.envelope.issued_at, command.envelope.deadline)
        else {
            return Err("it is signed without issued_at or deadline".to_owned());
        };
        if issued_at.0 > now.0.saturating_add(AHEAD_MOST_MS) {
            return Err("it is signed for a time to come".to_owned());
        }
        if deadline.0 > issued_at.0.saturating_add(LIFE_MOST_MS) {
            return Err("it is signed for more than half an hour".to_owned());
        }
        Ok(Seal { mac: mac.to_owned(), deadline: Some(deadline) })
    }
}

impl Life {
    /// Looks at the signature of a claimed command.
    pub(super) fn judge(&self, claimed: &Claimed) -> Judged {
        let Claimed { mark, attempt, body, .. } = claimed;
        let checks = self.terms.keys.is_some();
        match mark {
            // It was looked at when it was answered, and gets the same answer.
            Mark::Known => return Judged::Taken(Seal::default()),
            // Nobody signs what is larger than a command may be.
            Mark::TooLarge if checks => return Judged::Refused(crate::unrun::too_large()),
            _ => {}
        }
        let seal = match self.terms.seal(body, self.clock.now()) {
            Ok(seal) => seal,
            Err(why) => return Judged::Refused(bad_signature(&why)),
        };
        match (mark, seal.deadline) {
            (Mark::Copy, None) => Judged::Dropped("another command with its id is in hand"),
            (Mark::Copy, Some(_)) => Judged::Waits,
            (Mark::Run, Some(deadline)) if *attempt == 1 => {
                let until = Millis(deadline.0.saturating_add(REMEMBERED_AFTER_MS));
                match self.begun.is_new(&seal.mac, until, self.clock.now()) {
                    true => Judged::Taken(seal),
                    false => {
                        Judged::Dropped("it was begun here before, and its memory was taken away")
                    }
                }
            }
            _ => Judged::Taken(seal),
        }
    }

    /// How long the end of a command is remembered, in milliseconds.
    pub(super) fn remembered(&self, seal: &Seal) -> u64 {
        let now = self.clock.now();
        let signed = seal.deadline.map_or(0, |deadline| {
            deadline.0.saturating_add(REMEMBERED_AFTER_MS).saturating_sub(now.0)
        });
        signed.max(millis(REMEMBERED))
    }

    /// The bytes of a reply, signed for the command that it answers.
    pub(super) fn sealed(&self, held: &Held, reply: &Reply) -> Vec<u8> {
        let bytes = reply.to_bytes();
        match (&self.terms.keys, &held.id) {
            (Some(keys), Some(id)) => {
                let kind = match held.seal.deadline {
                    Some(_) => Kind::Reply,
                    None => Kind::ReplyToUnsigned,
                };
                keys.sign(&About { kind, ..About::reply(id) }, bytes)
            }
            _ => bytes,
        }
    }

    /// Ends a command of which nothing is to be remembered, with an answer or without one.
    pub(super) async fn refuse(&self, held: Held, reply: Option<Reply>) {
        let letter = reply.as_ref().and_then(|reply| letter::of(&held, reply, self.clock.now()));
        let reply = reply.map(|reply| self.sealed(&held, &reply));
        self.until_done(|| self.forget(&held, reply.as_deref(), letter.as_deref())).await;
        self.hands.let_go(held.field);
    }

    async fn forget(
        &self,
        held: &Held,
        reply: Option<&[u8]>,
        letter: Option<&[u8]>,
    ) -> Result<(), RedisError> {
        let mut refuse = REFUSE.key(self.keys.work(&held.router));
        refuse.key(&self.keys.letters);
        if let Some(id) = &held.id {
            refuse.key(self.keys.state(id));
            if let Some(reply) = reply {
                let mut send = SEND.key(self.keys.names.reply(id));
                send.arg(reply).arg(protocol::REPLY_TTL_MS);
                send.invoke_async::<()>(&mut self.commands()).await?;
            }
        }
        refuse.arg(held.field).arg(&*held.router).arg(letter.unwrap_or_default());
        refuse.arg(letter::MOST).invoke_async(&mut self.commands()).await
    }
}
