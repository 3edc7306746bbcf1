//! What the server hands a router: commands, each with what is to be done with it.

use protocol::{Code, Command, MessageId, Stopped};
use redis::{FromRedisValue, ParsingError, Value, from_redis_value};

use crate::unrun;

/// What a claim brought.
#[derive(Debug)]
pub(super) enum Claim {
    /// This router counts as dead, so it may take nothing under its name.
    Fenced,
    /// These.
    Taken(Vec<Claimed>),
    /// Nothing yet: these words of agents may take something back, once their signatures have been looked at.
    Words(Vec<Vec<u8>>),
}

/// One command that is in this router's hands now.
#[derive(Debug)]
pub(super) struct Claimed {
    /// Under which field of the router's hash.
    pub(super) field: u64,
    /// What is to be done with it.
    pub(super) mark: Mark,
    /// How often it has been taken up; for one that is run, this time included.
    pub(super) attempt: u32,
    /// Whether a router before this one may have begun it, for all that one has said.
    pub(super) may_have_begun: bool,
    /// Its id, if it has one.
    pub(super) id: Option<MessageId>,
    /// The command as it came, or for [`Mark::Known`] the reply that is kept.
    pub(super) body: Vec<u8>,
}

/// What is to be done with a command. All but the first are answered without being run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Run,
    /// It has been answered before.
    Known,
    /// Another command with its id is in hand.
    Copy,
    Cancelled,
    Expired,
    Stale,
    Poison,
    QueueFull,
    TooLarge,
    Unreadable,
}

/// How far a router came that ended, nobody knows.
const INTERRUPTED: &str =
    "a router ended while it ran, and its time is over; it may have been done";

impl Mark {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "run" => Self::Run,
            "known" => Self::Known,
            "copy" => Self::Copy,
            "cancelled" => Self::Cancelled,
            "expired" => Self::Expired,
            "stale" => Self::Stale,
            "poison" => Self::Poison,
            "queue_full" => Self::QueueFull,
            "too_large" => Self::TooLarge,
            "unreadable" => Self::Unreadable,
            _ => return None,
        })
    }

    /// What to answer to a command that has been begun so often before; none for what is run, or is answered with a reply
    /// that is there already.
    pub(super) fn answer(self, body: &[u8], begun: u32) -> Option<Stopped> {
        let stopped = match self {
            Self::Run | Self::Known | Self::Copy => return None,
            // Its time is over because a router ended while it ran.
            Self::Expired if begun > 0 => {
                Stopped::new(Code::Interrupted, INTERRUPTED).maybe_executed()
            }
            Self::Expired => unrun::late(),
            Self::Cancelled => unrun::taken_back(),
            Self::Stale => {
                Stopped::new(Code::Stale, "it waited while no router was there; it was not run")
            }
            Self::Poison => unrun::poison(),
            Self::QueueFull => unrun::queue_full(),
            Self::TooLarge => unrun::too_large(),
            Self::Unreadable => {
                // The words of whoever reads commands, where it agrees that this is none.
                return Some(Command::from_bytes(body).err().map_or_else(
                    || Stopped::new(Code::BadRequest, "this is no command: its id can't be read"),
                    |malformed| malformed.stopped,
                ));
            }
        };
        Some(if begun > 0 { unrun::begun_before(stopped) } else { stopped })
    }
}

impl FromRedisValue for Claim {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let Value::Array(commands) = value else { return Ok(Self::Fenced) };
        if let Some(Value::BulkString(_)) = commands.first() {
            return Ok(Self::Words(from_redis_value(Value::Array(commands))?));
        }
        let commands = commands.into_iter().map(from_redis_value).collect::<Result<_, _>>()?;
        Ok(Self::Taken(commands))
    }
}

impl FromRedisValue for Claimed {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let (field, mark, attempt, id, body, begun): (u64, String, u32, Vec<u8>, Vec<u8>, u8) =
            from_redis_value(value)?;
        let mark = Mark::parse(&mark).ok_or_else(|| format!("{mark:?} is no mark"))?;
        let id = String::from_utf8(id).ok().and_then(|id| MessageId::new(id).ok());
        Ok(Self { field, mark, attempt, may_have_begun: begun == 1, id, body })
    }
}

/// What the server says of the commands in hand.
#[derive(Debug)]
pub(super) enum Pulse {
    Fenced,
    Told(Vec<(u64, Told)>),
}

/// What is new about a command in hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Cancelled,
    Lost,
}

impl FromRedisValue for Pulse {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        let Value::Array(told) = value else { return Ok(Self::Fenced) };
        let told = told.into_iter().map(|one| {
            let (field, word): (u64, String) = from_redis_value(one)?;
            Ok((field, if word == "lost" { Told::Lost } else { Told::Cancelled }))
        });
        Ok(Self::Told(told.collect::<Result<_, ParsingError>>()?))
    }
}
