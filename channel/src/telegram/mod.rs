//! Telegram: people talk with the agent through a bot.
//!
//! Updates are asked for by long polling, so nothing listens for connections. Who may talk is decided here
//! ([`people`]), each chat is written to by a task of its own ([`chat`]), and what was taken stands on the disk before
//! it is handed on ([`journal`]).

mod chat;
mod commands;
mod given;
mod joining;
mod journal;
mod people;
mod poll;
mod questions;
mod read;
mod setup;
mod take;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use business::Reception;
use protocol::{NameError, SessionKey};
use teloxide_core::types::{ChatId, MessageId};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

pub use bot::{Client, Fault, Me, PairError};
pub use journal::carry;
pub use setup::{SetUp, SetUpError};

use self::chat::Heard;
use self::journal::Journal;
use self::people::People;
use self::questions::Questions;
use super::dropped::Files;
use super::{Channel, ChannelError, Line, Ticket};

/// The channel's name.
const NAME: &str = "telegram";

/// Where it is written down what was taken.
const JOURNAL: &str = "telegram.json";

/// How long the last words of the agent may take on their way.
const LAST_WORDS: Duration = Duration::from_millis(1_500);

/// The Telegram channel.
#[derive(Debug)]
pub struct Telegram {
    client: Client,
    people: People,
    /// How old a message may be.
    timeout: Duration,
    /// Where what was taken is written down.
    journal: PathBuf,
    /// The files of the owner's conversation.
    files: Arc<Files>,
}

/// What the parts of the channel share.
#[derive(Debug)]
struct Shared {
    client: Client,
    me: Me,
    people: People,
    timeout: Duration,
    journal: Journal,
    files: Arc<Files>,
    /// How many files may come at the same time.
    fetching: Semaphore,
    questions: Questions,
    /// The messages that were handed on, and where they stand.
    asked: Mutex<Vec<(Ticket, (ChatId, MessageId))>>,
    /// The sessions in which a turn runs, each with the message that it answers.
    busy: Mutex<Vec<(SessionKey, Ticket)>>,
    /// To the tasks of the chats.
    told: mpsc::UnboundedSender<(ChatId, Heard)>,
}

/// How many files may come at the same time: each is held in memory until it is whole.
const AT_ONCE: usize = 2;

/// How many messages of this channel may wait before the first of them is forgotten.
const MOST_ASKED: usize = 1_024;

impl Telegram {
    /// The channel of the bot that `client` is. `reception` says how strangers are treated; what was taken is kept in
    /// the `workspace`, and what the owner sends among the `files`.
    ///
    /// # Errors
    /// Never in practice: the name is a constant that follows its grammar.
    pub fn new(
        client: Client,
        settings: &settings::Telegram,
        timeout: Duration,
        reception: Arc<Reception>,
        (workspace, files): (&Path, &Arc<Files>),
    ) -> Result<Self, NameError> {
        let (people, files) = (People::new(settings, reception)?, Arc::clone(files));
        let journal = workspace.join(JOURNAL);
        Ok(Self { client, people, timeout, journal, files })
    }

    async fn talk(self, line: Line) -> Result<(), Fault> {
        let Line { incoming, outgoing } = line;
        let me = tokio::select! {
            me = poll::introduced(&self.client) => me?,
            () = incoming.closed() => return Ok(()),
        };
        self.people.reception.guests.join_through(&me.username);
        let now = protocol::Millis::of_this_machine();
        let (journal, problem) = Journal::open(self.journal, me.id, now);
        if let Some(problem) = problem {
            tracing::warn!("{problem}");
        }
        let (telling, told) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            client: self.client,
            me,
            people: self.people,
            timeout: self.timeout,
            journal,
            files: self.files,
            fetching: Semaphore::new(AT_ONCE),
            questions: Questions::default(),
            asked: Mutex::default(),
            busy: Mutex::default(),
            told: telling,
        });
        shared.greet();
        let mut chats = JoinSet::new();
        tokio::select! {
            fault = poll::run(&shared, &incoming) => fault,
            () = write::run(&shared, outgoing, told, &mut chats) => {
                // Whoever is written to now hears the end of it.
                let _ = tokio::time::timeout(LAST_WORDS, async {
                    while chats.join_next().await.is_some() {}
                }).await;
                Ok(())
            }
        }
    }
}

impl Shared {
    /// Has a chat hear something.
    fn tell(&self, chat: ChatId, heard: Heard) {
        // Who is told nothing any more is so because the channel ends.
        let _ = self.told.send((chat, heard));
    }

    /// A message was handed on under `ticket`.
    fn ask(&self, ticket: Ticket, at: (ChatId, MessageId)) {
        let mut asked = locked(&self.asked);
        let too_many = (asked.len() + 1).saturating_sub(MOST_ASKED);
        asked.drain(..too_many);
        asked.push((ticket, at));
    }

    /// Where the message of `ticket` stands, if it is one of this channel's.
    fn asked(&self, ticket: Ticket) -> Option<(ChatId, MessageId)> {
        locked(&self.asked).iter().find(|(asked, _)| *asked == ticket).map(|(_, at)| *at)
    }

    /// The message of `ticket` was answered.
    fn done(&self, ticket: Ticket) -> Option<(ChatId, MessageId)> {
        let mut asked = locked(&self.asked);
        let at = asked.iter().position(|(asked, _)| *asked == ticket)?;
        Some(asked.remove(at).1)
    }

    /// Its person has the answer, or knows that there is none.
    fn answered(&self, chat: ChatId, message: MessageId) {
        if let Err(error) = self.journal.answered(chat.0, message.0) {
            tracing::warn!("{error}; after a crash an answered message may count as unanswered");
        }
    }

    /// A turn begins in the session, which answers the message of `ticket`.
    fn begin(&self, session: &SessionKey, ticket: Ticket) {
        let _ = self.end(session);
        locked(&self.busy).push((session.clone(), ticket));
    }

    /// The turn of the session is over; gives the message that it has answered.
    fn end(&self, session: &SessionKey) -> Option<Ticket> {
        let mut busy = locked(&self.busy);
        let at = busy.iter().position(|(other, _)| other == session)?;
        Some(busy.remove(at).1)
    }

    /// Whether a turn runs in the session.
    fn is_busy(&self, session: &SessionKey) -> bool {
        locked(&self.busy).iter().any(|(busy, _)| busy == session)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Channel for Telegram {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_owners(&self) -> bool {
        self.people.has_owner()
    }

    async fn run(self: Box<Self>, line: Line) -> Result<(), ChannelError> {
        let failed = |fault: Fault| ChannelError { channel: NAME, reason: fault.to_string() };
        self.talk(line).await.map_err(failed)
    }
}
