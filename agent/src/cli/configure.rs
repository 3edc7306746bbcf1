//! Changes a setting, with whoever answers questions about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use action::known_sets;
use conversation::workspace::Workspace;
use home::{FileError, Home};
use llm::{Host, PullError};
use model::{Endpoints, Maker, ModelError, Progress, Proof};
use protocol::SetName;
use settings::{Asker, Change, HttpSetUp, Key, Models, Settings, Target};

use super::pulls::Pulls;
use super::waits::Waits;
use crate::error::StartError;
use crate::start;

/// Sets the key called `name` in the settings of `home` to `given`, or asks for its value. Gives the file where it stands, unless
/// that was told already.
///
/// # Errors
/// [`StartError`] when there is no such key, the value does not fit, or what it names does not answer.
pub fn configure(
    home: &Home,
    name: &str,
    given: Option<&str>,
    asker: &mut (dyn Asker + Send),
) -> Result<Option<PathBuf>, StartError> {
    let key = Key::find(name)?;
    let settings = Settings::read(home)?;
    match key.name {
        "telegram" => set_up_telegram(home, settings, given, asker).map(|()| None),
        "http" => {
            let (env_file, token) = (&home.env_file(), settings.http_token);
            let file = &mut settings::open(&settings.file)?;
            HttpSetUp { env_file, file, token, asker }.run(given)?;
            Ok(None)
        }
        _ => {
            let mut file = settings::open(&settings.file)?;
            let models = AskedNow::of(&settings, home)?;
            let sets = if key.name == "sets" { sets(home) } else { Vec::new() };
            Change { file: &mut file, asker, models: &models, sets }.run(key, given)?;
            Ok(Some(file.path().to_owned()))
        }
    }
}

/// Chooses the model of `home` among those that answer on this machine, and others. It answers once before it counts, and
/// Ollama fetches one that is not there yet. One that is kept need not answer: why it does not is given back, in words.
///
/// # Errors
/// [`StartError`]; the settings are as before then.
pub fn choose_model(
    home: &Home,
    given: Option<&str>,
    fetch: bool,
    asker: &mut (dyn Asker + Send),
) -> Result<Option<String>, StartError> {
    let settings = Settings::read(home)?;
    let mut file = settings::open(&settings.file)?;
    let models = AskedNow::of(&settings, home)?;
    let mut change = Change { file: &mut file, asker, models: &models, sets: Vec::new() };
    let chosen = match given {
        Some(given) => change.model_given(given, fetch).map(|()| None),
        None => change.first_model(),
    };
    Ok(chosen?.map(|error| format!("{:#}", anyhow::Error::new(error))))
}

/// The sets of actions that there are; none where no router has said yet what it can run.
fn sets(home: &Home) -> Vec<SetName> {
    if !home.workspace().is_dir() {
        return Vec::new();
    }
    let workspace = Workspace::open(home.workspace());
    let cards = [workspace.agent_actions.read(), workspace.router_actions.read()];
    if cards[1].0.is_empty() { Vec::new() } else { known_sets(&cards).into_keys().collect() }
}

#[cfg(feature = "telegram")]
fn set_up_telegram(
    home: &Home,
    settings: Settings,
    given: Option<&str>,
    asker: &mut (dyn Asker + Send),
) -> Result<(), StartError> {
    use channel::telegram::{SetUp, SetUpError};
    if given.is_some() {
        return Err(SetUpError::Given.into());
    }
    let set_up = SetUp {
        workspace: &home.workspace(),
        env_file: &home.env_file(),
        file: &mut settings::open(&settings.file)?,
        token: settings.telegram_token,
        asker,
        runtime: &start::runtime()?,
    };
    Ok(set_up.run()?)
}

#[cfg(not(feature = "telegram"))]
fn set_up_telegram(
    _: &Home,
    _: Settings,
    _: Option<&str>,
    _: &mut (dyn Asker + Send),
) -> Result<(), StartError> {
    Err(StartError::NotBuilt("telegram"))
}

/// Has the file of the Telegram channel at `to` know what a set-up has written to that at `from`, if it has: the code of its new
/// owner is no message.
///
/// # Errors
/// [`FileError`] when it can't be written.
pub fn carry_telegram(from: &Path, to: &Path) -> Result<(), FileError> {
    #[cfg(feature = "telegram")]
    channel::telegram::carry(from, to, protocol::Millis::of_this_machine())?;
    let _ = (from, to);
    Ok(())
}

/// Asks models while a setting is changed.
struct AskedNow {
    runtime: tokio::runtime::Runtime,
    maker: Maker,
}

impl AskedNow {
    fn of(settings: &Settings, home: &Home) -> Result<Self, StartError> {
        let known = Arc::new(Endpoints::at(&home.workspace()));
        Ok(Self { runtime: start::runtime()?, maker: settings.maker(known) })
    }
}

impl Models for AskedNow {
    fn list(&self, target: &Target) -> Result<Vec<String>, ModelError> {
        let listed = self.runtime.block_on(self.maker.endpoint(target)?.models())?;
        Ok(listed.into_iter().map(|model| model.name).collect())
    }

    fn prove(&self, target: &Target) -> Result<Proof, ModelError> {
        let mut waits = Waits::new(format!("asking {target}"));
        let mut tell = |step: Progress<'_>| waits.hear(&step);
        self.runtime.block_on(model::prove(&*self.maker.endpoint(target)?, &mut tell))
    }

    fn pull(&self, target: &Target) -> Result<(), PullError> {
        let (own, model) = (self.maker.ollama_host.as_deref(), &target.model);
        let host = Host::new(target.base_url.as_deref().or(own).unwrap_or_default())?;
        let mut shown = Pulls::new(model);
        self.runtime.block_on(llm::pull(&host, model, |step| shown.hear(&step)))
    }
}
