//! `library add`: files go in with progress, and a watched folder stays as it is on disk.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

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
    /// How many have another label than was asked for, and keep it.
    kept: u64,
    /// What was not taken in, and why.
    failed: Vec<String>,
}

/// A file or a folder, with the worker that sees it.
struct Place {
    worker: Worker,
    path: PathBuf,
    /// Of a file, when it had been changed as it was taken in. Those of a folder are told apart by the library.
    changed: Option<SystemTime>,
}

impl Place {
    /// Whether it is a file that has not changed since the last time that this was asked.
    fn is_as_before(&mut self) -> bool {
        let found = std::fs::metadata(&self.path).ok().filter(std::fs::Metadata::is_file);
        let changed = found.and_then(|found| found.modified().ok());
        std::mem::replace(&mut self.changed, changed) == changed && changed.is_some()
    }
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
        take_in(place, &command, &BTreeSet::new(), &mut sum).await?;
    }
    home::say!("{}", summed(&sum));
    let embedded = match places.first() {
        Some(place) => embed::work(home, &place.worker).await,
        None => Ok(()),
    };
    if command.watch {
        let is_embedded = embedded.is_ok();
        let failed = embedded.err().map(|error| told_anew(error, &BTreeSet::new()));
        let told = sum.failed.into_iter().chain(failed).collect();
        return watch(home, &mut places, &command, told, is_embedded).await;
    }
    embedded?;
    match sum.failed.len() {
        0 => Ok(()),
        failed => Err(LibraryCliError::Refused(format!("{failed} could not be indexed"))),
    }
}

/// Keeps the library as the places are on disk, until the process ends. What fails is tried again, and told unless it was the
/// last time, too.
async fn watch(
    home: &Home,
    places: &mut [Place],
    command: &Add,
    mut told: BTreeSet<String>,
    mut is_embedded: bool,
) -> Result<(), LibraryCliError> {
    loop {
        tokio::time::sleep(EVERY).await;
        let mut failed = BTreeSet::new();
        for place in &mut *places {
            if place.is_as_before() {
                continue;
            }
            let mut sum = Sum::default();
            let done = [take_in(place, command, &told, &mut sum).await, take_out(place).await];
            is_embedded &= sum.indexed == 0;
            failed.extend(sum.failed);
            for why in done.into_iter().filter_map(Result::err) {
                place.changed = None;
                failed.insert(told_anew(why, &told));
            }
        }
        if let Some(place) = places.first().filter(|_| !is_embedded) {
            let embedded = embed::work(home, &place.worker).await;
            is_embedded = embedded.is_ok();
            failed.extend(embedded.err().map(|why| told_anew(why, &told)));
        }
        told = failed;
    }
}

/// Tells what failed, unless that is told already.
fn told_anew(error: LibraryCliError, told: &BTreeSet<String>) -> String {
    let line = format!("{error}; it is tried again");
    if !told.contains(&line) {
        home::say_on_stderr!("{line}");
    }
    line
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
    let mut place =
        Place { worker: Worker::open(home, me).await?.with(papers), path, changed: None };
    place.is_as_before();
    Ok(place)
}

/// Takes in what is new below a place; files that failed as it is `told` already are not told again.
async fn take_in(
    place: &Place,
    command: &Add,
    told: &BTreeSet<String>,
    sum: &mut Sum,
) -> Result<(), LibraryCliError> {
    let action = if command.public { "PUBLISH_DOC" } else { "INDEX_DOC" };
    let mut from = 0;
    loop {
        let params = json!({"path": place.path.to_string_lossy(), "from": from});
        let done =
            place.worker.ask(action, params).await.map_err(|error| place.worker.named(error))?;
        let number = |key: &str| done[key].as_u64().unwrap_or(0);
        for file in done["files"].as_array().into_iter().flatten() {
            home::say!("{}", taken_in(file));
        }
        let failed = done["failed"].as_array().into_iter().flatten();
        sum.indexed += number("indexed");
        sum.passages += number("passages");
        sum.unchanged += number("unchanged");
        sum.kept += number("keep_their_label");
        for file in failed {
            let line = format!("{}: {}", plain(&file["name"]), plain(&file["why"]));
            if !told.contains(&line) {
                home::say_on_stderr!("{line}");
            }
            sum.failed.push(line);
        }
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
    if sum.kept > 0 {
        let kept = sum.kept;
        said.push_str(&format!(
            "; {kept} had another label and kept it: name a file to change its label"
        ));
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
