//! Runs approved calls: only an [`Approved`] call is run, in a process of its skill.

pub(crate) mod gate;

mod lending;
mod outcome;
mod warm_skills;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use governance::Governance;
use home::{FileError, Home, file};
use protocol::{Code, Millis, Object, Reads, SessionKey, Stopped};
use secrets::Secrets;
use serde_json::Value;
use tokio::sync::OnceCell;

use gate::{Gate, Gates};
use lending::{in_time, lend, open};
use warm_skills::{WarmSkill, WarmSkills};

use crate::call::Call;
use crate::catalog::{Catalog, Mode, Skill, span};
use crate::policy::Approved;
use crate::sandbox::{Job, Launcher, Lent, Level, Limits, SelfCommand};
use crate::session_key::key_of;
use crate::workbench::Workbench;
use shared::TrafficBook;

pub(crate) use lending::data_folder;

/// Where approved calls run.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Runs the call, at most until its skill's time limit and its deadline, and gives the skill's result.
    /// Dropping the future ends whatever was started.
    ///
    /// # Errors
    /// [`Stopped`] says how far it came.
    async fn run(&self, approved: Approved, now: Millis) -> Result<Object, Stopped>;

    /// Ends the processes that the session `key` has of its own.
    async fn end_session(&self, _key: &str) {}
}

/// Runs skills as processes of this machine.
pub struct SkillSandbox {
    home: PathBuf,
    mechanism: Arc<Mechanism>,
    gates: Gates,
    logs: PathBuf,
    warm: WarmSkills,
    workbench: Option<Workbench>,
}

/// What holds skills here, found out once.
struct Mechanism {
    me: SelfCommand,
    secrets: Secrets,
    launcher: OnceCell<Arc<Launcher>>,
}

impl Mechanism {
    /// The launcher; whoever comes first finds out what the machine allows.
    async fn launcher(&self) -> io::Result<&Arc<Launcher>> {
        let open = || async {
            let launcher = Launcher::open(self.me.clone(), &std::env::temp_dir()).await?;
            let found = launcher.found();
            match found.level {
                Level::Namespaces => tracing::info!("skills are held by {}", found.level),
                _ => {
                    let reasons = found.reasons.join("; ");
                    tracing::warn!("skills are held by {}: {reasons}", found.level);
                }
            }
            Ok(Arc::new(launcher.without(self.secrets.clone()).standing_ready()))
        };
        self.launcher.get_or_try_init(open).await
    }
}

impl SkillSandbox {
    /// A sandbox that starts `me` again for each process, keeps at most `at_once` for a skill whose processes stay, and ends
    /// those when `catalog` no longer has the skill. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`FileError`] when the folder of logs can't be made.
    pub fn new(
        home: &Home,
        me: SelfCommand,
        catalog: &Catalog,
        secrets: Secrets,
        at_once: usize,
    ) -> Result<Self, FileError> {
        let logs = home.router_log();
        file::make_folder(&logs)?;
        let warm = WarmSkills::new(at_once, secrets.clone());
        tokio::spawn(warm.clone().end_with(catalog.clone()));
        tokio::spawn(warm.clone().end_idle());
        let gates = Gates::new(secrets.clone());
        let mechanism = Arc::new(Mechanism { me, secrets, launcher: OnceCell::new() });
        // Beside the start, which it does not hold up; what holds skills is said then.
        let found = Arc::clone(&mechanism);
        tokio::spawn(async move {
            if let Err(error) = found.launcher().await {
                tracing::warn!("{}", unready(&error).message);
            }
        });
        let home = home.root().to_owned();
        Ok(Self { home, mechanism, gates, logs, warm, workbench: None })
    }

    /// The same, and what skills send and receive is counted in `book`.
    #[must_use]
    pub fn counting(self, book: TrafficBook) -> Self {
        Self { gates: self.gates.counting(book), ..self }
    }

    /// The same, and the workbench has the folders that people have opened in `workbench`.
    #[must_use]
    pub fn working_in(self, workbench: Workbench) -> Self {
        Self { workbench: Some(workbench), ..self }
    }

