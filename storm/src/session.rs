//! AIStorm's later layout: `<id>.session.md`, with the premise, the agents and the messages in one file. It is
//! read, and written in the earlier one.

use crate::agent_file::{AgentFile, AgentFileError};
use crate::cast::Agent;
use crate::log::{Log, LogError, Warning};
use crate::name::{Name, NameError};
use crate::premise::{Premise, PremiseError};
use crate::segment::Segment;

/// All that stands in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// What it is about, if it says so.
    pub premise: Option<Premise>,
    /// Those who speak, in the order of the file.
    pub agents: Vec<Agent>,
    /// What was said.
    pub log: Log,
}

/// Why a text is no session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// It is none at all.
    #[error(transparent)]
    Log(#[from] LogError),
    /// Its premise is none.
    #[error(transparent)]
    Premise(#[from] PremiseError),
    /// One of its agents has no name, or none that a file could have.
    #[error("line {line}: the agent has no name that a file could have")]
    Name {
        /// The line of its tag, from 1 on.
        line: usize,
        /// What is wrong with the name, if there is one.
        source: Option<NameError>,
    },
    /// One of its agents can't be asked.
    #[error("line {line}: the agent can't be read")]
    Agent {
        /// The line of its tag, from 1 on.
        line: usize,
        /// What is missing.
        source: AgentFileError,
    },
}

impl Session {
    /// Reads a session, and says which pieces of it can't be read as messages.
    ///
    /// # Errors
    /// [`SessionError`] when its premise or one of its agents can't be read, or it is no session.
    pub fn read(text: &str) -> Result<(Self, Vec<Warning>), SessionError> {
        let segments = Segment::all(text);
        if segments.is_empty() {
            return Err(LogError::NoTag.into());
        }
        let (mut session, mut warnings) = (Self::default(), Vec::new());
        for segment in &segments {
            match segment.kind() {
                Some("premise") if session.premise.is_none() => {
                    session.premise = Some(Premise::of(segment)?);
                }
                Some("agent") => session.agents.push(agent(segment)?),
                _ => session.log.add(segment, &mut warnings),
            }
        }
        Ok((session, warnings))
    }
}

fn agent(segment: &Segment<'_>) -> Result<Agent, SessionError> {
    let line = segment.line;
    let name = segment.properties.get("name").map(|name| Name::new(name.trim()));
    let name = match name {
        Some(Ok(name)) => name,
        Some(Err(source)) => return Err(SessionError::Name { line, source: Some(source) }),
        None => return Err(SessionError::Name { line, source: None }),
    };
    let read = AgentFile::of(segment).map_err(|source| SessionError::Agent { line, source })?;
    // In a file of its own it is written in the earlier form, and its name is that of the file.
    let mut file = AgentFile::new(read.service(), read.model(), &read.prompt);
    for (key, value) in read.properties.iter() {
        if !["type", "name", "service", "model"].contains(&key) {
            file.properties.set(key, value);
        }
    }
    Ok(Agent { name, file })
}

#[cfg(test)]
mod tests;
