//! The questions of the set-up. Another one is a file here and a line in [`ALL`].

mod asks;
mod browser;
mod clock;
mod model;
mod page;
mod papers;
mod pin;
mod place;
mod queue;
mod telegram;
mod window;

use settings::{Asker, Settings};

use super::draft::Draft;
use super::{Init, InitError};

/// Whoever answers.
pub(super) type Person = dyn Asker + Send;

/// One thing that is set up.
pub(super) trait Question {
    /// What it is called in the summary.
    fn name(&self) -> &'static str;

    /// Takes what the command line says of it; whether it says anything.
    fn take(&self, given: &Init, draft: &Draft, person: &mut Person) -> Result<bool, InitError>;

    /// Asks for it. An answer counts once it was tried.
    fn ask(&self, draft: &Draft, person: &mut Person) -> Result<(), InitError>;

    /// How it will be, for people.
    fn now(&self, draft: &Draft) -> Result<String, InitError>;
}

/// All of them, in the order in which they are asked.
pub(super) const ALL: [&dyn Question; 10] = [
    &model::Model,
    &telegram::Telegram,
    &page::Page,
    &window::Window,
    &papers::Papers,
    &asks::Asks,
    &pin::OwnersPin,
    &clock::Clock,
    &browser::Browser,
    &queue::Queue,
];

/// The agent's settings as they will be.
fn settings(draft: &Draft) -> Result<Settings, InitError> {
    Settings::look(draft.home()).map_err(|error| InitError::Agent(error.into()))
}
