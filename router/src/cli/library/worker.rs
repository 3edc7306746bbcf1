//! The library's skill, run by the command line in the same sandbox as by the router.

use std::path::PathBuf;
use std::time::Duration;

use home::{Home, file};
use protocol::{Object, json};
use serde_json::Value;

use super::LibraryCliError;
use crate::catalog::{Skill, printable};
use crate::defaults;
use crate::runner::gate::Gates;
use crate::runner::{data_folder, job};
use crate::sandbox::{Job, Launcher, Lent, Limits, Program, SelfCommand};

/// What one call may take: less than a person waits without a word.
const WALL: Duration = Duration::from_secs(300);

/// The largest file that it may write, in bytes: a database of a few hundred thousand passages.
const FILE: u64 = 4 * 1024 * 1024 * 1024;

/// The private memory that a parser may have, in bytes.
const MEMORY: u64 = 2 * 1024 * 1024 * 1024;

/// Runs the library's skill.
pub(super) struct Worker {
    launcher: Launcher,
    /// Something that is there must stand for the skill's folder.
    folder: PathBuf,
    library: PathBuf,
    log: PathBuf,
    papers: Option<Papers>,
}

/// The folder that files are taken from.
#[derive(Debug, Clone)]
pub(super) struct Papers {
    pub(super) folder: PathBuf,
    pub(super) own: bool,
    /// How long one call may go on before it says how far it is, in seconds.
    pub(super) patience: u64,
}

impl Worker {
    pub(super) async fn open(home: &Home, me: &SelfCommand) -> Result<Self, LibraryCliError> {
        defaults::write_missing(home)?;
        file::make_folder(&home.router_log())?;
        let library = data_folder(&home.router().join("data/library"))
            .map_err(|error| refused(&format!("router/data/library can't be made: {error}")))?;
        let launcher = Launcher::open(me.clone(), &std::env::temp_dir()).await?;
        let folder = home.router_skills().join("search_docs");
        if !folder.is_dir() {
            return Err(refused("router/skills has no search_docs: the library was removed here"));
        }
        let log = home.router_log().join("library.log");
        Ok(Self { launcher, folder, library, log, papers: None })
    }

    pub(super) fn with(self, papers: Papers) -> Self {
        Self { papers: Some(papers), ..self }
    }

    /// Asks for `action` in the owner's name.
    pub(super) async fn ask(&self, action: &str, params: Value) -> Result<Value, LibraryCliError> {
        self.run(self.job(action), params).await
    }

    /// Asks for `skill` in the owner's name, with the way to the network that a call of it has.
    pub(super) async fn ask_out(
        &self,
        skill: &Skill,
        gates: &Gates,
        params: Value,
    ) -> Result<Value, LibraryCliError> {
        let gate = gates.open(skill, &Object::new()).await;
        let gate = gate.map_err(|stopped| refused(&stopped.message))?;
        let mut job = job(skill, Some(&gate), WALL);
        job.lent = vec![Lent::new("library", &self.library, true)];
        job.env.extend(owners());
        let answer = self.run(job, params).await;
        gate.close().await;
        answer
    }

    async fn run(&self, job: Job, params: Value) -> Result<Value, LibraryCliError> {
        let input = params.to_string();
        let output = self.launcher.once(&job, input.as_bytes(), &self.log);
        let output = output.await.map_err(|error| refused(&error.to_string()))?;
        let answer: Object =
            json::parse_object(&output).map_err(|error| refused(&error.to_string()))?;
        match answer.get("error").and_then(Value::as_str) {
            Some(why) => Err(refused(why)),
            None => Ok(Value::Object(answer)),
        }
    }

    /// `error`, with the paper that was being read when a call was ended in the middle.
    pub(super) fn named(&self, error: LibraryCliError) -> LibraryCliError {
        match builtin::fatal(&self.library) {
            Some(paper) => refused(&format!("{error}; it was reading {}", printable(&paper))),
            None => error,
        }
    }

    /// The whole list of papers, with its counts.
    pub(super) async fn list(&self) -> Result<Value, LibraryCliError> {
        let mut all: Vec<Value> = Vec::new();
        loop {
            let mut list = self.ask("LIST_DOCS", serde_json::json!({"from": all.len()})).await?;
            let papers = list["papers"].as_array().cloned().unwrap_or_default();
            let is_last = papers.is_empty();
            all.extend(papers);
            if is_last || all.len() as u64 >= list["documents"].as_u64().unwrap_or(0) {
                list["papers"] = Value::Array(all);
                return Ok(list);
            }
        }
    }

    fn job(&self, action: &str) -> Job {
        let mut lent = vec![Lent::new("library", &self.library, true)];
        let mut settings = serde_json::json!({"papers": "", "own": "false"});
        if let Some(papers) = &self.papers {
            lent.push(Lent::new("papers", &papers.folder, false));
            settings = serde_json::json!({
                "papers": papers.folder.to_string_lossy(), "own": papers.own.to_string(),
                "patience": papers.patience.to_string(),
            });
        }
        let named = [("SAFECLAW_SKILL", action), ("SAFECLAW_SETTINGS", &settings.to_string())]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        Job {
            program: Program::Builtin("library".to_owned()),
            folder: self.folder.clone(),
            lent,
            env: named.into_iter().chain(owners()).collect(),
            mark: String::new(),
            limits: Limits {
                wall: WALL,
                file_bytes: FILE,
                memory: MEMORY,
                output_bytes: json::MAX_BYTES,
                ..Limits::default()
            },
            net: None,
        }
    }
}

/// The owner asks, on a command line.
fn owners() -> impl Iterator<Item = (String, String)> {
    let facts = [
        ("MODE", "once"),
        ("MESSAGE_ID", "command-line"),
        ("ATTEMPT", "1"),
        ("SESSION", "owner"),
        ("OWNER", "1"),
    ];
    facts.into_iter().map(|(name, value)| (format!("SAFECLAW_{name}"), value.to_owned()))
}

fn refused(why: &str) -> LibraryCliError {
    LibraryCliError::Refused(why.to_owned())
}
