//! Agents: those that are copied into sessions, and the copies of one session.

use std::path::Path as FilePath;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use home::file;
use serde::Deserialize;
use serde_json::{Value, json};
use storm::{Agent, AgentFile, Name};
use storm_runner::{ShelfError, agent_files, agent_path};

use crate::refusal::Refusal;
use crate::revision::revision;
use crate::sessions::{Asked, template as named};
use crate::told::Told;
use crate::{Storms, beside};

/// The largest file of an agent that is shown, in bytes. A persona's may be as large.
const LIMIT: u64 = 64 * 1024;

/// What a form has fields for, apart from the service and the model.
const MORE: [&str; 3] = ["url", "temperature", "sets"];

/// An agent as a form has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    service: String,
    model: String,
    #[serde(default)]
    url: String,
    #[serde(default)]
    temperature: String,
    #[serde(default)]
    sets: String,
    prompt: String,
    /// Which file it was made from; none for a new one.
    #[serde(default)]
    revision: Option<String>,
}

/// Whom an agent may name.
pub(crate) async fn services(State(storms): State<Storms>) -> Json<Value> {
    let services = storms.models.services();
    let shown = |service: &crate::Service| json!({"name": service.name, "models": service.models});
    Json(json!({"services": services.iter().map(shown).collect::<Vec<_>>()}))
}

/// The agents that can be copied in, those that nobody has written yet last, and the files that are none.
pub(crate) async fn list(State(storms): State<Storms>) -> Result<Json<Value>, Refusal> {
    let listed = beside(move || {
        let files = agent_files(&storms.templates)?;
        let is_written = files.iter().any(|(_, agent)| agent.is_ok());
        let shown = |(name, agent): &(String, Result<Agent, ShelfError>)| match agent {
            Ok(agent) => storms.line(agent, true),
            Err(error) => json!({"name": name, "written": true, "fault": Told::from(error)}),
        };
        let mut agents: Vec<Value> = files.iter().map(shown).collect();
        if !is_written {
            agents.extend(storms.models.first().iter().map(|agent| storms.line(agent, false)));
        }
        Ok(json!({"agents": agents}))
    });
    listed.await.map(Json)
}

impl Storms {
    /// An agent in a list.
    pub(crate) fn line(&self, agent: &Agent, is_written: bool) -> Value {
        json!({
            "name": agent.name.as_str(),
            "service": agent.file.service(),
            "model": agent.file.model(),
            "written": is_written,
            "fault": self.models.fault(agent),
            "warning": self.models.unreachable(agent),
        })
    }

    /// An agent whose file is `text`, as a form has it.
    fn form(&self, name: &Name, text: &str) -> Value {
        let (mut shown, file) = match AgentFile::read(text) {
            Ok(file) => {
                let agent = Agent { name: name.clone(), file };
                (self.line(&agent, true), agent.file)
            }
            // What can be read of it stands in the form; saving mends it.
            Err(error) => {
                let fault = Told::from(&error);
                let shown = json!({"name": name.as_str(), "written": true, "fault": fault});
                (shown, AgentFile::new("", "", text))
            }
        };
        for key in MORE {
            shown[key] = file.properties.get(key).unwrap_or_default().into();
        }
        shown["prompt"] = file.prompt.as_str().into();
        shown["revision"] = revision(text).into();
        shown
    }

    /// The file that a form makes of the one that is there, and what should be known of it.
    fn made(&self, name: &Name, written: &Written, text: Option<&str>) -> Result<Agent, Refusal> {
        if text.map(revision) != written.revision {
            let other = format_args!("the file of {name} is another by now; load it again");
            let gone = format_args!("the file of {name} is gone by now; make a new agent");
            return Err(Refusal::Conflict(match text {
                Some(_) => Told::new("error.agentOther", other).with("name", name),
                None => Told::new("error.agentGone", gone).with("name", name),
            }));
        }
        let kept = text.and_then(|text| AgentFile::read(text).ok());
        let mut file =
            AgentFile::new(written.service.trim(), written.model.trim(), &written.prompt);
        for (key, value) in kept.iter().flat_map(|kept| kept.properties.iter()) {
            if !["type", "service", "name", "model"].contains(&key) && !MORE.contains(&key) {
                file.properties.set(key, value);
            }
        }
        for (key, value) in MORE.iter().zip([&written.url, &written.temperature, &written.sets]) {
            if !value.trim().is_empty() {
                file.properties.set(key, value.trim());
            }
        }
        // It is read as it would be from the disk.
        let file =
            AgentFile::read(&file.write()).map_err(|error| Refusal::Bad(Told::from(&error)))?;
        let agent = Agent { name: name.clone(), file };
        match self.models.fault(&agent) {
            Some(fault) => Err(Refusal::Bad(fault)),
            None => Ok(agent),
        }
    }
}

