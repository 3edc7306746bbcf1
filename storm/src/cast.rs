//! Those who take turns in a storm.

use crate::agent_file::AgentFile;
use crate::name::{Name, is_person, is_same};

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// How it is called.
    pub name: Name,
    /// What it is.
    pub file: AgentFile,
}

/// All of them in the order in which they speak: at least one, and no two that could be taken for each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cast(Vec<Agent>);

/// Why nobody can take turns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CastError {
    /// There is nobody.
    #[error("there are no agents; put a file such as `Creative Thinker.md` into its folder Agents")]
    Empty,
    /// Two have one name; letter case does not tell them apart.
    #[error("two agents are called {0}; rename one of their files")]
    Twice(Name),
    /// The file of one can't be read.
    #[error("{file} can't be read: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// It would be taken for the person.
    #[error("an agent may not be called {0}, for that is the person; rename its file")]
    Person(Name),
}

impl Cast {
    /// Those who speak, in their order.
    ///
    /// # Errors
    /// [`CastError`] when there is nobody, or somebody could be taken for another.
    pub fn new(agents: Vec<Agent>) -> Result<Self, CastError> {
        if agents.is_empty() {
            return Err(CastError::Empty);
        }
        for (at, agent) in agents.iter().enumerate() {
            let name = agent.name.clone();
            if is_person(name.as_str()) {
                return Err(CastError::Person(name));
            }
            if agents[..at].iter().any(|other| is_same(other.name.as_str(), name.as_str())) {
                return Err(CastError::Twice(name));
            }
        }
        Ok(Self(agents))
    }

    /// All of them, in their order.
    #[must_use]
    pub fn agents(&self) -> &[Agent] {
        &self.0
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Agents with these names.
    pub(crate) fn agents(names: &[&str]) -> Vec<Agent> {
        let file = || AgentFile::new("OpenAI", "gpt-4", "You think.");
        names.iter().map(|name| Agent { name: Name::new(name).unwrap(), file: file() }).collect()
    }

    #[test]
    fn nobody_and_doubles_are_refused() {
        let refused = |names: &[&str]| Cast::new(agents(names)).unwrap_err();
        assert_eq!(refused(&[]), CastError::Empty);
        assert_eq!(refused(&["Critic", "critic"]), CastError::Twice(Name::new("critic").unwrap()));
        assert_eq!(refused(&["A", "human"]), CastError::Person(Name::new("human").unwrap()));
        assert_eq!(Cast::new(agents(&["B", "A"])).unwrap().agents()[0].name.as_str(), "B");
    }
}
