//! `/mode`, `/mode MODE`, `/mode MODE NAME`: how the chats of other people are treated.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use answer::sanitize::one_line;
use async_trait::async_trait;
use business::{BotMode, ChatBook, ChatMode, ChatStanding, PICKED, Reception};
use conversation::message::Outgoing;
use protocol::{Millis, SessionKey};
use session::Caller;
use tokio::time::timeout;
use when::ago;

use super::perform::{At, Perform, Read};
use super::status::unanswered;

/// How long the router has to say whether a mode may change: whoever silences the bot waits for that.
const ASK: Duration = Duration::from_secs(3);

/// Takes a chat's own mode back.
const DEFAULT: &str = "default";

/// Whoever wants the own conversation silent or off hears this.
const OWN: &str = "your own conversation can't be silent or off, and customers are others";

/// What is wanted of the modes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ModeWish {
    Show,
    /// All chats have this mode, whatever their own is; business gives each its own again.
    All(ChatMode),
    /// Whom the bot is for; each chat has its own mode again.
    Bot(BotMode),
    /// One chat, by its name or key; none takes its own mode back.
    One(Option<ChatMode>, String),
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest)?))
}

fn wish(rest: &str) -> Result<ModeWish, String> {
    let (word, name) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (mode, name) = (ChatMode::named(word), name.trim());
    let is_default = word.eq_ignore_ascii_case(DEFAULT);
    Ok(match (mode, name) {
        _ if rest.is_empty() => ModeWish::Show,
        (Some(ChatMode::Business), "") => ModeWish::Bot(BotMode::Business),
        (Some(mode), "") => ModeWish::All(mode),
        (None, "") if let Ok(bot_mode) = word.parse() => ModeWish::Bot(bot_mode),
        (Some(mode), name) => ModeWish::One(Some(mode), name.to_owned()),
        (None, name) if is_default && !name.is_empty() => ModeWish::One(None, name.to_owned()),
        _ => {
            return Err(format!(
                "there is no mode {word:?}: say /mode business, silent, off or personal for all chats, or /mode silent NAME, or \
                 /mode default NAME, for one"
            ));
        }
    })
}

/// The owner's PIN guards whatever changes a mode: the router is asked first, and again once a person has answered.
#[async_trait]
impl Perform for ModeWish {
    async fn perform(&self, at: At<'_>) {
        let Some((mode, chat)) = self.change() else { return self.carry_out(at) };
        let caller = Caller::of(at.session);
        let asked = at.mind.actions.owner.permit_mode(&caller, mode, chat);
        let seen = match timeout(ASK, asked).await {
            Ok(Ok(())) => return self.carry_out(at),
            Ok(Err(seen)) => seen,
            Err(_) => {
                let told = format!("no mode has changed, because {}", unanswered());
                return at.notice(told);
            }
        };
        if let Some(question) = seen.question() {
            at.session.asks_for(&seen, at.typed.to_owned());
            at.outbox.say(Outgoing::Question(question));
            return at.remark(seen.text());
        }
        at.notice(seen.text());
    }
}

impl ModeWish {
    /// The words of a change: the mode, and the chat if it is one.
    fn change(&self) -> Option<(&'static str, Option<&str>)> {
        match self {
            Self::Show => None,
            Self::All(mode) => Some((mode.name(), None)),
            Self::Bot(BotMode::Personal) => Some(("personal", None)),
            Self::Bot(BotMode::Business) => Some((ChatMode::Business.name(), None)),
            Self::One(mode, chat) => Some((mode.map_or(DEFAULT, ChatMode::name), Some(chat))),
        }
    }

    fn carry_out(&self, at: At<'_>) {
        let reception = &at.mind.reception;
        let done = match self {
            Self::Show => Ok(shown(reception)),
            Self::All(mode) => all(reception, *mode),
            Self::Bot(bot_mode) => bot(reception, *bot_mode),
            Self::One(mode, name) => {
                let principal = at.session.principal.as_str().replacen(':', "-", 1);
                if [protocol::OWNER, "me", &principal].contains(&name.as_str()) {
                    Err(OWN.to_owned())
                } else {
                    let (told, choices) = one(reception, *mode, name);
                    at.session.choices = choices;
                    told
                }
            }
        };
        match done {
            Ok(text) => at.text(text),
            Err(why) => at.notice(why),
        }
    }
}

/// The mode of the bot and of the chats that wrote last.
fn shown(reception: &Reception) -> String {
    let chats = reception.chats();
    let mut text = match chats.all {
        Some(mode) => format!(
            "Every chat but yours is {mode}; /mode business or /mode personal gives each its own mode again.\n"
        ),
        None => String::new(),
    };
    // Writing to a String can't fail.
    let _ = match reception.bot_mode() {
        BotMode::Personal => writeln!(text, "The bot is personal: strangers are refused."),
        BotMode::Business => writeln!(text, "The bot is for business: strangers are customers."),
    };
    let latest = chats.latest();
    if latest.is_empty() {
        text.push_str("Nobody else has written yet.");
    }
    for (key, chat) in latest.iter().take(PICKED) {
        let mode = SessionKey::new(*key).map(|key| standing(reception.standing(&key)));
        let ago = ago(Millis::of_this_machine().since(chat.seen));
        let _ = writeln!(text, "{}: {} ({ago})", named(key, &chat.name), mode.unwrap_or("off"));
    }
    text.trim_end().to_owned()
}

