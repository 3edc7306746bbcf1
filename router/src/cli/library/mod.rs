//! `start_router library`: which folder is open, and what is in the library.

mod add;
pub(super) mod allowed;
mod embed;
mod worker;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use home::Home;
use serde_json::{Value, json};

use super::wishes::WishError;
use crate::catalog::printable;
use crate::sandbox::SelfCommand;
use worker::Worker;

/// `library` and what stands behind it.
#[derive(Debug, Args)]
pub(super) struct LibraryCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Open a folder: from then on `/index` in a chat takes files from it.
    ///
    /// Skills see it for reading alone. One folder is open at a time; without a name it says which.
    Allow {
        /// The folder, or nothing to see which one is open.
        folder: Option<PathBuf>,
        /// You wrote what is in it: it does not count as text of others.
        #[arg(long)]
        own: bool,
        /// Open no folder any more. What was indexed stays.
        #[arg(long, conflicts_with_all = ["folder", "own"])]
        none: bool,
    },
    /// Put files, or all files of a folder, into the library.
    ///
    /// It reads pdf, docx, md, txt, html, epub, xlsx and csv of up to 10 MiB each. A file that has not changed is left as
    /// it is, so what was interrupted goes on when you say the same again.
    Add(add::Add),
    /// Find papers by what they mean, too: name the model that tells it, and it is tried at once.
    Embed(embed::Embed),
    /// List what is in the library.
    List {
        /// Print one JSON document instead of words for people.
        #[arg(long)]
        json: bool,
    },
    /// Take a file, or all files below a folder, out of the library. The files themselves stay.
    Remove {
        /// A file's name or path, or a folder's path.
        what: String,
    },
    /// Build the index again from the texts that it keeps.
    Rebuild,
    /// Look at every part of the library, and tell what is broken.
    Check,
}

/// Why the library could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LibraryCliError {
    /// The home's files could not be used.
    #[error(transparent)]
    File(#[from] home::FileError),
    /// router/config.json could not be changed.
    #[error(transparent)]
    Wish(#[from] WishError),
    /// What was asked can't be done.
    #[error("{0}")]
    Refused(String),
    /// The system does not let it run.
    #[error("the library's process can't be started")]
    Start(#[from] std::io::Error),
}

/// Does what `command` says.
pub(super) async fn run(
    home: &Home,
    me: &SelfCommand,
    command: LibraryCommand,
) -> Result<(), LibraryCliError> {
    match command.command {
        Command::Allow { folder, own, none } => return allow(home, folder, own, none),
        Command::Add(command) => return add::run(home, me, command).await,
        Command::Embed(command) => return embed::run(home, me, command).await,
        _ => {}
    }
    let worker = Worker::open(home, me).await?;
    let said = match command.command {
        Command::List { json: true } => format!("{:#}", worker.list().await?),
        Command::List { .. } => listed(&worker.list().await?),
        Command::Remove { what } => {
            // A path counts from the folder where one is.
            let whole = std::path::absolute(&what).ok().filter(|_| what.contains('/'));
            let what = whole.unwrap_or_else(|| what.into());
            let gone = worker.ask("FORGET_DOC", json!({"path": what, "all": true})).await?;
            format!("{} taken out of the library", counted(&gone["forgotten"], "file"))
        }
        Command::Rebuild => {
            let built = worker.ask("REBUILD_LIBRARY", json!({})).await?;
            let mut said =
                format!("{} built again from the texts", counted(&built["documents"], "file"));
            for lost in built["lost"].as_array().into_iter().flatten() {
                said.push_str(&format!("\nlost: {}", plain(lost)));
            }
            said
        }
        _ => return checked(&worker.ask("CHECK_LIBRARY", json!({})).await?),
    };
    home::say!("{said}");
    Ok(())
}

fn allow(
    home: &Home,
    folder: Option<PathBuf>,
    own: bool,
    none: bool,
) -> Result<(), LibraryCliError> {
    let said = match folder {
        Some(folder) => {
            let folder = allowed::real(home, &folder)?;
            allowed::open(home, &folder, own)?;
            format!(
                "{} is open: `/index FILE admin` in a chat takes files from it, and so does `{}`",
                folder.display(),
                home::router_command("library add")
            )
        }
        None if none => {
            allowed::close(home)?;
            "no folder is open any more; what was indexed stays".to_owned()
        }
        None => match allowed::folder(home)? {
            Some(folder) => format!("{folder} is open"),
            None => format!("no folder is open: `{}`", home::router_command("library allow DIR")),
        },
    };
    home::say!("{said}");
    Ok(())
}

fn checked(checked: &Value) -> Result<(), LibraryCliError> {
    let faults: Vec<String> =
        checked["faults"].as_array().into_iter().flatten().map(plain).collect();
    if faults.is_empty() {
        let passages = counted(&checked["passages"], "passage");
        home::say!("all is well: {}, {passages}", counted(&checked["documents"], "file"));
        return Ok(());
    }
    let mend = home::router_command("library rebuild");
    Err(LibraryCliError::Refused(format!("{}\n`{mend}` mends the index", faults.join("\n"))))
}

fn listed(list: &Value) -> String {
    let papers: Vec<&Value> = list["papers"].as_array().into_iter().flatten().collect();
    if papers.is_empty() {
        let add = home::router_command("library add FILE");
        return format!("the library is empty: `{add}` puts a file in");
    }
    let mut lines: Vec<String> = papers
        .iter()
        .map(|paper| {
            let own = if paper["own"] == json!(true) { ", your own" } else { "" };
            let place = plain(&paper["place"]);
            format!(
                "{place} ({}{own}, {})",
                plain(&paper["role"]),
                counted(&paper["passages"], "passage")
            )
        })
        .collect();
    let passages = counted(&list["passages"], "passage");
    lines.push(format!("{}, {passages}", counted(&list["documents"], "file")));
    lines.join("\n")
}

/// `1 file`, `2 files`.
fn counted(count: &Value, what: &str) -> String {
    home::counted(count.as_u64().unwrap_or_default(), what)
}

/// What a skill says, without marks that a terminal would obey.
fn plain(value: &Value) -> String {
    printable(&value.as_str().map_or_else(|| value.to_string(), str::to_owned)).to_string()
}
