//! Personas: the minds that a session may think with. The default one is SOUL.md with the configured model.
//!
//! Each file `workspace/personas/<Name>.md` is a persona. It has the form of AIStorm's agent file: a line with
//! `<aistorm type="OpenAI" model="gpt-4" />`, and the instructions below it. A persona narrows what a session is offered and
//! never widens it: the wall, the owner's settings and the trust bits stay as they are.
//!
//! Each file `workspace/skills/<name>.md` is a policy skill: what people of a role are answered with, whoever answers. It narrows
//! as well. It has nothing to do with the router's skills, which are programs.

mod file;
mod mention;
mod policy_skill;
mod reach;

mod folder;
mod policy_skills;
mod roster;

mod cast;

use std::collections::BTreeSet;

use cadence::Cadence;
use protocol::SetName;
use settings::Target;

pub use cast::{Cast, PersonaError};
pub use file::PersonaFileError;
pub use folder::Fault;
pub use mention::mentioned;
pub use policy_skill::{PolicySkillError, SkillRole};
pub use policy_skills::{PolicyFolder, PolicySkills};
pub use reach::{Unreached, reached};
pub use roster::Roster;

/// Who thinks.
#[derive(Debug, Clone, PartialEq)]
pub struct Persona {
    /// Its name: that of its file without `.md`.
    pub name: String,
    /// Its instructions, which stand where SOUL.md does.
    pub soul: String,
    /// The model that it thinks with.
    pub target: Target,
    /// How freely the model chooses its words, from 0 to 2; 0 when absent.
    pub temperature: Option<f64>,
    /// The sets of actions that it is offered, of those that are on; all of them when absent.
    pub sets: Option<BTreeSet<SetName>>,
    /// Whether a message has it take a few steps, or as many as a task at the workbench may take.
    pub cadence: Cadence,
}

/// How people of some roles are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySkill {
    /// Its name.
    pub name: String,
    /// What it is for, on one line.
    pub description: String,
    /// The roles for which it counts; the owner's alone when the file names none.
    pub roles: BTreeSet<SkillRole>,
    /// The only actions that are offered where it counts, of those that are offered anyway; all of them when absent.
    pub actions: Option<BTreeSet<String>>,
    /// What a model is told.
    pub instructions: String,
}
