//! `start_router notify`: the owner's own address that NOTIFY sends to, tried before it is kept.

use std::sync::Arc;

use clap::Args;
use egress::Target;
use home::{FileError, Home, file};
use protocol::{ActionName, NameError, Object, json};
use secrets::Secrets;
use serde_json::{Value, json};

use super::wishes::{self, WishError};
use crate::catalog::{self, Found, Pins, Skill, Standing};
use crate::config::{self, RouterConfig, SettingsError};
use crate::runner::gate::Gates;
use crate::runner::job;
use crate::sandbox::{Launcher, SelfCommand};

/// The skill.
const SKILL: &str = "NOTIFY";

/// What is sent to try an address.
const TEST: &str = "SafeClaw can reach you here.";

/// `notify` and what stands behind it.
#[derive(Debug, Args)]
pub(super) struct Notify {
    /// An address of yours, such as https://ntfy.sh/a-name-that-nobody-guesses. Without it, this says what is set.
    url: Option<String>,
    /// The address is on this machine or in your own network, and NOTIFY may reach it there.
    #[arg(long, requires = "url")]
    private: bool,
    /// Send nothing any more, and forget the address.
    #[arg(long, conflicts_with = "url")]
    off: bool,
}

/// Why NOTIFY is as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotifyError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Wish(#[from] WishError),
    /// It can't be used, whatever the address.
    #[error("{0}")]
    Unfit(String),
    /// The test line did not get through.
    #[error("{0}; nothing was changed")]
    Failed(String),
}

/// Does what `command` says.
pub(super) async fn run(home: &Home, me: &SelfCommand, command: Notify) -> Result<(), NotifyError> {
    crate::defaults::write_missing(home)?;
    let said = match &command.url {
        Some(url) => turn_on(home, me, url.trim(), command.private).await?,
        None if command.off => {
            wishes::change(home, |skills| {
                skills.shift_remove(SKILL);
            })?;
            "notifications are off, and the address is forgotten".to_owned()
        }
        None => told(home)?,
    };
    home::say!("{said}");
    Ok(())
}

/// What is set. The path of an address is as good as a password, so it is not shown.
fn told(home: &Home) -> Result<String, NotifyError> {
    let config = wishes::read(home)?;
    let url = config["skills"][SKILL]["settings"]["url"].as_str().unwrap_or_default();
    Ok(match url.parse::<Target>() {
        Ok(target) => format!(
            "notifications go to {}; `{}` stops that",
            target.origin().authority(),
            home::router_command("notify --off")
        ),
        Err(_) => {
            format!("notifications are off: `{}` turns them on", home::router_command("notify URL"))
        }
    })
}

/// Sends a line to `url` as the skill itself would, and keeps the address once it was taken.
async fn turn_on(
    home: &Home,
    me: &SelfCommand,
    url: &str,
    private: bool,
) -> Result<String, NotifyError> {
    let target: Target =
        url.parse().map_err(|error: egress::TargetError| NotifyError::Failed(error.to_string()))?;
    let endpoint = target.origin().endpoint.to_string();
    let mut config = config::read_config(home).map_err(SettingsError::from)?;
    let wishes = config.skills.entry(SKILL.to_owned()).or_default();
    wishes.enabled = true;
    wishes.dry_run = false;
    wishes.settings.insert("url".to_owned(), url.to_owned());
    wishes.allow_private = private.then(|| endpoint.clone()).into_iter().collect();
    let skill = skill(home, &config)?;
    let answer = try_it(home, me, &skill).await.map_err(|why| advised(why, url, private))?;
    wishes::change(home, |skills| {
        let mut kept = json!({"settings": {"url": url}});
        if private {
            kept["allow_private"] = json!([endpoint]);
        }
        skills.insert(SKILL.to_owned(), kept);
    })?;
    Ok(format!(
        "{} answered {}: look whether it says \"{TEST}\".\nNotifications are on: say `Notify me: dinner is ready` in a chat; \
         you are asked before each one",
        target.origin().authority(),
        answer["status"]
    ))
}

fn skill(home: &Home, config: &RouterConfig) -> Result<Arc<Skill>, NotifyError> {
    let name = ActionName::new(SKILL)?;
    let found = catalog::scan(&home.router_skills(), config, &Found::default());
    let Some(skill) = found.skills.get(&name) else {
        let why = found.broken_folder(&name).map(ToString::to_string);
        let gone = || format!("there is no skill {SKILL}: router/skills/notify was removed here");
        return Err(NotifyError::Unfit(why.unwrap_or_else(gone)));
    };
    match catalog::standing(&Pins::of(home).known(), skill) {
        Standing::Held(why) => {
            Err(NotifyError::Unfit(catalog::held_back(skill.name(), &why).message))
        }
        _ => Ok(Arc::clone(skill)),
    }
}

/// Runs `skill` in its sandbox, with the way to the network that a call has.
async fn try_it(home: &Home, me: &SelfCommand, skill: &Skill) -> Result<Value, String> {
    let log = home.router_log();
    file::make_folder(&log).map_err(|error| error.to_string())?;
    let launcher = Launcher::open(me.clone(), &std::env::temp_dir()).await;
    let launcher = launcher.map_err(|error| error.to_string())?;
    let gates = Gates::new(Secrets::default());
    let gate = gates.open(skill, &Object::new()).await.map_err(|stopped| stopped.message)?;
    let mut job = job(skill, Some(&gate), skill.timeout);
    for (name, value) in [("MODE", "once"), ("MESSAGE_ID", "command-line"), ("ATTEMPT", "1")] {
        job.env.push((format!("SAFECLAW_{name}"), value.to_owned()));
    }
    let input = json!({"text": TEST}).to_string();
    let output = launcher.once(&job, input.as_bytes(), &log.join("notify.log")).await;
    gate.close().await;
    let output = output.map_err(|error| error.to_string())?;
    let answer = json::parse_object(&output).map_err(|error| error.to_string())?;
    match answer.get("error").and_then(Value::as_str) {
        Some(why) => Err(catalog::printable(why)),
        None => Ok(Value::Object(answer)),
    }
}

/// `why`, with the way to let NOTIFY reach an address at home.
fn advised(why: String, url: &str, private: bool) -> NotifyError {
    if private || !why.contains("which is not public") {
        return NotifyError::Failed(why);
    }
    let (why, _) = why.split_once(": if you trust").unwrap_or((&why, ""));
    let again = home::router_command(&format!("notify {url} --private"));
    NotifyError::Failed(format!("{why}. If it is yours, `{again}` lets NOTIFY reach it"))
}
