//! One chat: what is said in its session, in order and at a rate that Telegram bears.
//!
//! A chat that can't be written to, or that Telegram slows down, holds up no other.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bot::{Around, Change, Fault, LONGEST, Sheet, Styled};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::Principal;
use teloxide_core::types::{ChatId, MessageId, UserId};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};
use words::CONSOLE;

use super::Shared;
use super::questions;
use crate::{Outgoing, Receipt, Ticket};
use conversation::question::Question;

/// How long the first words of a text wait for more.
const FIRST: Duration = Duration::from_millis(400);
/// How long a text is left alone between two changes; Telegram's own advice is one message a second and chat.
const PACE: Duration = Duration::from_millis(1_500);
/// The same in a group, which bears 20 messages a minute.
const GROUP_PACE: Duration = Duration::from_secs(4);
/// How often it is said that the agent is at work; people see it for five seconds.
const TYPING: Duration = Duration::from_millis(4_500);
/// The first and the longest wait before a call is tried again.
const AGAIN: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// How much of a message from elsewhere is shown, in characters.
const MIRRORED: usize = 1_000;

/// How often a file is sent in vain while the chat can be reached.
const UPLOADS: u32 = 3;

/// How long nothing comes before the task of a chat ends. The next word begins another.
const QUIET: Duration = Duration::from_mins(10);

/// What comes to a chat.
#[derive(Debug)]
pub(super) enum Heard {
    /// From the agent.
    Said(Outgoing),
    /// From the channel itself, to a message here.
    Told(String, MessageId),
    /// What a killed agent did not answer: message, and what is said of it.
    Unanswered(String, MessageId),
    /// The buttons of this message are of no use any more.
    Strip(MessageId),
    /// This message may hold a PIN, and is taken away. Where Telegram does not let that happen, it stays.
    Delete(MessageId),
}

/// A chat at work.
pub(super) struct Chat {
    pub(super) id: ChatId,
    /// Whose buttons stand here; none where nobody decides.
    pub(super) approver: Option<UserId>,
    pub(super) shared: Arc<Shared>,
    sheet: Sheet,
    /// When the sheet is shown next, if it has changed.
    due: Option<Instant>,
    shown_at: Option<Instant>,
    /// When it is said next that the agent is at work, if it is.
    typing: Option<Instant>,
    /// The message of this channel that is being answered.
    ticket: Option<Ticket>,
}

impl Chat {
    pub(super) fn new(id: ChatId, approver: Option<UserId>, shared: Arc<Shared>) -> Self {
        let sheet = Sheet::default();
        Self { id, approver, shared, sheet, due: None, shown_at: None, typing: None, ticket: None }
    }

    /// Says what comes, until nothing can come any more or nothing has come for [`QUIET`].
    pub(super) async fn run(mut self, mut heard: mpsc::UnboundedReceiver<Heard>) {
        loop {
            let rests = self.due.is_none() && self.typing.is_none();
            tokio::select! {
                next = heard.recv() => match next {
                    Some(next) => self.hear(next).await,
                    None => break,
                },
                // What comes from now on begins another task. What is here already is still said.
                () = sleep(QUIET), if rests => heard.close(),
                () = at(self.due), if self.due.is_some() => self.show().await,
                () = at(self.typing), if self.typing.is_some() => {
                    let is_muted = self.shared.people.is_muted(self.id);
                    self.typing = Some(Instant::now() + TYPING).filter(|_| !is_muted);
                    if !is_muted {
                        // Nobody misses it.
                        let _ = self.shared.client.typing(self.id).await;
                    }
                }
            }
        }
        self.show().await;
    }

