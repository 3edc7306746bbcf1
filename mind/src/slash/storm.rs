//! `/storm`: several minds around one question, in this chat.
//!
//! What agents say is others' text: it raises the session's bit before the first of them is heard.

mod hands;

use std::fmt::Write;
use std::sync::Arc;

use async_trait::async_trait;
use conversation::message::Outgoing;
use protocol::Reads;
use session::Outbox;
use storm::{Format, Name, Premise, export};

use self::hands::ChatHands;
use super::perform::{At, Perform, Read};
use crate::storm::{
    Ended, FOLDER, Heard, Minds, PERSONAS, Runner, Shelf, ShelfError, Stored, StormError, TOKENS,
    casting, now,
};

/// How many agents may speak at one command.
const MOST: u32 = 100;

const USAGE: &str = "say /storm new NAME PREMISE, /storm start [NAME], /storm next [COUNT], /storm auto ROUNDS, /storm say \
     TEXT, /storm stop, /storm list or /storm export md|html|jsonl";

#[derive(Debug, Clone, PartialEq, Eq)]
enum StormWish {
    New {
        name: String,
        premise: String,
    },
    /// Each agent speaks once, in the storm of this name or in that of this chat.
    Start(Option<String>),
    Next(u32),
    /// So many rounds, while the chat goes on.
    Auto(u32),
    Say(String),
    Stop,
    List,
    Export(Format),
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest).ok_or(USAGE)?))
}

fn wish(rest: &str) -> Option<StormWish> {
    let (word, rest) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    let rest = rest.trim();
    let count = |default: Option<u32>| match rest {
        "" => default,
        number => number.parse().ok().filter(|count| (1..=MOST).contains(count)),
    };
    match word.to_ascii_lowercase().as_str() {
        "new" => {
            let (name, premise) = rest.split_once(char::is_whitespace)?;
            Some(StormWish::New { name: name.to_owned(), premise: premise.trim().to_owned() })
        }
        "start" => Some(StormWish::Start((!rest.is_empty()).then(|| rest.to_owned()))),
        "next" => count(Some(1)).map(StormWish::Next),
        "auto" => count(None).map(StormWish::Auto),
        "say" if !rest.is_empty() => Some(StormWish::Say(rest.to_owned())),
        "stop" if rest.is_empty() => Some(StormWish::Stop),
        "list" if rest.is_empty() => Some(StormWish::List),
        "export" => {
            let named = Format::ALL.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest));
            named.map(|(_, format)| StormWish::Export(*format))
        }
        _ => None,
    }
}

#[async_trait]
impl Perform for StormWish {
    async fn perform(&self, mut at: At<'_>) {
        if let Err(error) = self.run(&mut at).await {
            at.notice(error.to_string());
        }
    }
}

impl StormWish {
    async fn run(&self, at: &mut At<'_>) -> Result<(), StormError> {
        let shelf = Shelf::at(at.mind.workspace.folder().join(FOLDER));
        match self {
            Self::New { name, premise } => begin(at, &shelf, name, premise),
            Self::Start(name) => {
                if let Some(name) = name {
                    shelf.choose(&shelf.open(name)?.name)?;
                }
                let stored = shelf.chosen()?;
                let count = stored.cast()?.agents().len();
                go_on(at, stored, count).await
            }
            Self::Next(count) => go_on(at, shelf.chosen()?, *count as usize).await,
            Self::Auto(rounds) => go_on_beside(at, shelf.chosen()?, *rounds as usize),
            Self::Say(text) => {
                let mut stored = shelf.chosen()?;
                stored.say(text, &mut |heard| tell(at.outbox, &heard))?;
                let next = stored.next().map(|agent| format!("; {} is next", agent.name));
                at.text(format!("said in {}{}", stored.name, next.unwrap_or_default()));
                Ok(())
            }
            Self::Stop => {
                let is_asked = shelf.chosen()?.stop()?;
                at.text(if is_asked {
                    "it stops after the present speaker"
                } else {
                    "it does not go on anywhere"
                });
                Ok(())
            }
            Self::List => {
                let names: Vec<String> = shelf.names()?.iter().map(Name::to_string).collect();
                at.text(if names.is_empty() {
                    "there are no storms yet".to_owned()
                } else {
                    names.join("\n")
                });
                Ok(())
            }
            Self::Export(format) => {
                let stored = shelf.chosen()?;
                let text = export(*format, stored.name.as_str(), &stored.premise, stored.log.log());
                let name = format!("{}.{}", stored.name, format.ending());
                at.session.files.write_output(&name, text.as_bytes(), Reads::BOTH)?;
                let path = at.session.files.output().join(name);
                at.text(format!("{} is in {}", stored.name, path.display()));
                Ok(())
            }
        }
    }
}

fn begin(at: &At<'_>, shelf: &Shelf, name: &str, premise: &str) -> Result<(), StormError> {
    let (name, premise) = (Name::new(name).map_err(ShelfError::from)?, Premise::new(premise)?);
    let personas = at.mind.workspace.folder().join(PERSONAS);
    let cast = casting(&personas, &[], &at.mind.model.first())?;
    let folder = shelf.create(&name, &premise, &cast, now())?;
    shelf.choose(&name)?;
    let names: Vec<&str> = cast.agents().iter().map(|agent| agent.name.as_str()).collect();
    at.text(format!(
        "{} is there, with {}. /storm start lets each of them speak once, /storm say TEXT is your word.",
        folder.display(),
        names.join(", ")
    ));
    Ok(())
}

