//! What can go wrong between the agent and the Bot API, in words that hold no token.

use std::error::Error;
use std::time::Duration;

use teloxide_core::{ApiError, RequestError};

/// A call of the Bot API that has failed. Its texts hold neither the token nor an address with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// 401: nothing works with this token.
    #[error(
        "Telegram does not know the bot's token (401); get one from @BotFather and run `{}`",
        home::agent_command("config telegram")
    )]
    Token,
    /// 409: somebody else asks for the same updates.
    #[error(
        "another program reads this bot's messages (409), and only one can; end it, or have @BotFather make a bot \
         for each"
    )]
    Rival,
    /// 409 as well: updates go to a web server.
    #[error("a webhook takes this bot's messages (409)")]
    Webhook,
    /// 429.
    #[error("Telegram wants a pause of {} s (429)", .0.as_secs())]
    Pause(Duration),
    /// 403: the chat is closed to the bot.
    #[error("the bot may not write to this chat (403): {0}")]
    Closed(String),
    /// Nothing has come back, or not all of it. Whether the call was carried out is not known.
    #[error("Telegram can't be reached: {0}")]
    Network(String),
    /// What has come back is no answer of the API.
    #[error("Telegram's server is in trouble: it has sent {0} instead of an answer")]
    Server(String),
    /// The message is as it should be already.
    #[error("the message is not changed")]
    Unchanged,
    /// Anything else that Telegram refuses.
    #[error("Telegram refuses it: {0}")]
    Refused(String),
}

impl Fault {
    /// Whether the same call may succeed later.
    #[must_use]
    pub fn passes(&self) -> bool {
        matches!(self, Self::Pause(_) | Self::Network(_) | Self::Server(_))
    }

    /// Reads an error of the client's.
    pub fn of(error: &RequestError, token: &str) -> Self {
        let clean = |text: String| text.replace(token, "<token>");
        match error {
            RequestError::Api(error) => Self::of_api(error, clean),
            RequestError::RetryAfter(pause) => Self::Pause(pause.duration()),
            RequestError::MigrateToChatId(chat) => Self::Refused(format!(
                "the group has become the chat {chat}; put that id where the old one stands, in telegram.allow or \
                 telegram.broadcast_chat_ids"
            )),
            RequestError::Network(error) => Self::Network(clean(cause(error))),
            RequestError::InvalidJson { raw, .. } if raw.trim_start().starts_with('<') => {
                Self::Server("a web page".to_owned())
            }
            RequestError::InvalidJson { .. } => Self::Server("something unreadable".to_owned()),
            RequestError::Io(error) => Self::Refused(clean(error.to_string())),
        }
    }

    fn of_api(error: &ApiError, clean: impl Fn(String) -> String) -> Self {
        let said = match error {
            ApiError::Unknown(text) => clean(text.clone()),
            known => clean(known.to_string()),
        };
        match error {
            ApiError::InvalidToken => Self::Token,
            ApiError::TerminatedByOtherGetUpdates => Self::Rival,
            ApiError::CantGetUpdates => Self::Webhook,
            ApiError::MessageNotModified => Self::Unchanged,
            _ if said.starts_with("Conflict") && said.contains("webhook") => Self::Webhook,
            _ if said.starts_with("Conflict") => Self::Rival,
            _ if ["Forbidden", "Unauthorized:"].iter().any(|start| said.starts_with(start)) => {
                Self::Closed(said)
            }
            _ if is_of_the_server(&said) => Self::Server(format!("{said:?}")),
            _ => Self::Refused(said),
        }
    }
}

/// Whether it is the reason phrase of a 5xx status, which the API gives when it is down itself.
fn is_of_the_server(said: &str) -> bool {
    ["Internal Server Error", "Bad Gateway", "Service Unavailable", "Gateway Time"]
        .iter()
        .any(|phrase| said.starts_with(phrase))
}

/// Why a request has failed. The error itself names its address, which holds the token; its causes don't.
fn cause(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        return format!("it answers {status}");
    }
    let mut said = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        said.push(cause.to_string());
        next = cause.source();
    }
    said.join(": ")
}
