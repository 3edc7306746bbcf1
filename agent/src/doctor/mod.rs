//! A checkup of the agent's side: its settings, its files, the models, the browser, the channels. It writes nothing.

mod browser;
mod channels;
mod clock;
mod files;
mod model;

pub use browser::browser;

use home::{Check, Home};
use settings::{Settings, SettingsError};

/// Looks at everything that an agent of `home` needs.
pub async fn checks(home: &Home) -> Vec<Check> {
    let mut checks = files::checks(home);
    match Settings::look(home) {
        Ok(settings) => {
            checks.insert(0, settled(&settings));
            checks.extend(model::checks(&settings).await);
            checks.push(browser(&settings));
            checks.push(clock::check(home, &settings));
            checks.extend(channels::checks(home, &settings).await);
        }
        Err(error) => checks.insert(0, unreadable(&error)),
    }
    checks
}

/// The name of the settings' line.
const SETTINGS: &str = "agent settings";

fn settled(settings: &Settings) -> Check {
    if settings.warnings.is_empty() {
        return Check::ok(SETTINGS, "agent/config.json and .env can be read");
    }
    let seen = settings.warnings.join("; ");
    Check::warn(SETTINGS, seen, "change or remove what is named there")
}

fn unreadable(error: &SettingsError) -> Check {
    Check::fail(
        SETTINGS,
        error.to_string(),
        "change what is named there; the agent does not start before",
    )
}
