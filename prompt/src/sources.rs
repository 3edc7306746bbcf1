//! All that a prompt is made of, gathered for one step.

use conversation::workspace::Entered;

use super::actions::{OwnActions, RouterActions};
use super::closing::Closing;
use super::form::HowToAnswer;
use super::history::Past;
use super::known::Known;
use super::memory::Facts;
use super::message::Message;
use super::near::{Alike, Fitting};
use super::noted::Noted;
use super::results::{Earlier, SoFar};
use super::screen::Screen;
use super::section::{Section, Source};
use super::soul::Soul;
use super::{Step, template};

/// What a prompt is made of.
pub struct Sources(Vec<Box<dyn Source>>);

/// The sections of one step. Nothing else can be rendered, and nothing else makes them than [`Sources::gather`], which raises
/// the conversation's bits: what a model is shown can't enter clean.
#[derive(Debug)]
pub struct Sections<'a>(Vec<(&'static str, Section<'a>)>);

impl Sources {
    /// What every prompt is made of. Those that share a placeholder stand there in this order.
    #[must_use]
    pub fn built_in() -> Self {
        Self(vec![
            Box::new(Soul),
            Box::new(OwnActions),
            Box::new(RouterActions),
            Box::new(HowToAnswer),
            Box::new(Facts),
            Box::new(Noted),
            Box::new(Earlier),
            Box::new(Past),
            Box::new(Fitting),
            Box::new(Alike),
            Box::new(Known),
            Box::new(Screen),
            Box::new(Message),
            Box::new(SoFar),
            Box::new(Closing),
        ])
    }

    /// The same and one more, which changes no prompt as long as it has nothing to say.
    #[must_use]
    pub fn with(mut self, source: impl Source + 'static) -> Self {
        self.0.push(Box::new(source));
        self
    }

    /// The placeholders that a template may name besides its own.
    #[must_use]
    pub fn optional(&self) -> Vec<&'static str> {
        let names = self.0.iter().map(|source| source.name());
        names.filter(|name| !template::is_own(name)).collect()
    }

    /// The sections of one step; what they bring has entered the conversation with this.
    pub async fn gather<'a>(&self, step: &Step<'a>, entered: &mut Entered) -> Sections<'a> {
        let mut sections = Vec::new();
        for source in &self.0 {
            if let Some(section) = source.section(step).await {
                entered.raise(section.taint, &section.origin);
                sections.push((source.name(), section));
            }
        }
        Sections(sections)
    }
}

impl<'a> Sections<'a> {
    /// Each with its placeholder.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &Section<'a>)> {
        self.0.iter().map(|(name, section)| (*name, section))
    }
}
