//! `library add`: files go in with progress, and a watched folder stays as it is on disk.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use builtin::Root;
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
    /// What was not done, and why.
    failed: Vec<String>,
}

impl Sum {
    /// Tells what failed, unless that is told already.
    fn fail(&mut self, line: String, told: &BTreeSet<String>) {
        if !told.contains(&line) {
            home::say_on_stderr!("{line}");
        }
        self.failed.push(line);
    }
}

/// A file or a folder, with the worker that sees it.
struct Place {
    worker: Worker,
    root: Root,
    /// What failed at the last look.
    told: BTreeSet<String>,
}

impl Place {
    /// Takes in what has changed since the last look, and takes out what is gone; how many files it has taken in.
    async fn look(&mut self, command: &Add) -> u64 {
        if self.root.is_as_before() {
            return 0;
        }
        let mut sum = Sum::default();
        let taken = take_in(self, command, true, &mut sum).await;
        // A folder that can't be read has lost nothing.
        let out = match taken {
            Err(_) if self.root.is_folder() => Ok(()),
            _ => take_out(self, &mut sum).await,
        };
        for why in [taken, out].into_iter().filter_map(Result::err) {
            self.root.look_again();
            sum.fail(anew(&why), &self.told);
        }
        self.told = sum.failed.into_iter().collect();
        sum.indexed
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
    for place in &mut places {
        take_in(place, &command, false, &mut sum).await?;
        place.told = sum.failed.iter().cloned().collect();
    }
    home::say!("{}", summed(&sum));
    let embedded = match places.first() {
        Some(place) => embed::work(home, &place.worker).await,
        None => Ok(()),
    };
    if command.watch {
        return watch(home, &mut places, &command, embedded).await;
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
    mut embedded: Result<(), LibraryCliError>,
) -> Result<(), LibraryCliError> {
    let (mut told, mut is_new) = (BTreeSet::new(), false);
    loop {
        let mut sum = Sum::default();
        is_new |= embedded.is_err();
        if let Err(why) = embedded {
            sum.fail(anew(&why), &told);
        }
        told = sum.failed.into_iter().collect();
        tokio::time::sleep(EVERY).await;
        for place in &mut *places {
            is_new |= place.look(command).await > 0;
        }
        embedded = match places.first().filter(|_| is_new) {
            Some(place) => embed::work(home, &place.worker).await,
            None => Ok(()),
        };
        is_new = false;
    }
}

fn anew(error: &LibraryCliError) -> String {
    format!("{error}; it is tried again")
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
    let root = Root::new(path, folder.clone());
    let papers = Papers { folder, own: command.own, patience: PATIENCE };
    Ok(Place { worker: Worker::open(home, me).await?.with(papers), root, told: BTreeSet::new() })
}

/// Takes in what is new below a place, which was taken in before when it is done `again`.
async fn take_in(
    place: &Place,
    command: &Add,
    again: bool,
    sum: &mut Sum,
) -> Result<(), LibraryCliError> {
    let action = if command.public { "PUBLISH_DOC" } else { "INDEX_DOC" };
    let mut from = 0;
    loop {
        let path = place.root.path().to_string_lossy();
        let params = json!({"path": path, "from": from, "again": again});
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
            sum.fail(line, &place.told);
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
async fn take_out(place: &Place, sum: &mut Sum) -> Result<(), LibraryCliError> {
    let list = place.worker.list().await?;
    let papers = list["papers"].as_array().into_iter().flatten();
    let lost = |paper: &&Value| {
        paper["place"].as_str().is_some_and(|path| place.root.has_lost(Path::new(path)))
    };
    let lost: Vec<&Value> = papers.filter(lost).collect();
    if !lost.is_empty() && place.root.may_be_away() {
        let path = place.root.path().display();
        let line = format!(
            "{path} is empty or on another disk, so its papers stay in the library: `{}` takes them out",
            home::router_command("library remove")
        );
        sum.fail(line, &place.told);
        return Ok(());
    }
    for paper in lost {
        place.worker.ask("FORGET_DOC", json!({"path": paper["place"]})).await?;
        home::say!("{}: taken out", plain(&paper["name"]));
    }
    Ok(())
}
