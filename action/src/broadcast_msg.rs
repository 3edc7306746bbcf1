//! `_BROADCAST_MSG`: says something of the agent's own to whoever the channels are set to reach.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use broker::Requester;
use conversation::message::Reports;
use protocol::{ActionCard, Code, Done, Effect, Object, Stopped};
use serde::Deserialize;
use serde_json::json;
use session::{Caller, Lines};

use super::LocalAction;
use super::permission::Permission;

/// How long a message may be, in characters: what fits into one message of Telegram's.
const LONGEST: usize = 4_000;

/// How many channels one call may name.
const CHANNELS: usize = 16;

/// How long a channel may take to say that it has the message.
const PATIENCE: Duration = Duration::from_secs(10);

const NOBODY: &str = "nobody is there";

/// Hands a message to channels that are on, as far as the policy lets what is seen elsewhere go out.
pub struct BroadcastMsg {
    card: ActionCard,
    lines: Lines,
    permission: Permission,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    message: String,
    channels: Option<Vec<String>>,
}

impl BroadcastMsg {
    /// The action over these lines; `None` only if its built-in card is broken. The router behind `requester` permits
    /// each message.
    #[must_use]
    pub fn new(lines: Lines, requester: Arc<dyn Requester>, timeout: Duration) -> Option<Self> {
        let permission = Permission::new(requester, timeout).ok()?;
        Some(Self { card: super::card("_BROADCAST_MSG")?, lines, permission })
    }

    /// The channels that are meant: those that are named, or all.
    fn meant(&self, named: Option<Vec<String>>) -> Result<Vec<&'static str>, Stopped> {
        let known = self.lines.names();
        let Some(named) = named else { return Ok(known) };
        if named.is_empty() || named.len() > CHANNELS {
            return Err(bad("channels: name one, such as telegram"));
        }
        for name in &named {
            if !known.iter().any(|known| known == name) {
                let name: String = name.chars().take(40).collect();
                let known = known.join(", ");
                return Err(bad(&format!("channels: {name:?} is not on; these are: {known}")));
            }
        }
        Ok(known.into_iter().filter(|known| named.iter().any(|name| name == known)).collect())
    }
}

#[async_trait]
impl LocalAction for BroadcastMsg {
    fn card(&self) -> &ActionCard {
        &self.card
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        let Params { message, channels } = super::params(params)?;
        let message = message.trim();
        if message.is_empty() || message.contains('\0') || message.chars().count() > LONGEST {
            return Err(bad(&format!("message: it is a text of 1 to {LONGEST} characters")));
        }
        let channels = self.meant(channels)?;
        if !caller.session.is_owner() {
            return Err(Stopped::new(Code::Owner, "only the owner's messages go to everybody"));
        }
        let asked = Object::from_iter([
            ("message".to_owned(), json!(message)),
            ("channels".to_owned(), json!(channels)),
        ]);
        self.permission
            .ask_for((Effect::External, &["message"]), &self.card.name, asked, caller)
            .await?;
        let reports = channels.into_iter().map(async |name| {
            let reports = self.lines.broadcast(name, message);
            (name, Reached::of(reports).await)
        });
        told(&futures::future::join_all(reports).await)
    }
}

/// What became of the message on one channel.
#[derive(Debug, PartialEq)]
enum Reached {
    /// Somebody has it there.
    Taken,
    /// Nobody has it there, nor will.
    Failed(String),
    /// That is not known yet: the channel still tries.
    Tries,
}

impl Reached {
    async fn of(mut reports: Reports) -> Self {
        let mut failed = None;
        let over = tokio::time::sleep(PATIENCE);
        tokio::pin!(over);
        loop {
            tokio::select! {
                report = reports.recv() => match report {
                    Some(Ok(())) => return Self::Taken,
                    Some(Err(why)) => failed = Some(why),
                    None => return Self::Failed(failed.unwrap_or_else(|| NOBODY.to_owned())),
                },
                () = &mut over => return Self::Tries,
            }
        }
    }

    /// It in words, unless the message has arrived.
    fn why(&self) -> Option<String> {
        match self {
            Self::Taken => None,
            Self::Failed(why) => Some(why.clone()),
            Self::Tries => Some(format!(
                "it has not taken the message within {} s, and is still tried",
                PATIENCE.as_secs()
            )),
        }
    }
}

/// Sent is what has arrived somewhere; the rest is said with its reason.
fn told(reached: &[(&'static str, Reached)]) -> Result<Done, Stopped> {
    let sent: Vec<&str> =
        reached.iter().filter(|(_, it)| *it == Reached::Taken).map(|(name, _)| *name).collect();
    let not: Vec<String> = reached
        .iter()
        .filter_map(|(name, it)| Some(format!("not to {name}: {}", it.why()?)))
        .collect();
    if sent.is_empty() {
        let is_tried = reached.iter().any(|(_, it)| *it == Reached::Tries);
        let code = if is_tried { Code::Timeout } else { Code::SkillFailed };
        let stopped = Stopped::new(code, format!("it reached nobody: {}", not.join("; ")));
        return Err(if is_tried { stopped.maybe_executed() } else { stopped });
    }
    let text = [vec![format!("sent to {}", sent.join(", "))], not].concat().join("; ");
    let result = Object::from_iter([("sent_to".to_owned(), json!(sent))]);
    Ok(Done { result, text: Some(text), ..Done::default() })
}

fn bad(why: &str) -> Stopped {
    Stopped::new(Code::BadParams, why)
}
