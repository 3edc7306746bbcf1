//! Commands to the agent itself: they start with `/` and need no model.

mod ago;
mod approval;
mod guest;
mod in_force;
mod memory;
mod model;
mod show;
mod usage;

use std::sync::Arc;

use home::nearest;
use protocol::{ActionName, Object};

pub(crate) use guest::ANSWER as GUESTS_ANSWER;
pub use memory::Wish;
pub use model::ModelWish;

use crate::answer::Action;
use crate::channel::{Origin, Outgoing};
use crate::mind::Mind;
use crate::question::Decision;
use crate::session::{Caller, Outbox, Session};
use crate::turn;
use crate::workspace::{Artifact, Entered, History};

/// Every command: how it is written, and what it does.
pub const COMMANDS: [(&str, &str); 16] = [
    ("/help", "show this"),
    ("/actions", "list what can be done, with a sentence that asks for it"),
    ("/run ACTION {json}", "run an action with these parameters, without the model"),
    ("/approvals", "show the questions that wait for you"),
    ("/approve ID", "say yes; a code goes behind the ID, and so does always, for an hour"),
    ("/deny ID", "say no"),
    ("/memory", "show what is remembered; /memory private KEY marks one thing as private"),
    ("/memory --quarantined", "show what was set aside, because others may have wanted it"),
    ("/memory keep|drop KEY", "make what was set aside count, or remove it"),
    ("/forget KEY", "forget one thing"),
    ("/clear", "start afresh: forget what was said and done, keep what is remembered"),
    ("/cancel", "stop what runs; at a terminal Ctrl-C does so at once"),
    ("/stop", "the kill switch: stop everything that runs, and let nothing run"),
    ("/model", "show who thinks and how it is asked; /model list shows what else there is"),
    ("/model TARGET", "ask another, such as ollama:qwen2.5:3b; --keep behind it makes it last"),
    ("/status", "show what is connected and how full things are"),
];

/// One command, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Slash {
    /// `/help`
    Help,
    /// `/actions`
    Actions,
    /// `/run`
    Run(Action),
    /// `/approvals`
    Approvals,
    /// `/approve` and `/deny`
    Decide(Decision),
    /// `/memory` and `/forget`
    Memory(Wish),
    /// `/clear`
    Clear,
    /// `/cancel`, when nothing runs; a turn that runs is stopped by its desk
    Cancel,
    /// `/stop`
    Stop,
    /// `/model`
    Model(ModelWish),
    /// `/status`
    Status,
    /// Something that can't be read: what would be right.
    Wrong(String),
}

/// Reads `text` as a command; `None` when it is a message. Only a person gives commands.
#[must_use]
pub fn parse(origin: Origin, text: &str) -> Option<Slash> {
    let text = text.trim();
    if !text.starts_with('/') || !origin.is_person() {
        return None;
    }
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    Some(match (name, rest) {
        ("/help" | "/", _) => Slash::Help,
        ("/actions", _) => Slash::Actions,
        ("/approvals", _) => Slash::Approvals,
        ("/approve", rest) => approval::read_yes(rest).map_or_else(Slash::Wrong, Slash::Decide),
        ("/deny", rest) => approval::read_no(rest).map_or_else(Slash::Wrong, Slash::Decide),
        ("/memory", rest) => memory::read(rest).map_or_else(Slash::Wrong, Slash::Memory),
        ("/stop", _) => Slash::Stop,
        ("/clear", _) => Slash::Clear,
        ("/cancel", _) => Slash::Cancel,
        ("/model", rest) => model::read(rest).map_or_else(Slash::Wrong, Slash::Model),
        ("/status", _) => Slash::Status,
        ("/forget", "") => Slash::Wrong("say what to forget: /forget KEY".to_owned()),
        ("/forget", key) => Slash::Memory(Wish::Forget(key.to_owned())),
        ("/run", rest) => run(rest).map_or_else(Slash::Wrong, Slash::Run),
        (other, _) => Slash::Wrong(unknown(other)),
    })
}

fn run(rest: &str) -> Result<Action, String> {
    let (name, params) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.is_empty() {
        return Err("say what to run: /run ACTION {json}; /actions lists them".to_owned());
    }
    let name = ActionName::new(name).map_err(|error| error.to_string())?;
    let params = match params.trim() {
        "" => Object::new(),
        json => protocol::json::parse_object(json.as_bytes())
            .map_err(|error| format!("the parameters are no JSON object: {error}"))?,
    };
    Ok(Action { name, params })
}

