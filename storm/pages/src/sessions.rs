//! Sessions: all of them, a new one, what one is about, and its end.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use storm::{Agent, Cast, Name, Premise};
use storm_runner::{ShelfError, Stored, agents, now};

use crate::refusal::Refusal;
use crate::revision::revision;
use crate::told::Told;
use crate::{Storms, beside};

/// How many characters of a premise stand on a card.
const EXCERPT: usize = 240;

/// What is asked, and what is said to it.
pub(super) type Asked<T> = Result<Json<T>, JsonRejection>;

/// All sessions, the one in which something was said last first. One that can't be read says why.
pub(crate) async fn list(State(storms): State<Storms>) -> Result<Json<Value>, Refusal> {
    let listed = beside(move || {
        let names = storms.shelf.names()?;
        let mut cards: Vec<Value> = names.iter().map(|name| storms.card(name)).collect();
        cards.sort_by(|one, other| other["last"].as_str().cmp(&one["last"].as_str()));
        Ok(json!({"sessions": cards}))
    });
    listed.await.map(Json)
}

impl Storms {
    fn card(&self, name: &Name) -> Value {
        let stored = match self.shelf.open(name.as_str()) {
            Ok(stored) => stored,
            Err(error) => return json!({"name": name.as_str(), "fault": Told::from(&error)}),
        };
        let (log, premise) = (stored.log.log(), stored.premise.as_str());
        let last = log.messages().last().map(|message| message.at).or(log.created);
        let excerpt: String = premise.chars().take(EXCERPT).collect();
        let cut = if excerpt.len() < premise.len() { "…" } else { "" };
        json!({
            "name": name.as_str(),
            "premise": format!("{excerpt}{cut}"),
            "agents": names(&stored),
            "messages": log.messages().count(),
            "last": last.map(|at| format!("{at}Z")),
            "next": stored.next().ok().map(|agent| agent.name.as_str()),
            "fault": stored.cast().err().as_ref().map(Told::from),
            "running": self.live.is_running(name) || stored.is_running(),
        })
    }
}

fn names(stored: &Stored) -> Vec<&str> {
    let agents = stored.cast().map(Cast::agents).unwrap_or_default();
    agents.iter().map(|agent| agent.name.as_str()).collect()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct New {
    name: String,
    premise: String,
    /// Which agents are copied in; all of them, or the first ones where nobody has written any, if none is named.
    #[serde(default)]
    agents: Vec<String>,
}

/// Makes a session.
pub(crate) async fn create(
    State(storms): State<Storms>,
    asked: Asked<New>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let Json(new) = asked?;
    beside(move || {
        let (name, premise) = (Name::new(new.name.trim())?, Premise::new(&new.premise)?);
        let chosen = storms.chosen(&new.agents)?;
        let cast = Cast::new(chosen);
        let cast = cast.map_err(|why| Refusal::Conflict(Told::from(&why)))?;
        storms.shelf.create(&name, &premise, &cast, now())?;
        Ok((StatusCode::CREATED, Json(json!({"name": name.as_str()}))))
    })
    .await
}

impl Storms {
    /// The agents that stand in `templates`, or the first ones where there are none.
    pub(crate) fn templates(&self) -> Result<Vec<Agent>, Refusal> {
        let there = storm_runner::agent_files(&self.templates)?;
        let there: Vec<Agent> = there.into_iter().filter_map(|(_, agent)| agent.ok()).collect();
        Ok(if there.is_empty() { self.models.first() } else { there })
    }

    fn chosen(&self, wanted: &[String]) -> Result<Vec<Agent>, Refusal> {
        let there = self.templates()?;
        if wanted.is_empty() {
            return Ok(there);
        }
        let mut chosen = Vec::new();
        for name in wanted {
            chosen.push(template(&there, name)?);
        }
        chosen.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(chosen)
    }
}

/// The agent `name` of these.
pub(crate) fn template(there: &[Agent], name: &str) -> Result<Agent, Refusal> {
    let found = there.iter().find(|agent| agent.name.as_str() == name).cloned();
    found.ok_or_else(|| {
        let why = format_args!("there is no agent {name} to copy");
        Refusal::Unknown(Told::new("error.noAgent", why).with("name", name))
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    premise: String,
    /// Which premise it was made from.
    revision: String,
}

/// Exchanges what a session is about, until something was said in it.
pub(crate) async fn premise(
    State(storms): State<Storms>,
    Path(id): Path<String>,
    asked: Asked<About>,
) -> Result<StatusCode, Refusal> {
    let Json(About { premise, revision: of }) = asked?;
    beside(move || {
        let stored = storms.shelf.open(&id)?;
        if revision(stored.premise.as_str()) != of {
            let name = &stored.name;
            let why = format_args!("the premise of {name} is another by now; load it again");
            return Err(Refusal::Conflict(Told::new("error.premiseOther", why).with("name", name)));
        }
        stored.set_premise(&Premise::new(&premise)?)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Removes a session with all that was said in it.
pub(crate) async fn remove(
    State(storms): State<Storms>,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    beside(move || {
        storms.shelf.remove(&Name::new(&id).map_err(ShelfError::from)?)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// The agents of an open session, as their files have them.
pub(crate) fn own(stored: &Stored) -> Result<Vec<Agent>, Refusal> {
    Ok(agents(&stored.agents_folder())?)
}
