//! `/work [DIR [TASK]|off]` and `/undo`: the folder of this conversation's workbench. The router says which may be opened.

use std::sync::Arc;

use async_trait::async_trait;
use drive::Task;
use protocol::{Object, SetName};
use serde_json::{Value, json};
use session::Caller;

use super::perform::{At, Perform, Read};
use crate::turn::Turn;

/// The set of the workbench's actions.
fn set() -> Option<SetName> {
    SetName::new("workbench").ok()
}

/// What a model at work is told when a person has taken its latest task back.
const UNDONE: &str = "[the user has put the folder back as it was before the latest task]";

#[derive(Debug, PartialEq, Eq)]
struct Work {
    /// What the router is asked.
    params: Value,
    /// What is to be done in the folder.
    task: String,
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest)?))
}

pub(super) fn read_undo(rest: &str) -> Read {
    if !rest.is_empty() {
        let why = "nothing stands behind /undo: it takes back the latest task, and each further one the task before";
        return Err(why.to_owned());
    }
    Ok(Arc::new(Work { params: json!({"undo": true}), task: String::new() }))
}

/// With `--once` before the folder it is open until the router ends.
fn wish(rest: &str) -> Result<Work, String> {
    let (once, rest) = rest.strip_prefix("--once ").map_or((false, rest), |rest| (true, rest));
    let (folder, task) = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').ok_or("it is /work \"DIR\" [TASK]")?,
        None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
    };
    let params = match (folder, task.trim()) {
        ("", _) => json!({}),
        ("off", "") => json!({"close": true}),
        _ => json!({"folder": folder, "once": once}),
    };
    Ok(Work { params, task: task.trim().to_owned() })
}

/// `folder` as a whole path, if there is such a folder where this process was started.
fn from_here(folder: &str) -> String {
    let whole = std::path::absolute(folder).ok().filter(|whole| whole.is_dir());
    let whole = whole.and_then(|whole| whole.into_os_string().into_string().ok());
    whole.unwrap_or_else(|| folder.to_owned())
}

#[async_trait]
impl Perform for Work {
    async fn perform(&self, mut at: At<'_>) {
        let (once, sets) = (self.params["once"] == true, at.mind.sets.on());
        let closes = self.params.get("close").is_some() && at.session.task().is_open;
        let mut params = self.params.as_object().cloned().unwrap_or_default();
        // Whoever types at this terminal means what stands beside it.
        if at.mind.seated.as_ref() == Some(&at.session.principal)
            && let Some(folder) = params.get_mut("folder")
        {
            *folder = from_here(folder.as_str().unwrap_or_default()).into();
        }
        let answer = at.mind.actions.owner.work(&Caller::of(at.session), params).await;
        let told = answer.map_err(|stopped| stopped.message);
        let told = told.and_then(|answer| self.turn_set(&at, &answer).map(|()| answer));
        let told = told.and_then(|answer| self.turn_task(&mut at).map(|()| answer));
        match told {
            Ok(_) if once => {}
            Ok(_) if closes => at.text("The folder is closed. /work DIR opens one."),
            Ok(answer) => at.text(answer.get("told").and_then(Value::as_str).unwrap_or_default()),
            Err(why) => return at.notice(why),
        }
        if !self.task.is_empty() {
            at.session.speaks_as_chosen(&at.mind.cast.roster());
            let (role, who) = (at.session.origin.into(), at.session.principal.clone());
            at.session.record(role, who.as_str(), &self.task);
            Turn { mind: at.mind, session: &mut *at.session, outbox: at.outbox }
                .run(&self.task)
                .await;
        }
        if let Some(set) = set().filter(|set| once && !sets.contains(set)) {
            // It was on for this task alone; what can't be written costs a few words of each prompt.
            let _ = at.mind.sets.turn(set, false);
        }
    }
}

impl Work {
    /// Has messages go to the workbench while a folder is open, and tells a model that works there what was put back.
    fn turn_task(&self, at: &mut At<'_>) -> Result<(), String> {
        if self.params["once"] == true {
            at.session.passing = Some(Task::opened());
            return Ok(());
        }
        let task = &at.session.files.task;
        let changed = match (self.params.get("folder"), self.params.get("close")) {
            (Some(_), _) => task.save(Task::opened()),
            (_, Some(_)) => task.save(Task::default()),
            _ if self.params.get("undo").is_some() => task.update(|task| task.brought(UNDONE)),
            _ => Ok(()),
        };
        changed.map_err(|error| error.to_string())
    }

    /// Offers the actions of the workbench while a folder is open in any conversation.
    fn turn_set(&self, at: &At<'_>, answer: &Object) -> Result<(), String> {
        let Some(set) = set() else { return Ok(()) };
        let is_open = answer.get("any").and_then(Value::as_bool).unwrap_or_default();
        let is_on = at.mind.sets.on().contains(&set);
        let turned = match (self.params.get("folder"), self.params.get("close")) {
            (Some(_), _) if !is_on => at.mind.sets.turn(set, true),
            (_, Some(_)) if is_on && !is_open => at.mind.sets.turn(set, false),
            _ => Ok(()),
        };
        turned.map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_comes_first_and_the_task_is_the_rest() {
        let open = |folder: &str, once: bool| json!({"folder": folder, "once": once});
        for (text, params, task) in [
            ("", json!({}), ""),
            ("off", json!({"close": true}), ""),
            ("/x", open("/x", false), ""),
            ("/x make it  work", open("/x", false), "make it  work"),
            ("\"/a b\" go on", open("/a b", false), "go on"),
            ("--once /x go", open("/x", true), "go"),
        ] {
            assert_eq!(wish(text), Ok(Work { params, task: task.to_owned() }), "{text}");
        }
        assert!(wish("\"/a b").is_err());
    }
}
