//! `library add`: files go in with progress, and a watched folder stays as it is on disk.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use home::Home;
use serde_json::{Value, json};

use super::worker::{Papers, Worker};
use super::{LibraryCliError, allowed, counted, embed, plain};
use crate::sandbox::SelfCommand;

/// How often a watched folder is looked at.
const EVERY: Duration = Duration::from_secs(5);

/// After so many seconds a call says how far it is.
const PATIENCE: u64 = 2;

/// What is put in, and for whom.
#[derive(Debug, Args)]
pub(super) struct Add {
    /// Files and folders.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Everybody who talks with the agent may be shown it; without it you alone.
    #[arg(long)]
    public: bool,
    /// You wrote it: it does not count as text of others.
    #[arg(long)]
    own: bool,
    /// Go on until Ctrl-C: take in what changes, and take out what is removed.
    #[arg(long)]
    watch: bool,
}

/// What became of all files.
#[derive(Default)]
struct Sum {
    indexed: u64,
    passages: u64,
    unchanged: u64,
    failed: u64,
}

/// A file or a folder, with the worker that sees it.
struct Place {
    worker: Worker,
    path: PathBuf,
}

pub(super) async fn run(
    home: &Home,
    me: &SelfCommand,
    command: Add,
) -> Result<(), LibraryCliError> {
    let mut places = Vec::new();
    for path in &command.paths {
        places.push(place(home, me, &command, path).await?);
    }
    let mut sum = Sum::default();
    for place in &places {
        take_in(place, &command, &mut sum).await?;
    }
    home::say!("{}", summed(&sum));
    if let Some(place) = places.first() {
        embed::work(home, &place.worker).await?;
    }
    if command.watch {
        watch(home, &places, &command).await?;
    }
    match sum.failed {
        0 => Ok(()),
        failed => Err(LibraryCliError::Refused(format!("{failed} could not be indexed"))),
    }
}

/// Keeps the library as the places are on disk. It ends with the process.
async fn watch(home: &Home, places: &[Place], command: &Add) -> Result<(), LibraryCliError> {
    loop {
        tokio::time::sleep(EVERY).await;
        for place in places {
            let mut sum = Sum::default();
            take_in(place, command, &mut sum).await?;
            take_out(place).await?;
            if sum.indexed > 0 {
                embed::work(home, &place.worker).await?;
            }
        }
    }
}

async fn place(
    home: &Home,
    me: &SelfCommand,
    command: &Add,
    path: &Path,
) -> Result<Place, LibraryCliError> {
    let missing =
        |error: std::io::Error| LibraryCliError::Refused(format!("{}: {error}", path.display()));
    let path = std::fs::canonicalize(path).map_err(missing)?;
    // Of a file its folder is lent, and the file alone is named.
    let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
    let folder = allowed::real(home, folder)?;
    let papers = Papers { folder, own: command.own, patience: PATIENCE };
    Ok(Place { worker: Worker::open(home, me).await?.with(papers), path })
}

async fn take_in(place: &Place, command: &Add, sum: &mut Sum) -> Result<(), LibraryCliError> {
    let action = if command.public { "PUBLISH_DOC" } else { "INDEX_DOC" };
    let mut from = 0;
    loop {
        let params = json!({"path": place.path.to_string_lossy(), "from": from});
        let told = place.worker.ask(action, params).await?;
        let number = |key: &str| told[key].as_u64().unwrap_or(0);
        for file in told["files"].as_array().into_iter().flatten() {
            home::say!("{}", taken_in(file));
        }
        let failed = told["failed"].as_array().map(Vec::as_slice).unwrap_or_default();
        for file in failed {
            home::say_on_stderr!("{}: {}", plain(&file["name"]), plain(&file["why"]));
        }
        sum.indexed += number("indexed");
        sum.passages += number("passages");
        sum.unchanged += number("unchanged");
        sum.failed += failed.len() as u64;
        from = number("next");
        let left = number("left");
        if left == 0 {
            return Ok(());
        }
        if std::io::stderr().is_terminal() {
            home::say_on_stderr!("{from} of {} ...", from + left);
        }
    }
}

fn taken_in(file: &Value) -> String {
    let mut line = format!("{}: {}", plain(&file["name"]), counted(&file["passages"], "passage"));
    for note in file["notes"].as_array().into_iter().flatten() {
        line.push_str(&format!("; {}", plain(note)));
    }
    line
}

fn summed(sum: &Sum) -> String {
    let passages = home::counted(sum.passages, "passage");
    let mut said = format!("{} indexed, {passages}", home::counted(sum.indexed, "file"));
    if sum.unchanged > 0 {
        said.push_str(&format!("; {} had not changed", sum.unchanged));
    }
    said
}

/// Takes out what was below the place and is no longer there.
async fn take_out(place: &Place) -> Result<(), LibraryCliError> {
    let list = place.worker.list().await?;
    for paper in list["papers"].as_array().into_iter().flatten() {
        let Some(path) = paper["place"].as_str().map(Path::new) else { continue };
        if path.starts_with(&place.path) && !path.exists() {
            place.worker.ask("FORGET_DOC", json!({"path": path})).await?;
            home::say!("{}: taken out", plain(&paper["name"]));
        }
    }
    Ok(())
}
