//! Who is received, and how, by what the owner has set.

use business::{Channels, NotedIn, Reception};
use conversation::workspace::Workspace;
use settings::Settings;

/// The reception. Strangers can come over Telegram alone; a program of another channel has a token of the owner's.
pub(super) fn open(settings: &Settings, workspace: &Workspace) -> Reception {
    let (config, telegram) = (&settings.config, &settings.config.telegram);
    let channels = Channels {
        modes: [("telegram".to_owned(), telegram.default_mode)].into(),
        allowed: telegram.allow.iter().map(|id| format!("telegram-{id}")).collect(),
    };
    let noted = NotedIn { chosen: settings.chosen.clone(), settings: settings.file.clone() };
    Reception::open(workspace.folder(), workspace.notices(), config.bot_mode, channels)
        .with_allowance(config.customers)
        .noted_in(noted)
}
