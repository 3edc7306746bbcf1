//! Who speaks in a new storm: copies of the personas that there are, or three agents to begin with.

use std::path::Path;

use home::{FileError, nearest};
use persona::{Persona, PersonaFileError};
use settings::{Llm, ProviderName, Target};
use storm::{Agent, AgentFile, Cast, CastError, Name, NameError};
use storm_runner::{ShelfError, agent_files};

/// The agents of a storm for which nobody has written any: their names and their instructions.
const FIRST: [(&str, &str); 3] = [
    (
        "Creative Thinker",
        "You are a creative thinking expert who specializes in generating innovative ideas.\n\
         Always think outside the box and challenge conventional wisdom.\n\
         When presented with a problem, explore multiple angles and perspectives.\n\
         Provide ideas that are both creative and practical.",
    ),
    (
        "Critical Analyst",
        "You weigh ideas and look for what could go wrong with them.\n\
         Name the weakest point of what was said first, and then what would mend it.\n\
         Be brief and fair.",
    ),
    (
        "Practical Implementer",
        "You turn ideas into steps that can be taken.\n\
         Say what to do first, what it takes, and what can wait.\n\
         Be brief and concrete.",
    ),
];

/// Why nobody was found for a new storm.
#[derive(Debug, thiserror::Error)]
pub enum CastingError {
    /// A file of a persona.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// What a file of a persona says.
    #[error("{name}.md can't be used: {why}")]
    Persona {
        /// The persona's name.
        name: String,
        /// What is wrong with it.
        why: PersonaFileError,
    },
    /// Their folder.
    #[error(transparent)]
    File(#[from] FileError),
    /// They can't take turns together.
    #[error(transparent)]
    Cast(#[from] CastError),
    /// A name that nobody could have.
    #[error(transparent)]
    Name(#[from] NameError),
    /// There is nobody of that name.
    #[error("there is no persona {name} in {folder}{hint}")]
    Unknown {
        /// The name that was given.
        name: String,
        /// Where personas are.
        folder: String,
        /// The nearest name, or what makes one.
        hint: String,
    },
}

/// Those of `wanted` among the personas of a folder, all of them if nobody is named, and if there is none, three that
/// `first` thinks for.
pub fn casting(personas: &Path, wanted: &[String], first: &Target) -> Result<Cast, CastingError> {
    let mut there = Vec::new();
    for (name, agent) in agent_files(personas)? {
        let agent = agent.map_err(CastingError::from).and_then(|agent| {
            let read = Persona::of(&name, &agent.file);
            read.map(|_| agent).map_err(|why| CastingError::Persona { name: name.clone(), why })
        });
        match agent {
            Ok(agent) => there.push(agent),
            // A file that nobody asked for stops no other.
            Err(error)
                if !wanted.iter().any(|wanted| wanted.trim().eq_ignore_ascii_case(&name)) =>
            {
                tracing::warn!(%error, "a persona is left out");
            }
            Err(error) => return Err(error),
        }
    }
    if wanted.is_empty() {
        return Ok(Cast::new(if there.is_empty() { beginners(first)? } else { there })?);
    }
    let mut chosen = Vec::new();
    for name in wanted {
        let found =
            there.iter().find(|agent| agent.name.as_str().eq_ignore_ascii_case(name.trim()));
        chosen.push(found.ok_or_else(|| unknown(name, personas, &there))?.clone());
    }
    chosen.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Cast::new(chosen)?)
}

fn unknown(name: &str, personas: &Path, there: &[Agent]) -> CastingError {
    let hint = match nearest(name, there.iter().map(|agent| agent.name.as_str())) {
        Some(near) => format!("; did you mean {near}?"),
        None => format!(
            "; write {name}.md there, with a line such as <aistorm type=\"OpenAI\" model=\"gpt-4\" />"
        ),
    };
    CastingError::Unknown { name: name.to_owned(), folder: personas.display().to_string(), hint }
}

pub(super) fn beginners(first: &Target) -> Result<Vec<Agent>, NameError> {
    let own = Llm::default().target();
    let target = if *first == Target::OFFLINE { &own } else { first };
    let agent = |(name, prompt): (&str, &str)| {
        let file = AgentFile::new(written(target.provider), &target.model, prompt);
        Ok(Agent { name: Name::new(name)?, file })
    };
    FIRST.into_iter().map(agent).collect()
}

/// A provider as AIStorm spells it.
pub(super) fn written(provider: ProviderName) -> &'static str {
    match provider {
        ProviderName::Ollama => "Ollama",
        ProviderName::OpenAi => "OpenAI",
        ProviderName::Anthropic => "Anthropic",
        ProviderName::Gemini => "Gemini",
        ProviderName::Offline => "Offline",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn cast(folder: &Path, wanted: &[&str], first: &str) -> Result<Vec<(String, String)>, String> {
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        let cast =
            casting(folder, &wanted, &first.parse().unwrap()).map_err(|error| error.to_string())?;
        let told = |agent: &Agent| {
            (agent.name.to_string(), format!("{}:{}", agent.file.service(), agent.file.model()))
        };
        Ok(cast.agents().iter().map(told).collect())
    }

    #[test]
    fn a_persona_that_nobody_can_think_for_stops_no_storm_but_one_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, kind: &str| {
            let text = format!("<aistorm type=\"{kind}\" model=\"m\" />\n\nYou are {name}.\n");
            fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
        };
        put("bad", "olama");
        put("coder", "ollama");
        let all = cast(folder.path(), &[], "openai:gpt-4").unwrap();
        assert_eq!(all, [("coder".to_owned(), "ollama:m".to_owned())]);
        let why = cast(folder.path(), &["Bad"], "openai:gpt-4").unwrap_err();
        assert!(why.starts_with("bad.md can't be used: its type is \"olama\""), "{why}");
    }

    #[test]
    fn personas_are_copied_and_without_any_there_are_three_to_begin_with() {
        let folder = tempfile::tempdir().unwrap();
        let first = cast(folder.path(), &[], "openai:gpt-4").unwrap();
        let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Creative Thinker", "Critical Analyst", "Practical Implementer"]);
        assert!(first.iter().all(|(_, model)| model == "OpenAI:gpt-4"), "{first:?}");
        assert_eq!(cast(folder.path(), &[], "offline").unwrap()[0].1, "Ollama:llama3.1:8B");
        for name in ["Poet", "Cook", "Judge"] {
            let text = format!("<aistorm type=\"Ollama\" model=\"{name}\" />\n\nx\n");
            fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
        }
        let names = |wanted: &[&str]| {
            let cast = cast(folder.path(), wanted, "offline");
            cast.map(|cast| cast.into_iter().map(|(name, _)| name).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap(), ["Cook", "Judge", "Poet"]);
        assert_eq!(names(&["poet", "Cook"]).unwrap(), ["Cook", "Poet"]);
        fs::write(folder.path().join("Broken.md"), "You are nobody.").unwrap();
        assert_eq!(names(&[]).unwrap(), ["Cook", "Judge", "Poet"]);
        assert!(names(&["Broken"]).unwrap_err().contains("has no line such as"));
        let unknown = names(&["Poett"]).unwrap_err();
        assert!(unknown.ends_with("did you mean Poet?"), "{unknown}");
        assert!(names(&["Cook", "cook"]).unwrap_err().contains("two agents are called Cook"));
    }
}
