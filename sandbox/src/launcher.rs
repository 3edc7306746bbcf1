//! Starts jobs in the sandbox, at the level that this machine allows.

use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;

use secrets::Secrets;
use uuid::Uuid;

use super::alive::Alive;
use super::job::Stay;
use super::log::{Budget, SkillLog};
use super::planning::{self, Place};
use super::probe::{Found, missing};
use super::process::Process;
use super::ready::Ready;
use super::stage::Plan;
use super::staging::{Scratch, Staging};
use super::{Job, Level, NotStarted, RunError, SelfCommand};

/// Starts jobs in the sandbox. When it is dropped, or its process dies, whatever it started dies too.
#[derive(Debug)]
pub struct Launcher {
    me: SelfCommand,
    found: Found,
    staging: Arc<Staging>,
    alive: Arc<Alive>,
    /// Those that stand ready, where they are wanted.
    ready: Option<Arc<Ready>>,
    /// What must not stand in a log.
    secrets: Secrets,
}

impl Launcher {
    /// Tries what this machine allows, by running nothing in the sandbox. `me` must hand its `launch`
    /// subcommand to [`run_stage`](super::run_stage); `temp` is where copies and scratch directories go.
    ///
    /// # Errors
    /// When the process has no descriptors left. A machine without a mechanism is no error: see
    /// [`Launcher::found`].
    pub async fn open(me: SelfCommand, temp: &Path) -> io::Result<Self> {
        let staging = Arc::new(Staging::new(temp));
        let (found, secrets) = (Found::nothing(), Secrets::default());
        let alive = Arc::new(Alive::new()?);
        let mut launcher = Self { me, found, staging, alive, ready: None, secrets };
        launcher.found = launcher.probed().await;
        Ok(launcher)
    }

    /// Tries the levels from the tightest.
    async fn probed(&mut self) -> Found {
        let mut reasons = Vec::new();
        for level in [Level::Namespaces, Level::LandlockOnly] {
            match self.try_level(level).await {
                Ok(()) => return Found { level, reasons },
                Err(error) => reasons.push(missing(level, &error)),
            }
        }
        Found { level: Level::Nothing, reasons }
    }

    /// The same with logs that hold none of these secrets.
    #[must_use]
    pub fn without(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// The same with sandboxes that stand ready before the calls that follow one.
    #[must_use]
    pub fn standing_ready(self) -> Self {
        Self { ready: Some(Ready::new(&self.alive)), ..self }
    }

    /// How many stand ready now.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.ready.as_ref().map_or(0, |ready| ready.count())
    }

    /// What the machine allows, and why not more.
    #[must_use]
    pub fn found(&self) -> &Found {
        &self.found
    }

    /// Runs `job` once with `input` on stdin, and gives what it printed when it ended with code 0. Its stderr
    /// is added to the file `log`. A future that is dropped kills everything that the job started.
    ///
    /// # Errors
    /// [`RunError`] says whether it ran, how it ended, and what to mend.
    pub async fn once(&self, job: &Job, input: &[u8], log: &Path) -> Result<Vec<u8>, RunError> {
        let after = job.limits.wall;
        let run = async {
            let (process, head, log) = self.start(job, log, Stay::Once).await?;
            process.finish(&[&head, input].concat(), job.limits.output_bytes, log).await
        };
        tokio::time::timeout(after, run).await.unwrap_or(Err(RunError::TimedOut { after }))
    }

    /// Starts the launcher for `job`: the process, what it must read first, and its log.
    pub(super) async fn start(
        &self,
        job: &Job,
        log: &Path,
        stay: Stay,
    ) -> Result<(Process, Vec<u8>, SkillLog), RunError> {
        planning::allowed(self.found.level, job, &self.found)?;
        let (place, scratch) = self.place(job).await.map_err(no_place)?;
        let prepared = self.ready.as_ref().and_then(|ready| ready.take(&place, job));
        let token = prepared.as_ref().map(|prepared| prepared.token.clone());
        let plan = Plan {
            alive: self.alive.watched.as_raw_fd(),
            token: token.unwrap_or_else(|| Uuid::now_v7().to_string()),
            ..planning::plan(&place, job, stay)
        };
        let (process, head) = match prepared {
            // Its first stage has had its copy.
            Some(prepared) => (Ok(prepared.process), plan.copy()),
            None => {
                let arguments = planning::launch(&place.me);
                (Process::start(&place.me.exe, &arguments, scratch).await, plan.head())
            }
        };
        let log = SkillLog::new(log, &plan.token, Budget::new(job.limits.log_bytes, &job.mark));
        let log = log.without(self.secrets.clone());
        Ok((process.map_err(no_place)?, head.map_err(no_place)?, log))
    }

    /// What `job` is given of the host, with the scratch directory that lives as long as its process.
    async fn place(&self, job: &Job) -> io::Result<(Place, Option<Scratch>)> {
        let (level, mut me) = (self.found.level, self.me.clone());
        let (staging, folder) = (Arc::clone(&self.staging), job.folder.clone());
        // Looking at a folder, and copying it, may take a while.
        let placed = tokio::task::spawn_blocking(move || {
            me.exe = staging.readable(&me.exe)?;
            let folder = staging.readable(&folder)?;
            let scratch = (level != Level::Namespaces).then(|| staging.scratch()).transpose()?;
            let path = scratch.as_ref().map(|scratch| scratch.path().to_owned());
            Ok((Place { level, me, folder, scratch: path }, scratch))
        });
        placed.await.map_err(io::Error::other)?
    }

    /// Tries `level` with an empty job.
    async fn try_level(&mut self, level: Level) -> Result<(), RunError> {
        self.found.level = level;
        let job = planning::nothing(&self.me.exe);
        self.once(&job, b"", Path::new("/dev/null")).await.map(drop)
    }
}

fn no_place(error: io::Error) -> NotStarted {
    NotStarted::new(
        format!("its place cannot be prepared: {error}"),
        "check that its folder and the temporary directory can be read and written",
    )
}
