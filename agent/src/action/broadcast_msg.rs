//! `_BROADCAST_MSG`: says something of the agent's own to whoever the channels are set to reach.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use broker::Requester;
use protocol::{ActionCard, Code, Done, Effect, Object, Stopped};
use serde::Deserialize;
use serde_json::json;

use super::LocalAction;
use super::permission::Permission;
use crate::session::{Caller, Lines};

/// How long a message may be, in characters: what fits into one message of Telegram's.
const LONGEST: usize = 4_000;

/// How many channels one call may name.
const CHANNELS: usize = 16;

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
        let sent: Vec<&str> =
            channels.into_iter().filter(|name| self.lines.broadcast(name, message)).collect();
        let text = format!("sent to {}", sent.join(", "));
        let result = Object::from_iter([("sent_to".to_owned(), json!(sent))]);
        Ok(Done { result, text: Some(text), ..Done::default() })
    }
}

fn bad(why: &str) -> Stopped {
    Stopped::new(Code::BadParams, why)
}
