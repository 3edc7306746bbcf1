//! What the model sees: the owner's template, filled once with bounded, fenced sections.
//!
//! What is stable from turn to turn comes first and what changes comes last, because every model server
//! reuses the longest beginning that two prompts share. The fences and the broken markers are tidiness,
//! no boundary: what a model does with a text is never certain, and the wall stands elsewhere.

mod actions;
mod fence;
mod history;
mod sections;
pub(crate) mod tame;
mod template;

use protocol::ActionCard;

pub use fence::Fence;
pub use template::{PLACEHOLDERS, Template, TemplateError};

use crate::action::Observation;
use crate::notice::Notice;
use crate::workspace::{self, Artifact, History, Memory};

/// What goes into a prompt, unbounded and as it is.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The text of PROMPT.md.
    pub template: &'a str,
    /// The text of SOUL.md.
    pub soul: &'a str,
    /// The local actions.
    pub agent_actions: &'a [ActionCard],
    /// The actions that the router can run.
    pub router_actions: &'a [ActionCard],
    /// What the agent knows.
    pub memory: &'a Memory,
    /// What the latest earlier turn that acted brought.
    pub artifact: &'a Artifact,
    /// What was said before.
    pub history: &'a History,
    /// What the user says now.
    pub message: &'a str,
    /// What this turn's actions have brought by now.
    pub so_far: &'a [Observation],
    /// What is wrong with the answer that the model gave to this prompt.
    pub repair: Option<&'a str>,
}

/// A prompt, and what the owner should hear about the template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// What the model sees.
    pub text: String,
    /// Said once for every change of the template.
    pub notices: Vec<Notice>,
}

/// Makes the prompts of one session.
#[derive(Debug)]
pub struct Prompt {
    fence: Fence,
    /// The template that was checked last, with its text; `None` in it if it can't be used.
    checked: Option<(String, Option<Template>)>,
    built_in: Template,
}

impl Prompt {
    /// Prompts of a session with this fence.
    ///
    /// # Errors
    /// [`TemplateError`] of the built-in template; a test says that there is none.
    pub fn new(fence: Fence) -> Result<Self, TemplateError> {
        Ok(Self { fence, checked: None, built_in: Template::new(workspace::PROMPT)? })
    }

    /// Fills the template. If it can't be used, the built-in one is, and that is said.
    #[must_use]
    pub fn render(&mut self, parts: &Parts<'_>) -> Rendered {
        let notices = self.check(parts.template);
        let values = sections::values(parts, &mut self.fence);
        let template = self.checked.as_ref().and_then(|(_, template)| template.as_ref());
        let text = template.unwrap_or(&self.built_in).render(&values);
        match text {
            Ok(text) => Rendered { text, notices },
            // A checked template can't fail; if the engine thinks otherwise, the message still arrives.
            Err(error) => Rendered {
                text: values.values().map(String::as_str).collect::<Vec<_>>().join("\n"),
                notices: vec![Notice::new(format!("PROMPT.md can't be filled: {error}"))],
            },
        }
    }

    fn check(&mut self, text: &str) -> Vec<Notice> {
        if self.checked.as_ref().is_some_and(|(checked, _)| checked == text) {
            return Vec::new();
        }
        let (template, notices) = match Template::new(text) {
            Ok(template) => {
                let notices = template.missing().iter().map(|name| left_out(name)).collect();
                (Some(template), notices)
            }
            Err(error) => (None, vec![unusable(&error)]),
        };
        self.checked = Some((text.to_owned(), template));
        notices
    }
}

fn left_out(name: &str) -> Notice {
    Notice::new(format!("PROMPT.md leaves out {{{{{name}}}}}, so the model does not see it"))
}

fn unusable(error: &TemplateError) -> Notice {
    Notice::new(format!(
        "PROMPT.md can't be used: {error}; the built-in one is used until it is mended"
    ))
}

#[cfg(test)]
mod tests;
