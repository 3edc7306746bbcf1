//! `/sessions`, `/open`, `/rename`, `/delete`: the conversations of this person that were put away.

use std::sync::Arc;

use answer::sanitize::one_line;
use async_trait::async_trait;
use conversation::message::Outgoing;
use conversation::workspace::StoredChat;
use protocol::Millis;
use session::{Outbox, Session};
use when::ago;

use super::perform::{At, Perform, Read};

/// How many are listed.
const SHOWN: usize = 30;

/// How long a title may be, in characters.
const TITLE: usize = 100;

/// What is wanted of the conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SessionsWish {
    /// A list of those that hold these words, in small letters.
    List(String),
    Open(u64),
    /// Another title, for one of them or for this one.
    Rename(Option<u64>, String),
    /// Removing one, perhaps with a yes.
    Delete(u64, bool),
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(SessionsWish::List(rest.to_lowercase())))
}

pub(super) fn read_open(rest: &str) -> Read {
    let number = rest.parse().map_err(|_| "say which: /open 3; /sessions lists them".to_owned())?;
    Ok(Arc::new(SessionsWish::Open(number)))
}

pub(super) fn read_rename(rest: &str) -> Read {
    let (first, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let (number, title) = match first.parse() {
        Ok(number) if !more.trim().is_empty() => (Some(number), more),
        _ => (None, rest),
    };
    let title: String = one_line(title).trim().chars().take(TITLE).collect();
    if title.is_empty() {
        return Err(
            "say how it is called: /rename The trip to Rome, or /rename 3 The trip to Rome"
                .to_owned(),
        );
    }
    Ok(Arc::new(SessionsWish::Rename(number, title)))
}

pub(super) fn read_delete(rest: &str) -> Read {
    let (number, more) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let number =
        number.parse().map_err(|_| "say which: /delete 3; /sessions lists them".to_owned())?;
    Ok(Arc::new(SessionsWish::Delete(number, more.trim() == "yes")))
}

#[async_trait]
impl Perform for SessionsWish {
    async fn perform(&self, at: At<'_>) {
        let done = match self {
            Self::List(words) => Ok(listed(at.session, words)),
            Self::Open(number) => open(at.session, at.outbox, *number),
            Self::Rename(number, title) => rename(at.session, *number, title),
            Self::Delete(number, is_sure) => delete(at.session, *number, *is_sure),
        };
        match done {
            Ok(text) => at.text(text),
            Err(why) => at.notice(why),
        }
    }
}

fn none(number: u64) -> String {
    format!("there is no conversation {number}; /sessions lists them")
}

fn title(chat: &StoredChat) -> &str {
    if chat.title.is_empty() { "without a title" } else { &chat.title }
}

fn listed(session: &Session, words: &str) -> String {
    let open = session.files.chat.read().number;
    let now = Millis::of_this_machine();
    let line = |number: String, chat: &StoredChat| {
        format!("{number}. {} ({})", one_line(title(chat)), ago(now.since(chat.last)))
    };
    let here = session.chat().filter(|chat| chat.holds(words));
    let mut lines: Vec<String> = here
        .iter()
        .map(|chat| {
            format!(
                "{}, open here",
                line(open.map_or("-".to_owned(), |number| number.to_string()), chat)
            )
        })
        .collect();
    let others: Vec<(u64, StoredChat)> = session.files.chats().all();
    let others = others.iter().filter(|(number, chat)| Some(*number) != open && chat.holds(words));
    lines.extend(others.map(|(number, chat)| line(number.to_string(), chat)));
    if lines.is_empty() {
        return match words {
            "" => "Nothing was said yet.".to_owned(),
            _ => "No conversation holds these words.".to_owned(),
        };
    }
    let more = lines.len().saturating_sub(SHOWN);
    lines.truncate(SHOWN);
    lines.extend(
        (more > 0)
            .then(|| format!("... and {more} more; /sessions WORDS finds those that hold them")),
    );
    lines.push("/open NUMBER goes on with one, /new begins another.".to_owned());
    lines.join("\n")
}

fn open(session: &mut Session, outbox: &Outbox, number: u64) -> Result<String, String> {
    if session.files.chat.read().number == Some(number) {
        return Ok("It is open here already.".to_owned());
    }
    if session.files.chats().read(number).is_none() {
        return Err(none(number));
    }
    let before = session
        .put_away(Some(number))
        .map_err(|error| format!("{error}; this conversation goes on"))?;
    let is_open = session.open_chat(number, before).map_err(|error| error.to_string())?;
    let chat =
        session.files.chats().read(number).filter(|_| is_open).ok_or_else(|| none(number))?;
    outbox.say(Outgoing::Switched);
    let before =
        before.map(|before| format!(" The one before is number {before}.")).unwrap_or_default();
    let said = chat.history.last().map(|entry| {
        format!("\nLast, you said: {}", one_line(&entry.user).chars().take(200).collect::<String>())
    });
    Ok(format!(
        "Here goes on: {}.{before}{}",
        title(&chat).trim_end_matches('.'),
        said.unwrap_or_default()
    ))
}

fn rename(session: &Session, number: Option<u64>, title: &str) -> Result<String, String> {
    let open = session.files.chat.read();
    let said = |error: document::SaveError| error.to_string();
    if number.is_none() || number == open.number {
        let mut open = (*open).clone();
        open.title = Some(title.to_owned());
        session.files.chat.save(open).map_err(said)?;
        return Ok(format!("This conversation is called {title} now."));
    }
    let number = number.unwrap_or_default();
    let chats = session.files.chats();
    let mut chat = chats.read(number).ok_or_else(|| none(number))?;
    chat.title = title.to_owned();
    chats.write(Some(number), &chat, None).map_err(said)?;
    Ok(format!("Conversation {number} is called {title} now."))
}

fn delete(session: &Session, number: u64, is_sure: bool) -> Result<String, String> {
    let chats = session.files.chats();
    if session.files.chat.read().number == Some(number) {
        return Err("it is open here; /clear forgets it".to_owned());
    }
    let chat = chats.read(number).ok_or_else(|| none(number))?;
    if !is_sure {
        return Err(format!(
            "{} has {} lines and can't be brought back; /delete {number} yes removes it",
            title(&chat),
            chat.events.len()
        ));
    }
    chats.remove(number).map_err(|error| error.to_string())?;
    Ok(format!(
        "{} is removed. The journal and the logs of the days keep what was said.",
        title(&chat)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_what_is_right() {
        assert!(read_open("x").unwrap_err().contains("/open 3"));
        assert!(read_delete("").unwrap_err().contains("/delete 3"));
        assert!(read_rename(" ").unwrap_err().contains("/rename 3"));
        assert!(read_rename("7").is_ok(), "a number alone is a title");
    }
}
