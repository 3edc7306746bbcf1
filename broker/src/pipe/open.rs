//! The commands that an agent waits for, and the way to the router that lives at the moment.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{ActionName, Command, Frame, MessageId, Reply, json};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::lines::FrameWriter;
use crate::requester::RequestError;
use crate::unrun::{self, MOST_ATTEMPTS};

/// The commands without a reply, the oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenCommands {
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    way: Way,
    open: BTreeMap<u64, Open>,
    /// The number of the next command. Ids are no keys here: a copy waits beside the first one.
    next: u64,
}

/// The way to the router.
#[derive(Debug, Default)]
enum Way {
    Up(FrameWriter),
    /// There is none at the moment: what is asked waits for the next one.
    #[default]
    Down,
    /// There will be none any more.
    Gone,
}

/// One command without a reply.
#[derive(Debug)]
struct Open {
    letter: Letter,
    /// How many routers it has been sent to.
    routers: u32,
    /// Whether one of them has said that it begins it.
    is_begun: bool,
    reply: oneshot::Sender<Reply>,
}

/// A command as it is sent to the first router, and to each one after that.
#[derive(Debug, Clone)]
pub(super) struct Letter {
    id: MessageId,
    action: ActionName,
    first: Box<RawValue>,
    again: Box<RawValue>,
}

impl Letter {
    /// Both forms of `command`, unless they are too large.
    pub(super) fn new(mut command: Command) -> Result<Self, RequestError> {
        let first = raw(&command)?;
        command.envelope.resent = true;
        let again = raw(&command)?;
        Ok(Self { id: command.message_id, action: command.action, first, again })
    }
}

fn raw(command: &Command) -> Result<Box<RawValue>, RequestError> {
    let bytes = command.to_bytes();
    if bytes.len() > json::MAX_BYTES {
        return Err(RequestError::TooLarge { size: bytes.len(), limit: json::MAX_BYTES });
    }
    serde_json::from_slice(&bytes)
        .map_err(|error| RequestError::BadReply(json::JsonError::Syntax(error.to_string())))
}

/// Somebody who waits for a reply. Whatever happens, also when this is dropped, it is forgotten in the end.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    open: &'a OpenCommands,
    number: u64,
    /// What is to be written for it now, if there is a way to a router.
    first: Option<(FrameWriter, Box<RawValue>)>,
    reply: oneshot::Receiver<Reply>,
}

impl Waiting<'_> {
    /// Sends the command and waits for its reply; `None` when none can come any more.
    pub(super) async fn reply(mut self) -> Option<Reply> {
        if let Some((frames, command)) = self.first.take() {
            // What does not arrive is sent to the next router.
            let _ = frames.write(Frame::Command(command)).await;
        }
        (&mut self.reply).await.ok()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.open.inside().open.remove(&self.number);
    }
}

impl OpenCommands {
    /// Adds a command. Without a way to a router it is sent to the next one.
    pub(super) fn add(&self, letter: Letter) -> Result<Waiting<'_>, RequestError> {
        let mut inside = self.inside();
        let (first, routers) = match &inside.way {
            Way::Up(frames) => (Some((frames.clone(), letter.first.clone())), 1),
            Way::Down => (None, 0),
            Way::Gone => return Err(RequestError::RouterGone),
        };
        let (sender, reply) = oneshot::channel();
        let number = inside.next;
        inside.next += 1;
        inside.open.insert(number, Open { letter, routers, is_begun: false, reply: sender });
        Ok(Waiting { open: self, number, first, reply })
    }

    /// There is a way to a router again: what is given is to be written to it. `None` when nobody asks any more.
    pub(super) fn connect(&self, frames: FrameWriter) -> Option<Vec<Frame>> {
        let mut inside = self.inside();
        if matches!(inside.way, Way::Gone) {
            return None;
        }
        inside.way = Way::Up(frames);
        let taken_down =
            inside.open.extract_if(.., |_, open| open.routers >= MOST_ATTEMPTS).collect::<Vec<_>>();
        taken_down.into_iter().for_each(|(_, open)| open.give_up());
        Some(inside.open.values_mut().map(Open::next_form).collect())
    }

    /// The router is gone, and another one may come.
    pub(super) fn disconnect(&self) {
        let mut inside = self.inside();
        if let Way::Up(_) = inside.way {
            inside.way = Way::Down;
        }
    }

    /// There will be no router any more: nobody waits from now on.
    pub(super) fn close(&self) {
        let mut inside = self.inside();
        inside.way = Way::Gone;
        inside.open.clear();
    }

    /// The way to the router, if there is one.
    pub(super) fn way(&self) -> Option<FrameWriter> {
        match &self.inside().way {
            Way::Up(frames) => Some(frames.clone()),
            Way::Down | Way::Gone => None,
        }
    }

    /// A router has said that it begins this command.
    pub(super) fn begins(&self, id: &MessageId) {
        let mut inside = self.inside();
        let of_it = inside.open.values_mut().filter(|open| open.letter.id == *id);
        of_it.for_each(|open| open.is_begun = true);
    }

    /// Gives a reply to whoever waits for it.
    pub(super) fn answer(&self, reply: &Reply) {
        let Some(id) = &reply.message_id else { return };
        let mut inside = self.inside();
        for (_, open) in inside.open.extract_if(.., |_, open| open.letter.id == *id) {
            // Whoever waited may just have given up.
            let _ = open.reply.send(reply.clone());
        }
    }

    // A std mutex, because it is never held across an await. Poisoned, what it holds is still whole.
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// What to send to one more router.
    fn next_form(&mut self) -> Frame {
        self.routers += 1;
        match (self.routers, self.is_begun) {
            (1, _) => Frame::Command(self.letter.first.clone()),
            (_, false) => Frame::Unbegun(self.letter.again.clone()),
            (_, true) => Frame::Command(self.letter.again.clone()),
        }
    }

    /// Answers in the place of the routers that it has outlived.
    fn give_up(self) {
        let stopped = unrun::poison();
        let Letter { id, action, .. } = self.letter;
        let _ = self.reply.send(Reply::new(Some(id), action.as_str(), stopped.into()));
    }
}
