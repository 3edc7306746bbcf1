//! Carries what is said to the chats that it is for.

use std::collections::HashMap;
use std::sync::Arc;

use teloxide_core::types::ChatId;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

use super::Shared;
use super::chat::{Chat, Heard};
use crate::{Addressed, Outgoing, Receipt};

/// Carries on until the agent has said its last word; the chats then still write it.
pub(super) async fn run(
    shared: &Arc<Shared>,
    mut outgoing: UnboundedReceiver<Addressed>,
    mut told: UnboundedReceiver<(ChatId, Heard)>,
    chats: &mut JoinSet<()>,
) {
    let mut open: HashMap<ChatId, UnboundedSender<Heard>> = HashMap::new();
    loop {
        let next = tokio::select! {
            said = outgoing.recv() => match said {
                Some(said) => heard(shared, said),
                None => return,
            },
            Some(told) = told.recv() => vec![told],
        };
        for (chat, heard) in next {
            let writer = open.entry(chat).or_insert_with(|| start(shared, chat, chats));
            if let Err(SendError(heard)) = writer.send(heard) {
                let again = start(shared, chat, chats);
                let _ = again.send(heard);
                open.retain(|_, writer| !writer.is_closed());
                open.insert(chat, again);
                while chats.try_join_next().is_some() {}
            }
        }
    }
}

/// In which chats it is heard; in none, when its people are elsewhere.
fn heard(shared: &Shared, said: Addressed) -> Vec<(ChatId, Heard)> {
    let done = match said.outgoing {
        Outgoing::Begin { ticket, .. } => {
            shared.begin(&said.session, ticket);
            Some(ticket)
        }
        Outgoing::Refused { ticket, .. } | Outgoing::Aside { ticket, .. } => Some(ticket),
        Outgoing::End => shared.end(&said.session),
        _ => None,
    };
    if !said.session.is_owner() && shared.people.reception.is_muted(&said.session) {
        // Nothing is said in a chat that is silent or off: the message that this is about waits for no answer any more.
        if let Some((chat, message)) = done.and_then(|ticket| shared.done(ticket)) {
            shared.answered(chat, message);
        }
        return Vec::new();
    }
    let chats = match &said.outgoing {
        Outgoing::Broadcast { receipt, .. } => reached(shared.people.broadcast_chats(), receipt),
        _ => shared.people.chat(&said.session).into_iter().collect(),
    };
    chats.into_iter().map(|chat| (chat, Heard::Said(said.outgoing.clone()))).collect()
}

/// `chats`, unless there are none to reach.
fn reached(chats: Vec<ChatId>, receipt: &Receipt) -> Vec<ChatId> {
    if chats.is_empty() {
        receipt.failed("nobody is its owner yet: write to the bot, and it says how to become that");
    }
    chats
}

fn start(shared: &Arc<Shared>, chat: ChatId, chats: &mut JoinSet<()>) -> UnboundedSender<Heard> {
    let (sender, heard) = mpsc::unbounded_channel();
    chats.spawn(Chat::new(chat, shared.people.approver(chat), Arc::clone(shared)).run(heard));
    sender
}