/// Lets agents speak while the chat waits; stopping the turn stops it.
async fn go_on(at: &mut At<'_>, mut stored: Stored, count: usize) -> Result<(), StormError> {
    let hands = hands(at, &stored)?;
    let minds = Minds::new(at.mind.model.maker().clone(), at.session.key.clone());
    let minds = minds.with_hands(hands.clone());
    let (outbox, mut said) = (at.outbox, String::new());
    let mut has_words = false;
    let mut hear = |heard: Heard<'_>| match heard {
        Heard::Awaited(name) => {
            has_words = false;
            tell(outbox, &Heard::Awaited(name));
            outbox.say(Outgoing::Words(format!("[{name}]: ")));
        }
        Heard::Piece("") => {}
        Heard::Piece(piece) => {
            has_words = true;
            outbox.say(Outgoing::Words(piece.to_owned()));
        }
        Heard::Anew if has_words => outbox.say(Outgoing::Words("\n(begins anew)\n".to_owned())),
        Heard::Said(message) => {
            // Writing to a string does not fail.
            let _ = write!(said, "[{}]: {}\n\n", message.from, message.text);
            outbox.say(Outgoing::Words("\n\n".to_owned()));
        }
        other => tell(outbox, &other),
    };
    let mut runner = Runner { stored: &mut stored, speaks: &minds, limit: TOKENS };
    let ended = runner.next(count, &mut hear).await;
    for seen in hands.seen() {
        at.session.observe(&seen, &at.mind.cards());
    }
    // Whoever is asked about it later has heard it.
    at.session.remember(&format!("/storm: {count} speakers of {}", stored.name), &said);
    ended?;
    Ok(())
}

/// Lets agents speak while the chat goes on, so that people can say something in between.
fn go_on_beside(at: &mut At<'_>, mut stored: Stored, rounds: usize) -> Result<(), StormError> {
    let hands = hands(at, &stored)?;
    let count = rounds * stored.cast()?.agents().len();
    let minds = Minds::new(at.mind.model.maker().clone(), at.session.key.clone()).with_hands(hands);
    let outbox = at.outbox.clone();
    at.text(format!(
        "{} goes on for {count} messages; /storm say TEXT is your word, /storm stop ends it",
        stored.name
    ));
    tokio::spawn(async move {
        let mut hear = |heard: Heard<'_>| {
            if let Heard::Said(message) = heard {
                outbox.say(Outgoing::Text(format!("[{}]: {}", message.from, message.text)));
            } else if matches!(heard, Heard::Changed(_) | Heard::Notice(_)) {
                tell(&outbox, &heard);
            }
        };
        let mut runner = Runner { stored: &mut stored, speaks: &minds, limit: TOKENS };
        let told = match runner.next(count, &mut hear).await {
            Ok(Ended::Done) => format!("{} has had its rounds", stored.name),
            Ok(Ended::Stopped) => format!("{} has stopped", stored.name),
            Err(error) => error.to_string(),
        };
        outbox.say(Outgoing::Notice(told));
    });
    Ok(())
}

/// The hands of a storm's agents; what they may bring is in the session then.
fn hands(at: &mut At<'_>, stored: &Stored) -> Result<Arc<ChatHands>, StormError> {
    Ok(ChatHands::of(at, stored.cast()?, &format!("storm {}", stored.name)))
}

fn tell(outbox: &Outbox, heard: &Heard<'_>) {
    match heard {
        Heard::Awaited(name) => outbox.say(Outgoing::Working(format!("{name} is thinking"))),
        Heard::Waiting(wait) => outbox.say(Outgoing::Waiting(wait.clone())),
        Heard::Changed(_) | Heard::Notice(_) => {
            outbox.say(Outgoing::Notice(heard.notice().unwrap_or_default()));
        }
        Heard::Piece(_) | Heard::Anew | Heard::Said(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let new = StormWish::New { name: "a".to_owned(), premise: "b  c".to_owned() };
        assert_eq!(wish("new a  b  c "), Some(new));
        assert_eq!(wish("start"), Some(StormWish::Start(None)));
        assert_eq!(wish("START a b"), Some(StormWish::Start(Some("a b".to_owned()))));
        assert_eq!(wish("next"), Some(StormWish::Next(1)));
        assert_eq!(wish("auto 3"), Some(StormWish::Auto(3)));
        assert_eq!(wish("say  a  b"), Some(StormWish::Say("a  b".to_owned())));
        assert_eq!(wish("export HTML"), Some(StormWish::Export(Format::Html)));
        for wrong in [
            "",
            "new a",
            "next 0",
            "next 101",
            "next x",
            "auto",
            "say",
            "stop it",
            "export pdf",
            "x",
        ] {
            assert_eq!(wish(wrong), None, "{wrong}");
        }
    }
}
