//! A router at work in a home of its own, and the agent's end of its queue.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use broker::pipe::PipeRequester;
use broker::{Requester, Store};
use home::Home;
use protocol::{ActionName, Command, Envelope, MessageId, Object, Outcome, Principal, SessionKey};
use router::catalog::Catalog;
use router::config::RouterConfig;
use router::policy::PolicyFile;
use router::runner::{Sandbox, SkillSandbox};
use router::sandbox::SelfCommand;
use router::{Audit, Judge, Pulse, Router, Secrets, TrafficBook, Workbench};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::instant::InstantSandbox;

/// As the router of a fresh install.
const PARALLEL: usize = 8;

const PATIENCE: Duration = Duration::from_secs(30);

/// A fresh install's policy, but that posting is allowed and nobody is stopped for asking often.
const POLICY: &str = r#"
[effects]
none = "allow"
local = "allow"
external = "ask"
irreversible = "ask"

[limits]
per_minute = 1_000
per_hour = 10_000

[[rules]]
action = "POST"
then = "allow"
"#;

/// What is measured: the manifest but for its name, and the program.
const SKILLS: [(&str, &str, &str); 5] = [
    ("look", "effect = 'none'", ONCE),
    ("read", "effect = 'none'\nreads = 'public'", ONCE),
    ("post", "effect = 'external'", ONCE),
    ("once", "effect = 'none'", ONCE),
    ("warm", "effect = 'none'\nmode = 'serve'", WARM),
];

const ONCE: &str = "#!/bin/sh\nread -r line; echo '{}'\n";
const WARM: &str = "#!/bin/sh\nwhile read -r line; do echo '{}'; done\n";

/// A router and who asks it. [`House::end`] ends both.
pub(crate) struct House {
    home: Home,
    agent: PipeRequester,
    shutdown: CancellationToken,
    router: JoinHandle<()>,
}

/// Where the calls of a house run.
pub(crate) enum Runs {
    /// Nowhere.
    AtOnce,
    /// In the sandbox, which starts this program again.
    In(SelfCommand),
}

impl House {
    /// Builds it in `folder`, with what is kept of sessions in the store that `store` gives for its home. Must
    /// be called within a tokio runtime.
    pub(crate) fn build(
        folder: &Path,
        runs: Runs,
        store: impl FnOnce(&Home) -> Result<Arc<dyn Store>>,
    ) -> Result<Self> {
        let home = Home::at(folder)?;
        let policy = home.router().join("policy.toml");
        home::file::write(&policy, POLICY.as_bytes())?;
        for (name, manifest, program) in SKILLS {
            put_skill(&home.router_skills().join(name), manifest, program)?;
        }
        fs::create_dir_all(home.router_audit())?;
        let secrets = Secrets::default();
        let catalog = Catalog::watched(&home, &RouterConfig::default(), RouterConfig::default);
        let sandbox: Box<dyn Sandbox> = match runs {
            Runs::AtOnce => Box::new(InstantSandbox),
            Runs::In(me) => Box::new(SkillSandbox::new(&home, me, &catalog, secrets.clone(), 8)?),
        };
        let shutdown = CancellationToken::new();
        let (agent, responder, publisher) = broker::memory::pair(shutdown.clone());
        let store = store(&home)?;
        let router = Router {
            judge: Judge::new(PolicyFile::open(&policy)?, &store),
            traffic: TrafficBook::new(&store),
            workbench: Workbench::new(&home, &store),
            audit: Audit::open(&home.router_audit(), secrets.clone())?,
            publisher: Arc::new(publisher),
            catalog,
            sandbox,
            secrets,
            pulse: Pulse::default(),
        };
        let router = tokio::spawn(router.run(responder, PARALLEL, PATIENCE));
        Ok(Self { home, agent, shutdown, router })
    }

    /// How long it takes from the command to its reply, as [`ask`] says it.
    ///
    /// # Errors
    /// When it is not done.
    pub(crate) async fn ask(&self, skill: &str, id: usize) -> Result<Duration> {
        ask(&self.agent, skill, id).await
    }

    /// The same in a session of its own: what many ask at once would be too much for one.
    ///
    /// # Errors
    /// When it is not done.
    pub(crate) async fn ask_in(&self, session: &str, skill: &str, id: usize) -> Result<Duration> {
        let session = SessionKey::new(session)?;
        time(&self.agent, command(session, skill, id)?).await
    }

    /// The program of a skill.
    pub(crate) fn program(&self, skill: &str) -> PathBuf {
        self.home.router_skills().join(skill).join("run")
    }

    /// Where it lives.
    pub(crate) fn home(&self) -> &Home {
        &self.home
    }

    /// Ends the router and all that it has started.
    pub(crate) async fn end(self) -> Result<()> {
        self.shutdown.cancel();
        Ok(self.router.await?)
    }
}

/// How long it takes from the command to its reply. Each skill is asked for in a session of its own, and `id` must
/// be new.
///
/// # Errors
/// When it is not done, for a no is fast.
pub(crate) async fn ask(agent: &PipeRequester, skill: &str, id: usize) -> Result<Duration> {
    time(agent, command(SessionKey::new(skill)?, skill, id)?).await
}

fn command(session: SessionKey, skill: &str, id: usize) -> Result<Command> {
    Ok(Command {
        message_id: MessageId::new(format!("{session}-{skill}-{id}"))?,
        action: ActionName::new(skill.to_ascii_uppercase())?,
        // Another one each time: the same in a row would be too often.
        params: params(id),
        envelope: Envelope {
            session: Some(session),
            principal: Some(Principal::new("console:owner")?),
            ..Envelope::current()
        },
    })
}

async fn time(agent: &PipeRequester, command: Command) -> Result<Duration> {
    let skill = command.action.clone();
    let start = Instant::now();
    let reply = agent.request(command, PATIENCE).await?;
    let took = start.elapsed();
    match reply.outcome {
        Outcome::Done(_) => Ok(took),
        Outcome::Stopped(stopped) => bail!("{skill}: {}", stopped.message),
    }
}

/// What a skill is asked with.
pub(crate) fn params(number: usize) -> Object {
    Object::from_iter([("text".to_owned(), json!(format!("Hello World, for the {number}th time")))])
}

fn put_skill(folder: &Path, manifest: &str, program: &str) -> Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    let manifest = format!(
        "name = '{name}'\ninstruction = 'Is measured.'\ncommand = ['./run']\n{manifest}\n\
         [params]\ntext = {{ type = 'string' }}\n"
    );
    home::file::write(&folder.join("skill.toml"), manifest.as_bytes())?;
    let path = folder.join("run");
    home::file::write(&path, program.as_bytes())?;
    Ok(fs::set_permissions(path, Permissions::from_mode(0o755))?)
}
