//! The workbench's process, in the sandbox of every skill, with one folder of the owner's.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use home::Home;
use protocol::json::parse_object;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::line::{self, Asked};
use super::{WorkError, author};
use crate::catalog::{self, Found, span};
use crate::cli::error::CommandError;
use crate::config::{self, RouterConfig, SettingsError, SkillConfig};
use crate::runner::job_of;
use crate::sandbox::{Launcher, Lent, Level, SelfCommand, Warm};

/// The manifest that says what a workbench may use.
const MANIFEST: &str = include_str!("../../../skills/workbench/skill.toml");

/// How much longer than the longest command its answer may take.
const MORE: Duration = Duration::from_secs(10);

/// A workbench at work. Dropping it ends all of it.
pub(super) struct Bench {
    process: Warm,
}

impl Bench {
    /// A workbench in `folder`. Nothing is started before the first command.
    pub(super) async fn open(
        home: &Home,
        me: &SelfCommand,
        folder: &Path,
        allow_env: bool,
    ) -> Result<Self, CommandError> {
        let launcher = Launcher::open(me.clone(), &std::env::temp_dir()).await;
        let launcher = Arc::new(launcher.map_err(WorkError::Unready)?);
        if launcher.found().level == Level::Nothing {
            let reasons = launcher.found().reasons.join("; ");
            return Err(WorkError::NoSandbox(reasons).into());
        }
        let limits = config::read_config(home).map_err(SettingsError::from)?.limits;
        let skill = skill(RouterConfig { limits, ..settings(folder, allow_env) })?;
        let mut job = job_of(&skill, span::LONGEST + MORE);
        // Something that is there must stand for its folder: all of it is compiled in.
        job.folder.clone_from(&me.exe);
        let lent = Lent::new("workspace", folder, true);
        job.lent = vec![lent];
        job.env.push(("SAFECLAW_MODE".to_owned(), "serve".to_owned()));
        job.env.extend(author::variables());
        let logs = home.router_log();
        home::file::make_folder(&logs)?;
        Ok(Self { process: launcher.serve(job, logs.join("workbench.log")) })
    }

    /// The line that answers `asked`.
    pub(super) async fn command(&mut self, asked: &Asked) -> Value {
        let answered = self.process.call(asked.params().to_string().as_bytes()).await;
        match answered.map(|answer| parse_object(&answer)) {
            Ok(Ok(result)) => match result.get("error").and_then(Value::as_str) {
                Some(why) if result.len() == 1 => line::error(why),
                _ => line::answer(result),
            },
            Ok(Err(error)) => line::error(&error.to_string()),
            Err(error) => {
                line::error(&format!("{error}; the next command finds a fresh workbench"))
            }
        }
    }
}

/// The owner's wishes for it.
fn settings(folder: &Path, allow_env: bool) -> RouterConfig {
    let allowed = if allow_env { environments(folder).join(" ") } else { String::new() };
    let wishes = SkillConfig {
        settings: [("allowed_environments".to_owned(), allowed)].into(),
        ..SkillConfig::default()
    };
    RouterConfig { skills: [("WORKBENCH".to_owned(), wishes)].into(), ..RouterConfig::default() }
}

/// The sums of the files that lie in env/ now.
fn environments(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder.join("env")) else { return Vec::new() };
    let files = entries.flatten().map(|entry| entry.path());
    let files = files.map(|path| if path.is_dir() { path.join("environment.py") } else { path });
    let sums = files.filter_map(|file| Some((Sha256::digest(fs::read(&file).ok()?), file)));
    sums.map(|(sum, file)| {
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        home::say_on_stderr!("may run: {} ({sum})", file.display());
        sum
    })
    .collect()
}

/// What the manifest says, checked like any other.
fn skill(config: RouterConfig) -> Result<Arc<catalog::Skill>, CommandError> {
    let place = tempfile::tempdir().map_err(WorkError::Unready)?;
    let folder = place.path().join("workbench");
    fs::create_dir(&folder).map_err(WorkError::Unready)?;
    fs::write(folder.join("skill.toml"), MANIFEST).map_err(WorkError::Unready)?;
    let mut found = catalog::scan(place.path(), &config, &Found::default());
    match (found.skills.pop_first(), found.broken.first()) {
        (Some((_, skill)), _) => Ok(skill),
        (None, why) => {
            let why = why.map_or_else(|| json!(null).to_string(), ToString::to_string);
            Err(WorkError::Unready(std::io::Error::other(why)).into())
        }
    }
}