    /// A process for this call alone.
    async fn once(
        &self,
        call: &Call,
        wall: Duration,
        governance: Option<&Governance>,
    ) -> Result<Object, Stopped> {
        let launcher = self.mechanism.launcher().await.map_err(|error| unready(&error))?;
        let is_dry = call.dry_run.is_some();
        let gate = match call.skill.hosts.is_empty() || is_dry {
            true => None,
            false => Some(self.gates.open(&call.skill, &call.command.params).await?),
        };
        let mut job = job(&call.skill, gate.as_ref(), wall);
        let (skill, home, opened) =
            (Arc::clone(&call.skill), self.home.clone(), governance.cloned());
        let lending = move || {
            let mut lent = lend(&skill, &home, None)?;
            lent.extend(opened.iter().flat_map(|governance| open(governance, &home)));
            Ok(lent)
        };
        job.lent = in_time(wall, lending).await?;
        job.mark = mark(call);
        job.env.extend(governance.map(places));
        job.env.push(("SAFECLAW_MODE".to_owned(), "once".to_owned()));
        job.env.push(("SAFECLAW_MESSAGE_ID".to_owned(), call.command.message_id.to_string()));
        job.env.push(("SAFECLAW_ATTEMPT".to_owned(), call.attempt.to_string()));
        job.env.extend(who_asks(call));
        if is_dry {
            job.env.push(("SAFECLAW_DRY_RUN".to_owned(), "1".to_owned()));
        }
        let input = Value::Object(call.input()).to_string();
        let ran = launcher.once(&job, input.as_bytes(), &self.log_of(&call.skill)).await;
        let has_own_words = gate.as_ref().is_some_and(|gate| has_own_words_alone(call, gate));
        if let Some(gate) = gate {
            gate.close().await;
        }
        let ran = ran.map_err(|error| outcome::stopped(&error, call.effect()));
        let result = ran.and_then(|output| outcome::result(&output, call.effect()));
        result.map_err(|stopped| match has_own_words {
            true => stopped.bringing(Reads::NONE),
            false => stopped,
        })
    }

    async fn warm(&self, call: &Call, wall: Duration) -> Result<Object, Stopped> {
        let workbench = self.workbench.as_ref().filter(|_| call.skill.is_workbench());
        let opened = match workbench {
            Some(workbench) => workbench.opened(key_of(&call.command)).await?,
            None => None,
        };
        let (skill, home, folder) = (Arc::clone(&call.skill), self.home.clone(), opened.clone());
        let lent = in_time(wall, move || lend(&skill, &home, folder.as_deref())).await?;
        let start = async || self.start_warm(&call.skill, opened.as_deref(), lent.clone()).await;
        let warm = self.warm.of(call, opened.as_deref(), start).await?;
        let at_work = match (workbench, lent.last()) {
            (Some(workbench), Some(lent)) => Some(workbench.begin(call, lent.path.clone()).await?),
            _ => None,
        };
        let mut line = call.input();
        let envelope = &call.command.envelope;
        let facts = serde_json::json!({
            "action": call.command.action, "message_id": call.command.message_id,
            "attempt": call.attempt, "dry_run": false, "session": envelope.session,
            "principal": envelope.principal, "owner": is_owners(call),
        });
        line.insert("_call".to_owned(), facts);
        let line = Value::Object(line).to_string();
        let (mark, effect) = (mark(call), call.effect());
        let answered = warm.call((line.as_bytes(), &mark), wall, effect).await;
        let told = match at_work {
            Some(at_work) => at_work.end().await,
            None => Vec::new(),
        };
        let mut result = outcome::result(&answered?, effect)?;
        outcome::tell(&mut result, told);
        Ok(result)
    }

    async fn start_warm(
        &self,
        skill: &Arc<Skill>,
        opened: Option<&Path>,
        lent: Vec<Lent>,
    ) -> Result<WarmSkill, Stopped> {
        let launcher = self.mechanism.launcher().await.map_err(|error| unready(&error))?;
        let gate = match skill.hosts.is_empty() {
            true => None,
            false => Some(self.gates.open(skill, &Object::new()).await?),
        };
        // Each call of a shared process has the time of its own action, which the caller holds.
        let wall = if skill.process.is_shared { span::LONGEST } else { skill.timeout };
        let mut job = job(skill, gate.as_ref(), wall);
        job.lent = lent;
        job.env.push(("SAFECLAW_MODE".to_owned(), "serve".to_owned()));
        let process = launcher.serve(job, self.log_of(skill));
        Ok(WarmSkill::new(Arc::clone(skill), process, gate).opened(opened))
    }