    async fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Said(outgoing) => self.hear_agent(outgoing).await,
            Heard::Told(text, to) => drop(self.reply(text, to).await),
            Heard::Unanswered(text, message) => {
                if self.reply(text, message).await.is_ok() {
                    self.shared.answered(self.id, message);
                }
            }
            Heard::Strip(message) => self.strip(message).await,
            Heard::Delete(message) => {
                if let Err(fault) = self.delete(message).await {
                    tracing::warn!(chat = %self.id, "a PIN that was typed stays there: {fault}");
                }
            }
        }
    }

    async fn hear_agent(&mut self, outgoing: Outgoing) {
        match outgoing {
            Outgoing::Begin { ticket, from, text } => {
                self.turn_over().await;
                self.work();
                match self.shared.asked(ticket) {
                    Some((chat, message)) if chat == self.id => {
                        self.ticket = Some(ticket);
                        self.sheet.reply_to = Some(message).filter(|_| self.is_group());
                    }
                    _ => self.add(|sheet| sheet.line(&mirrored(&from, &text))),
                }
            }
            Outgoing::Queued { ticket, ahead } => {
                if let Some((_, message)) = self.shared.asked(ticket).filter(|to| to.0 == self.id) {
                    let text = crate::queued(CONSOLE.wanted([]), ahead);
                    let _ = self.reply(text, message).await;
                }
            }
            Outgoing::Refused { ticket, why } => {
                if let Some((chat, message)) = self.shared.done(ticket) {
                    let _ = self.reply(why, message).await;
                    self.shared.answered(chat, message);
                }
            }
            Outgoing::Aside { ticket, text } => {
                if let Some((chat, message)) = self.shared.done(ticket) {
                    let _ = self.reply(text, message).await;
                    self.shared.answered(chat, message);
                }
            }
            Outgoing::Working(_) | Outgoing::Waiting(_) => self.work(),
            Outgoing::Words(piece) => self.add(|sheet| sheet.word(&piece)),
            Outgoing::Action(ended) => self.add(|sheet| sheet.line(&ended.told)),
            Outgoing::Notice(notice) => self.add(|sheet| sheet.line(&format!("[{notice}]"))),
            Outgoing::Text(text) => self.add(|sheet| sheet.text(&text)),
            Outgoing::Question(question) => self.ask(&question).await,
            Outgoing::Settled { id, how } => {
                if let Some(message) = self.shared.questions.settled(&id, self.id) {
                    self.strip(message).await;
                }
                self.add(|sheet| sheet.line(&format!("[{how}]")));
            }
            Outgoing::Picture(path) => self.picture(&path).await,
            Outgoing::File(path) => self.file(&path).await,
            Outgoing::Broadcast { text, receipt } => self.pass(bot::read(&text), &receipt).await,
            Outgoing::Reminder { text, receipt, .. } => {
                self.pass(Styled::plain(text), &receipt).await;
            }
            Outgoing::Failed | Outgoing::Switched => {}
            Outgoing::End => self.turn_over().await,
        }
    }

    /// Shows the rest of what was said; what comes next stands in a message of its own.
    async fn turn_over(&mut self) {
        self.typing = None;
        self.close().await;
        if let Some((chat, message)) = self.ticket.take().and_then(|it| self.shared.done(it)) {
            self.shared.answered(chat, message);
        }
    }

    async fn close(&mut self) {
        self.show().await;
        self.sheet = Sheet::default();
    }

    /// Changes the sheet, and has it shown when it is time.
    fn add(&mut self, change: impl FnOnce(&mut Sheet)) {
        change(&mut self.sheet);
        let pace = if self.is_group() { GROUP_PACE } else { PACE };
        let first = Instant::now() + FIRST;
        let next = self.shown_at.map_or(first, |shown| first.max(shown + pace));
        self.due.get_or_insert(next);
    }

    /// Has the messages show what the sheet holds.
    async fn show(&mut self) {
        self.due = None;
        // What was said by then and not shown is shown no more.
        if self.shared.people.is_muted(self.id) {
            self.sheet = Sheet::default();
        }
        while let Some(change) = self.sheet.next() {
            self.shown_at = Some(Instant::now());
            let made = match &change {
                Change::Send(text) => self.send(text.clone(), self.sheet.reply_to).await.map(Some),
                Change::Edit(id, text) => self.edit(*id, text).await,
                Change::Delete(id) => self.delete(*id).await.map(|()| None),
            };
            match made {
                Ok(sent) => self.sheet.made(change, sent),
                Err(_) => return,
            }
        }
    }

    /// Replaces the text of a message. Of one that somebody has removed, or that is too old for that, it gives the
    /// message that stands in for it.
    async fn edit(&self, id: MessageId, text: &Styled) -> Result<Option<MessageId>, Fault> {
        let edited = self.tried(|| self.shared.client.edit(self.id, id, text).boxed()).await;
        match edited {
            Err(Fault::Refused(_)) => self.send(text.clone(), None).await.map(Some),
            edited => edited.map(|()| None),
        }
    }

    async fn send(&self, text: Styled, reply_to: Option<MessageId>) -> Result<MessageId, Fault> {
        self.send_around(&text, &Around { reply_to, buttons: None }).await
    }

    /// Answers a message with a text as it is.
    async fn reply(&self, text: String, to: MessageId) -> Result<(), Fault> {
        self.send_all(Styled::plain(text), Some(to)).await
    }

    /// Sends a text in as many messages as it takes, of which the first may answer another.
    async fn send_all(&self, text: Styled, mut to: Option<MessageId>) -> Result<(), Fault> {
        for piece in text.pieces(LONGEST) {
            self.send(piece, to.take()).await?;
        }
        Ok(())
    }

    /// Sends a text in as many messages as it takes, and says what has become of it.
    async fn pass(&self, text: Styled, receipt: &Receipt) {
        match self.send_all(text, None).await {
            Ok(()) => receipt.taken(),
            Err(fault) => receipt.failed(fault.to_string()),
        }
    }

    async fn send_around(&self, text: &Styled, around: &Around) -> Result<MessageId, Fault> {
        let client = &self.shared.client;
        self.tried(|| client.send(self.id, text, around.clone()).boxed()).await
    }

    /// Puts a question to whoever decides here. Its buttons come last, so that nobody decides on a part of it.
    async fn ask(&mut self, question: &Question) {
        self.close().await;
        let mut pieces = questions::text(question, settings::words()).pieces(LONGEST);
        let Some(last) = pieces.pop() else { return };
        for piece in pieces {
            if self.send(piece, None).await.is_err() {
                return;
            }
        }
        let Some(approver) = self.approver else {
            let _ = self.send(last, None).await;
            return;
        };
        let (nonce, buttons, before) = self.shared.questions.open(question, self.id, approver);
        if let Some(before) = before {
            self.strip(before).await;
        }
        let around = Around { reply_to: None, buttons: Some(buttons) };
        match self.send_around(&last, &around).await {
            Ok(message) => self.shared.questions.posted(&nonce, message),
            Err(_) => drop(self.shared.questions.settled(&question.id, self.id)),
        }
    }

    async fn strip(&self, message: MessageId) {
        let _ = self.tried(|| self.shared.client.strip(self.id, message).boxed()).await;
    }

    async fn delete(&self, message: MessageId) -> Result<(), Fault> {
        self.tried(|| self.shared.client.delete(self.id, message).boxed()).await
    }

    async fn file(&mut self, path: &Path) {
        self.close().await;
        let client = &self.shared.client;
        if let Err(fault) = self.uploaded(|| client.file(self.id, path).boxed()).await {
            self.add(|sheet| sheet.line(&format!("[the file can't be sent here: {fault}]")));
        }
    }

    async fn picture(&mut self, path: &Path) {
        self.close().await;
        let client = &self.shared.client;
        if let Err(fault) = self.uploaded(|| client.picture(self.id, path).boxed()).await {
            self.add(|sheet| sheet.line(&format!("[the picture can't be shown here: {fault}]")));
        }
    }

    /// Calls until it is clear what comes of it.
    async fn tried<'c, R: Send>(
        &self,
        call: impl Fn() -> BoxFuture<'c, Result<R, Fault>> + Send + Sync,
    ) -> Result<R, Fault> {
        self.tried_at_most(u32::MAX, call).await
    }

    /// The same for a file, which may fail where a word does not: on a line that is too slow for it, it would fail for ever and
    /// hold up what is said next.
    async fn uploaded<'c>(
        &self,
        call: impl Fn() -> BoxFuture<'c, Result<(), Fault>> + Send + Sync,
    ) -> Result<(), Fault> {
        self.tried_at_most(UPLOADS, call).await
    }

    /// Calls until it is clear what comes of it, or it has failed `most` times while the chat could be reached. A message whose
    /// sending was cut may be sent twice: one too many is better than one too few.
    async fn tried_at_most<'c, R: Send>(
        &self,
        most: u32,
        call: impl Fn() -> BoxFuture<'c, Result<R, Fault>> + Send + Sync,
    ) -> Result<R, Fault> {
        let (mut pause, mut failed) = (AGAIN.0, 0);
        loop {
            match call().await {
                Err(fault) if fault.passes() => {
                    let is_limited = most < u32::MAX && !matches!(fault, Fault::Pause(_));
                    if is_limited && self.shared.client.typing(self.id).await.is_ok() {
                        failed += 1;
                    }
                    if failed >= most {
                        tracing::warn!("Telegram, chat {}: {fault}; given up", self.id);
                        return Err(fault);
                    }
                    tracing::info!(chat = %self.id, "{fault}; trying again");
                    let told = if let Fault::Pause(told) = fault { Some(told) } else { None };
                    sleep(told.unwrap_or(pause)).await;
                    pause = (pause * 2).min(AGAIN.1);
                }
                Err(fault) => {
                    tracing::warn!("Telegram, chat {}: {fault}", self.id);
                    return Err(fault);
                }
                done => return done,
            }
        }
    }

    /// Shows that the agent is at work, from now on.
    fn work(&mut self) {
        self.typing.get_or_insert_with(Instant::now);
    }

    /// The ids of groups are negative.
    fn is_group(&self) -> bool {
        self.id.0 < 0
    }
}

/// What was said elsewhere, with its source: enough of it to know it again.
fn mirrored(from: &Principal, text: &str) -> String {
    let mut chars = text.chars();
    let begun: String = chars.by_ref().take(MIRRORED).collect();
    let cut = if chars.next().is_some() { " …" } else { "" };
    format!("{from}> {begun}{cut}")
}

/// Waits until then; for ever when there is no then.
async fn at(then: Option<Instant>) {
    match then {
        Some(then) => sleep_until(then).await,
        None => std::future::pending().await,
    }
}