fn standing(standing: ChatStanding) -> &'static str {
    match standing {
        ChatStanding::Owner => "yours",
        ChatStanding::Allowed => "allowed by you, without a mode",
        ChatStanding::In(mode) => mode.name(),
    }
}

/// A chat as it is listed: `Ann Bell, telegram-7`.
fn named(key: &str, name: &str) -> String {
    match one_line(name) {
        name if name.is_empty() => key.to_owned(),
        name => format!("{name}, {key}"),
    }
}

/// A chat in a sentence: `Ann Bell (telegram-7)`.
fn called(key: &str, name: &str) -> String {
    match one_line(name) {
        name if name.is_empty() => key.to_owned(),
        name => format!("{name} ({key})"),
    }
}

fn all(reception: &Reception, mode: ChatMode) -> Result<String, String> {
    reception.set_all(Some(mode)).map_err(|error| error.to_string())?;
    let what = if mode == ChatMode::Off {
        "Every chat but yours is off: nothing is kept there, and nobody is answered."
    } else {
        "Every chat but yours is silent: what is said there is kept, and nobody is answered. Whoever is off stays off."
    };
    Ok(format!("{what} /mode business or /mode personal gives each its own mode again."))
}

fn bot(reception: &Reception, bot_mode: BotMode) -> Result<String, String> {
    if let Some(noted) = &reception.noted {
        settings::keep_bot_mode(&noted.chosen, bot_mode).map_err(|error| error.to_string())?;
    }
    reception.turn(bot_mode);
    reception.set_all(None).map_err(|error| error.to_string())?;
    Ok(match bot_mode {
        BotMode::Personal => {
            "Strangers are refused from now on. Each chat has its own mode.".to_owned()
        }
        BotMode::Business => {
            let profile = if reception.profile().is_set() {
                ""
            } else {
                " /business setup says what they are told; without it they hear little."
            };
            format!("Strangers are customers from now on. Each chat has its own mode.{profile}")
        }
    })
}

/// Sets the mode of the only chat that is meant; of several, the numbers that mean them are given, with the commands that they
/// stand for.
fn one(
    reception: &Reception,
    mode: Option<ChatMode>,
    name: &str,
) -> (Result<String, String>, Vec<(String, String)>) {
    let chats: Arc<ChatBook> = reception.chats();
    let found = chats.search(name);
    match found.as_slice() {
        [] => {
            let why =
                format!("no chat is called {name:?} of those that wrote last; /mode lists them");
            (Err(why), Vec::new())
        }
        [(key, chat)] => {
            let told = |()| match mode {
                Some(mode) => {
                    format!("What {} writes {} from now on.", called(key, &chat.name), mode.told())
                }
                None => format!("{} has no mode of its own any more.", called(key, &chat.name)),
            };
            let set = reception.set(key, mode);
            (set.map(told), Vec::new())
        }
        several => {
            let word = mode.map_or(DEFAULT, ChatMode::name);
            let (mut text, mut choices) = ("Which one?\n".to_owned(), Vec::new());
            for (at, (key, chat)) in several.iter().take(PICKED).enumerate() {
                let _ = writeln!(text, "{}. {}", at + 1, named(key, &chat.name));
                choices.push(((at + 1).to_string(), format!("/mode {word} {key}")));
            }
            if several.len() > PICKED {
                let _ = writeln!(
                    text,
                    "... and {} more; say more of the name.",
                    several.len() - PICKED
                );
            }
            text.push_str("Answer with the number.");
            (Ok(text), choices)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reception(folder: &std::path::Path) -> Reception {
        let reception = Reception::of(folder);
        for (key, name) in
            [("telegram-7", "Ann Bell"), ("telegram-8", "Bob"), ("telegram-9", "Ann Cole")]
        {
            reception.saw(&SessionKey::new(key).unwrap(), name);
        }
        reception
    }

    #[test]
    fn one_chat_is_set_at_once_and_several_are_numbered() {
        let folder = tempfile::tempdir().unwrap();
        let reception = reception(folder.path());
        let (told, choices) = one(&reception, Some(ChatMode::Silent), "bob");
        assert_eq!(
            told.unwrap(),
            "What Bob (telegram-8) writes is kept and not answered from now on."
        );
        assert!(choices.is_empty());
        let (told, choices) = one(&reception, Some(ChatMode::Off), "ann");
        assert!(told.unwrap().contains("2. Ann "));
        let commands: Vec<&str> = choices.iter().map(|(_, command)| command.as_str()).collect();
        let mut sorted = commands.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, ["/mode off telegram-7", "/mode off telegram-9"]);
        assert!(one(&reception, None, "zed").0.unwrap_err().contains("/mode lists them"));
        assert!(one(&reception, None, "telegram-8").0.unwrap().contains("no mode of its own"));
    }

    #[test]
    fn what_is_no_mode_is_told() {
        for text in ["loud", "loud Ann", "default", "personal Ann"] {
            assert!(read(text).is_err(), "{text}");
        }
        for text in ["", "OFF", "business", "personal", "silent Ann Bell", "default Ann"] {
            assert!(read(text).is_ok(), "{text}");
        }
    }
}
