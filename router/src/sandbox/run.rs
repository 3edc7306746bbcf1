//! The way in: only an [`Approved`] call is run, in a process of its skill.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use home::{FileError, Home, file};
use protocol::{ActionName, Code, Millis, Object, Stopped, json};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::gate::{Gate, Gates};
use super::{Job, Launcher, Level, Limits, Program, SelfCommand, Warm, outcome};
use crate::call::Call;
use crate::catalog::{self, Mode, Skill};
use crate::policy::Approved;
use crate::secrets::Secrets;

/// Where approved calls run.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Runs the call, at most until its skill's time limit and its deadline, and gives the skill's result.
    /// Dropping the future ends whatever was started.
    ///
    /// # Errors
    /// [`Stopped`] says how far it came.
    async fn run(&self, approved: Approved, now: Millis) -> Result<Object, Stopped>;
}

/// Runs skills as processes of this machine.
pub struct SkillSandbox {
    me: SelfCommand,
    launcher: OnceCell<Arc<Launcher>>,
    gates: Gates,
    logs: PathBuf,
    warm: Mutex<HashMap<ActionName, Arc<WarmSkill>>>,
}

/// A skill's process that stays, with the gate that it reaches the network through.
struct WarmSkill {
    skill: Arc<Skill>,
    process: tokio::sync::Mutex<Warm>,
    _gate: Option<Gate>,
}

impl SkillSandbox {
    /// A sandbox that starts `me` again for each process.
    ///
    /// # Errors
    /// [`FileError`] when the folder of logs can't be made.
    pub fn new(home: &Home, me: SelfCommand, secrets: Secrets) -> Result<Self, FileError> {
        let logs = home.router_log();
        file::make_folder(&logs)?;
        Ok(Self {
            me,
            launcher: OnceCell::new(),
            gates: Gates::new(secrets),
            logs,
            warm: Mutex::default(),
        })
    }

    /// The launcher; the first call finds out what the machine allows.
    async fn launcher(&self) -> io::Result<&Arc<Launcher>> {
        let open = || async {
            let launcher = Launcher::open(self.me.clone(), &std::env::temp_dir()).await?;
            let found = launcher.found();
            if found.level != Level::Namespaces {
                tracing::warn!(
                    "skills run at the level {:?}: {}",
                    found.level,
                    found.reasons.join("; ")
                );
            }
            Ok(Arc::new(launcher))
        };
        self.launcher.get_or_try_init(open).await
    }

    async fn once(&self, call: &Call, wall: Duration) -> Result<Vec<u8>, Stopped> {
        let launcher = self.launcher().await.map_err(|error| unready(&error))?;
        let is_dry = call.dry_run.is_some();
        let gate = match call.skill.hosts.is_empty() || is_dry {
            true => None,
            false => Some(self.gates.open(&call.skill, &call.command.params).await?),
        };
        let mut job = job(&call.skill, gate.as_ref(), wall);
        job.env.push(("SAFECLAW_MODE".to_owned(), "once".to_owned()));
        job.env.push(("SAFECLAW_MESSAGE_ID".to_owned(), call.command.message_id.to_string()));
        job.env.push(("SAFECLAW_ATTEMPT".to_owned(), "1".to_owned()));
        if is_dry {
            job.env.push(("SAFECLAW_DRY_RUN".to_owned(), "1".to_owned()));
        }
        let input = Value::Object(call.command.params.clone()).to_string();
        let ran = launcher.once(&job, input.as_bytes(), &self.log_of(&call.skill)).await;
        ran.map_err(|error| outcome::stopped(&error, call.effect()))
    }

    async fn warm(&self, call: &Call, wall: Duration) -> Result<Vec<u8>, Stopped> {
        let warm = self.warm_skill(&call.skill).await?;
        let mut line = call.command.params.clone();
        let facts = serde_json::json!({
            "message_id": call.command.message_id, "attempt": 1, "dry_run": false,
        });
        line.insert("_call".to_owned(), facts);
        let line = Value::Object(line).to_string();
        let exchange = async { warm.process.lock().await.call(line.as_bytes()).await };
        match tokio::time::timeout(wall, exchange).await {
            Ok(answered) => answered.map_err(|error| outcome::stopped(&error, call.effect())),
            Err(_) => {
                Err(outcome::stopped(&super::RunError::TimedOut { after: wall }, call.effect()))
            }
        }
    }

    /// The process that stays for `skill`; one of an older version of it is ended.
    async fn warm_skill(&self, skill: &Arc<Skill>) -> Result<Arc<WarmSkill>, Stopped> {
        let known = self.warm_skills().get(skill.name()).cloned();
        if let Some(warm) = known.filter(|warm| Arc::ptr_eq(&warm.skill, skill)) {
            return Ok(warm);
        }
        let launcher = self.launcher().await.map_err(|error| unready(&error))?;
        let gate = match skill.hosts.is_empty() {
            true => None,
            false => Some(self.gates.open(skill, &Object::new()).await?),
        };
        let mut job = job(skill, gate.as_ref(), skill.timeout);
        job.env.push(("SAFECLAW_MODE".to_owned(), "serve".to_owned()));
        let process = launcher.serve(job, self.log_of(skill));
        let process = tokio::sync::Mutex::new(process);
        let warm = Arc::new(WarmSkill { skill: Arc::clone(skill), process, _gate: gate });
        self.warm_skills().insert(skill.name().clone(), Arc::clone(&warm));
        Ok(warm)
    }

    fn log_of(&self, skill: &Skill) -> PathBuf {
        self.logs.join(format!("{}.log", skill.name().as_str().to_ascii_lowercase()))
    }

    // A std mutex, because it is never held across an await. Poisoned, the map is still whole.
    fn warm_skills(&self) -> std::sync::MutexGuard<'_, HashMap<ActionName, Arc<WarmSkill>>> {
        self.warm.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Sandbox for SkillSandbox {
    async fn run(&self, approved: Approved, now: Millis) -> Result<Object, Stopped> {
        let call = approved.call();
        let left = call.command.envelope.deadline.map(|deadline| deadline.since(now));
        let wall = left.map_or(call.skill.timeout, |left| left.min(call.skill.timeout));
        // A dry run has no network, and a process that stays has it already.
        let output = match call.skill.mode {
            Mode::Serve if call.dry_run.is_none() => self.warm(call, wall).await?,
            _ => self.once(call, wall).await?,
        };
        outcome::result(&output, call.effect())
    }
}

fn job(skill: &Skill, gate: Option<&Gate>, wall: Duration) -> Job {
    let program = match &skill.program {
        catalog::Program::Command(command) => Program::Command(command.clone()),
        catalog::Program::Builtin(name) => Program::Builtin(name.clone()),
    };
    // A map of texts always has a JSON form.
    let settings = serde_json::to_string(&skill.settings).unwrap_or_default();
    Job {
        program,
        folder: skill.folder.clone(),
        env: vec![
            ("SAFECLAW_SKILL".to_owned(), skill.name().to_string()),
            ("SAFECLAW_SETTINGS".to_owned(), settings),
        ],
        limits: Limits { wall, output_bytes: json::MAX_BYTES, ..Limits::default() },
        net: gate.map(|gate| gate.socket().to_owned()),
    }
}

fn unready(error: &io::Error) -> Stopped {
    Stopped::new(Code::Internal, format!("the sandbox can't be prepared: {error}"))
}