fn unknown(name: &str) -> String {
    let names = COMMANDS.iter().filter_map(|(usage, _)| usage.split(' ').next());
    let near = nearest(name, names);
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    format!("there is no command {name}{hint} (/help lists them)")
}

impl Slash {
    /// Carries the command out.
    pub async fn run(self, mind: &Mind, session: &mut Session, outbox: &Outbox) {
        let say = |text: String| outbox.say(Outgoing::Text(text));
        if let Some(why) = guest::refusal(&self).filter(|_| !session.is_owners()) {
            return outbox.say(Outgoing::Notice(why.to_owned()));
        }
        match self {
            Self::Help => say(show::help(session.is_owners())),
            Self::Actions => say(show::actions(&mind.cards())),
            Self::Approvals => approval::list(mind, session, outbox).await,
            Self::Decide(decision) => approval::decide(decision, mind, session, outbox).await,
            Self::Memory(wish) => wish.run(session, outbox),
            Self::Stop => stop(mind, session, outbox).await,
            Self::Model(wish) => wish.run(mind, outbox).await,
            Self::Status => say(show::status(mind, session)),
            Self::Wrong(why) => outbox.say(Outgoing::Notice(why)),
            Self::Cancel => outbox.say(Outgoing::Notice("nothing runs".to_owned())),
            Self::Clear => clear(session, outbox),
            Self::Run(action) => {
                let observation =
                    turn::run(mind, outbox, &Caller::of(session).heard_by(outbox), action).await;
                session.observe(&observation, &mind.cards());
                say(show::fields(&observation.fields));
                session.observed(vec![observation.fields]);
            }
        }
    }
}

/// Throws the router's kill switch. Nothing of the agent's can put it back.
async fn stop(mind: &Mind, session: &Session, outbox: &Outbox) {
    outbox.say(match mind.actions.owner.stop(&Caller::of(session)).await {
        Ok(()) => Outgoing::Text(format!(
            "Stopped: what ran is being ended, and nothing runs any more. `{}` in a terminal where the router is lets it \
             go on.",
            home::router_command("resume")
        )),
        Err(stopped) => Outgoing::Notice(format!(
            "the router did not say that it has stopped: {}; end it to be sure",
            stopped.message
        )),
    });
}

/// What has come in is forgotten with the texts that it says so of, and only if those are gone.
fn clear(session: &mut Session, outbox: &Outbox) {
    let files = Arc::clone(&session.files);
    let texts = [files.history.save(History::default()), files.artifact.save(Artifact::default())];
    // The latest prompt holds it all once more.
    let _ = std::fs::remove_file(files.prompt_cache());
    let cleared = texts.into_iter().collect::<Result<Vec<_>, _>>().and_then(|_| {
        session.entered = Entered::nothing();
        files.session.save(session.entered.clone())
    });
    if let Err(error) = cleared {
        outbox.say_fault(error.to_string());
    }
    outbox
        .say(Outgoing::Text("What was said and done is forgotten; the memory is kept.".to_owned()));
}

#[cfg(test)]
mod tests {
    use protocol::Taint;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_no_command() {
        let parse = |text| parse(Origin::Person, text);
        assert_eq!(parse("what is 1/2?"), None);
        assert_eq!(super::parse(Origin::Clock(Taint::CLEAN), "/help"), None);
        assert_eq!(parse(" /help "), Some(Slash::Help));
    }

    #[test]
    fn run_takes_a_name_and_an_object() {
        let action = |params: serde_json::Value| {
            let name = ActionName::new("A").unwrap();
            Some(Slash::Run(Action { name, params: params.as_object().unwrap().clone() }))
        };
        let parse = |text| parse(Origin::Person, text);
        assert_eq!(parse("/run A"), action(json!({})));
        assert_eq!(parse(r#"/run A {"x": [1, 2]}"#), action(json!({"x": [1, 2]})));
    }

    #[test]
    fn what_can_not_be_read_is_told() {
        let wrong = |text: &str| match parse(Origin::Person, text) {
            Some(Slash::Wrong(why)) => why,
            other => panic!("{other:?}"),
        };
        let told = [
            "/run",
            "/run a",
            "/run A [1]",
            "/run A {",
            "/forget",
            "/memry",
            "/memory keep",
            "/approve",
            "/deny",
        ]
        .map(wrong);
        insta::assert_snapshot!(told.join("\n"));
    }
}