fn text(folder: &FilePath, name: &Name) -> Result<Option<String>, Refusal> {
    let path = agent_path(folder, name);
    let Some(bytes) = file::read(&path, LIMIT)? else { return Ok(None) };
    let why = format!("{} is no text in UTF-8", path.display());
    let not_text =
        |_| Refusal::Failed(Told::new("error.notText", why).with("path", path.display()));
    String::from_utf8(bytes).map(Some).map_err(not_text)
}

fn unknown(name: &Name) -> Refusal {
    let why = format_args!("there is no agent {name}");
    Refusal::Unknown(Told::new("error.noAgent", why).with("name", name))
}

/// Refuses a new agent that could be taken for one that is there.
fn vacant(folder: &FilePath, name: &Name) -> Result<(), Refusal> {
    let taken = agent_files(folder)?.into_iter().map(|(other, _)| other);
    match taken.into_iter().find(|other| other.to_lowercase() == name.as_str().to_lowercase()) {
        Some(other) => {
            let why = format_args!("there is an agent {other} already");
            Err(Refusal::Conflict(Told::new("error.agentTaken", why).with("name", &other)))
        }
        None => Ok(()),
    }
}

/// One that can be copied in, as a form has it.
pub(crate) async fn template(
    State(storms): State<Storms>,
    Path(name): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let shown = beside(move || {
        let name = Name::new(&name)?;
        if let Some(text) = text(&storms.templates, &name)? {
            return Ok(storms.form(&name, &text));
        }
        let first = storms.templates()?.into_iter().find(|agent| agent.name == name);
        let first = first.ok_or_else(|| unknown(&name))?;
        let mut shown = storms.form(&name, &first.file.write());
        // Nobody has written it, so it is a new one when it is saved.
        (shown["written"], shown["revision"]) = (false.into(), Value::Null);
        Ok(shown)
    });
    shown.await.map(Json)
}

/// Writes the file of one that can be copied in.
pub(crate) async fn put(
    State(storms): State<Storms>,
    Path(name): Path<String>,
    asked: Asked<Written>,
) -> Result<Json<Value>, Refusal> {
    let Json(written) = asked?;
    let put = beside(move || {
        let (name, folder) = (Name::new(name.trim())?, &storms.templates);
        if written.revision.is_none() {
            vacant(folder, &name)?;
        }
        let agent = storms.made(&name, &written, text(folder, &name)?.as_deref())?;
        file::write(&agent_path(folder, &name), agent.file.write().as_bytes())?;
        Ok(storms.line(&agent, true))
    });
    put.await.map(Json)
}

/// Removes one that can be copied in; the copies stay.
pub(crate) async fn remove(
    State(storms): State<Storms>,
    Path(name): Path<String>,
) -> Result<StatusCode, Refusal> {
    beside(move || {
        let name = Name::new(&name)?;
        let path = agent_path(&storms.templates, &name);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(StatusCode::NO_CONTENT),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(unknown(&name)),
            Err(error) => Err(home::FileError::new("remove", &path, error).into()),
        }
    })
    .await
}

/// One of a session, as a form has it.
pub(crate) async fn copy(
    State(storms): State<Storms>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Json<Value>, Refusal> {
    let shown = beside(move || {
        let (name, folder) = (Name::new(&name)?, storms.shelf.open(&id)?.agents_folder());
        let text = text(&folder, &name)?.ok_or_else(|| unknown(&name))?;
        Ok(storms.form(&name, &text))
    });
    shown.await.map(Json)
}

/// Writes the file of one of a session, until something was said in it.
pub(crate) async fn put_copy(
    State(storms): State<Storms>,
    Path((id, name)): Path<(String, String)>,
    asked: Asked<Written>,
) -> Result<Json<Value>, Refusal> {
    let Json(written) = asked?;
    let put = beside(move || {
        let (name, stored) = (Name::new(name.trim())?, storms.shelf.open(&id)?);
        let folder = stored.agents_folder();
        if written.revision.is_none() {
            vacant(&folder, &name)?;
        }
        let agent = storms.made(&name, &written, text(&folder, &name)?.as_deref())?;
        stored.put_agent(&name, &agent.file)?;
        Ok(storms.line(&agent, true))
    });
    put.await.map(Json)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Template {
    template: String,
}

/// Copies one into a session, until something was said in it.
pub(crate) async fn copy_in(
    State(storms): State<Storms>,
    Path(id): Path<String>,
    asked: Asked<Template>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let Json(Template { template }) = asked?;
    beside(move || {
        let stored = storms.shelf.open(&id)?;
        let agent = named(&storms.templates()?, &template)?;
        vacant(&stored.agents_folder(), &agent.name)?;
        stored.put_agent(&agent.name, &agent.file)?;
        Ok((StatusCode::CREATED, Json(storms.line(&agent, true))))
    })
    .await
}

/// Removes one of a session, until something was said in it.
pub(crate) async fn drop_copy(
    State(storms): State<Storms>,
    Path((id, name)): Path<(String, String)>,
) -> Result<StatusCode, Refusal> {
    beside(move || {
        storms.shelf.open(&id)?.drop_agent(&Name::new(&name)?)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
