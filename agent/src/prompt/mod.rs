//! What the model sees: the owner's template, filled once with bounded, fenced sections.
//!
//! What is stable from turn to turn comes first and what changes comes last, because every model server
//! reuses the longest beginning that two prompts share. The fences and the broken markers are tidiness,
//! no boundary: what a model does with a text is never certain, and the wall stands elsewhere.

mod template;

mod limits;
mod sections;

mod actions;
mod form;
mod history;
mod near;
mod next;

mod gloss;
mod handed;
mod narrow;
mod offered;
mod once;
mod relevance;
mod said;
mod wishes;
mod words;

mod fence;

use protocol::ActionCard;

pub use fence::Fence;
pub use gloss::Gloss;
pub(crate) use gloss::{read as read_gloss, schema as gloss_schema, wants_gloss};
pub(crate) use narrow::{Asked, Shape, narrowed};
pub(crate) use offered::choice;
pub(crate) use said::{Said, is_long, telling};
pub use template::{PLACEHOLDERS, Template, TemplateError};

use limits::Limits;
use sections::Manner;

use crate::model::Fit;
use crate::notice::Notice;
use crate::observation::Observation;
use crate::workspace::{self, Artifact, History, Memory};

/// What goes into a prompt, unbounded and as it is.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
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

/// A prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// What the model sees.
    pub text: String,
    /// How much of it, in bytes from its front, is the same from turn to turn: the rules, without anything that
    /// was said or has come in.
    pub stable: usize,
    /// What was left out so that it fits, in words for people.
    pub cut: Vec<String>,
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

    /// Looks at the template before prompts are rendered with it: one that can't be used is replaced by the
    /// built-in one. What the owner should hear of it is said once for every change.
    #[must_use]
    pub fn check(&mut self, text: &str) -> Vec<Notice> {
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

    /// Fills the template that was checked last, for a model of that kind. If it would be too long, older things are left
    /// out of it, which it says. The message never is, so what comes of a very long one does not fit.
    #[must_use]
    pub fn render(&self, parts: &Parts<'_>, fit: Fit<'_>) -> Rendered {
        let mut limits = Limits::ORDINARY;
        let mut cut: Vec<String> = Vec::new();
        loop {
            let rendered = self.render_within(parts, fit, &limits, &cut);
            let excess = rendered.text.len().saturating_sub(fit.bytes);
            if excess == 0 {
                return rendered;
            }
            let sizes = sections::sizes(parts, fit.way, &limits);
            // What says that something was left out needs room, too.
            let Some(what) = limits.give(&sizes, excess + MARK) else { return rendered };
            if !cut.iter().any(|known| known == what) {
                cut.push(what.to_owned());
            }
        }
    }

    fn render_within(
        &self,
        parts: &Parts<'_>,
        fit: Fit<'_>,
        limits: &Limits,
        cut: &[String],
    ) -> Rendered {
        let (text, template) = match &self.checked {
            Some((text, Some(template))) => (text.as_str(), template),
            _ => (workspace::PROMPT, &self.built_in),
        };
        let has_place = template.has_place_for_the_form();
        let manner = Manner { fit, has_place, limits, cut };
        let values = sections::values(parts, text, manner, &mut self.fence.clone());
        let [front, rest] = template.render(&values).unwrap_or_else(|error| {
            // A checked template can't fail; if the engine thinks otherwise, the message still arrives.
            tracing::error!(%error, "PROMPT.md can't be filled");
            [String::new(), values.values().map(String::as_str).collect::<Vec<_>>().join("\n")]
        });
        Rendered { stable: front.len(), text: front + &rest, cut: cut.to_vec() }
    }
}

/// Room for the words that say what was left out, in bytes.
const MARK: usize = 100;

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