    fn log_of(&self, skill: &Skill) -> PathBuf {
        self.logs.join(format!("{}.log", skill.process.name))
    }
}

#[async_trait]
impl Sandbox for SkillSandbox {
    async fn run(&self, approved: Approved, now: Millis) -> Result<Object, Stopped> {
        let call = approved.call();
        let left = call.command.envelope.deadline.map(|deadline| deadline.since(now));
        let wall = left.map_or(call.skill.timeout, |left| left.min(call.skill.timeout));
        // A dry run has no network, and a process that stays has it already.
        match call.skill.mode {
            Mode::Serve if call.dry_run.is_none() => self.warm(call, wall).await,
            _ => self.once(call, wall, approved.opens()).await,
        }
    }

    async fn end_session(&self, key: &str) {
        self.warm.end_session(key).await;
    }
}

/// Whether what the call says of its failure can be nobody's words but ours: the skill is compiled in and has no data to read
/// from, and by its gate's own word nothing came in from elsewhere. Of any other skill nobody knows where its words come from.
fn has_own_words_alone(call: &Call, gate: &Gate) -> bool {
    call.skill.first_party && call.skill.folders.is_empty() && !gate.has_heard()
}

/// What runs `skill` without a network, for at most `wall` a call.
pub(crate) fn job_of(skill: &Skill, wall: Duration) -> Job {
    job(skill, None, wall)
}

/// What runs `skill`, with the bounds of every skill.
pub(crate) fn job(skill: &Skill, gate: Option<&Gate>, wall: Duration) -> Job {
    // A map of texts always has a JSON form.
    let settings = serde_json::to_string(&skill.settings).unwrap_or_default();
    Job {
        program: skill.program.clone(),
        folder: skill.folder.clone(),
        lent: Vec::new(),
        env: vec![
            ("SAFECLAW_SKILL".to_owned(), skill.name().to_string()),
            ("SAFECLAW_SETTINGS".to_owned(), settings),
        ],
        mark: String::new(),
        limits: Limits { wall, ..skill.limits.clone() },
        net: gate.map(|gate| gate.socket().to_owned()),
    }
}

/// What stands in the skill's log in front of what this call of it writes: when, what, and the message that it belongs to.
fn mark(call: &Call) -> String {
    let trace = call.command.envelope.trace();
    let trace = trace.map_or_else(|| "-".to_owned(), |trace| trace.to_string());
    let (now, id) = (jiff::Timestamp::now(), &call.command.message_id);
    format!("── {now:.3} {} trace={trace} id={id}\n", call.skill.name())
}

/// Whether the owner's own conversation asks.
fn is_owners(call: &Call) -> bool {
    call.command.envelope.session.as_ref().is_some_and(SessionKey::is_owner)
}

/// Where paths begin that have no beginning, and what `~` stands for.
fn places(governance: &Governance) -> (String, String) {
    let paths = governance.paths();
    let places = serde_json::json!({"here": paths.here(), "home": paths.home()});
    ("SAFECLAW_FOLDERS".to_owned(), places.to_string())
}

/// Who asks, for a process that serves this call alone.
fn who_asks(call: &Call) -> Vec<(String, String)> {
    let envelope = &call.command.envelope;
    let session = envelope.session.as_ref().map(|key| ("SESSION", key.to_string()));
    let principal = envelope.principal.as_ref().map(|by| ("PRINCIPAL", by.to_string()));
    let owner = is_owners(call).then(|| ("OWNER", "1".to_owned()));
    let all = [session, principal, owner].into_iter().flatten();
    all.map(|(name, value)| (format!("SAFECLAW_{name}"), value)).collect()
}

fn unready(error: &io::Error) -> Stopped {
    Stopped::new(Code::Internal, format!("the sandbox can't be prepared: {error}"))
}
