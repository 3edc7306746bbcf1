//! The command line: what is asked of whom, and what is printed.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use home::Home;
use model::Assist;
use settings::ProviderName;

use crate::ask::{Server, Wish};
use crate::cards::{Actions, Homes, root};
use crate::results::{Results, Row};
use crate::run::Run;
use crate::talk::{self, Chat, How};
use crate::utterance::{Asked, Group, Split, Utterance, all, counted};
use crate::{results, table};

/// How often does a model call the right action?
///
/// Messages of people (eval/utterances.toml) go through the agent's prompt to a model, in each way of asking. Right is
/// exactly the actions that are expected with valid parameters, and no other. What models answer is kept in target/eval/ and
/// not asked again while address, prompt and form are the same.
#[derive(Debug, Clone, Parser)]
#[command(name = "eval", bin_name = "cargo xtask eval")]
pub struct Options {
    /// Who serves it: openai (and whoever speaks its API), ollama, anthropic or gemini; without this and --url, whom
    /// the agent asks
    #[arg(long, value_parser = provider)]
    pub provider: Option<ProviderName>,
    /// Where a server listens, such as http://127.0.0.1:8080/v1, of openai unless --provider says otherwise
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// The model; without one, the agent's, or of another server the first that it lists
    #[arg(long)]
    pub model: Option<String>,
    /// The folder with agent/config.json and .env, as the agent finds it
    #[arg(long, env = "SAFECLAW_HOME", value_name = "FOLDER")]
    pub home: Option<PathBuf>,
    /// A way of asking, or several; all without it
    #[arg(long)]
    pub way: Vec<Asked>,
    /// One group
    #[arg(long)]
    pub group: Option<Group>,
    /// One half
    #[arg(long)]
    pub split: Option<Split>,
    /// How many utterances, at most, from all parts of the list
    #[arg(long)]
    pub limit: Option<usize>,
    /// Ask again what was asked before
    #[arg(long)]
    pub fresh: bool,
    /// Fail when fewer percent than this are right in the json way, which has to be among those asked
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(..=100))]
    pub floor: Option<u8>,
    /// Ask the everyday chats of eval/talk.toml, in each way and the same server directly, and print what is wrong with the
    /// answers
    #[arg(long)]
    pub talk: bool,
    /// Without this help of small models, or several, to see what it pays
    #[arg(long, value_name = "HELP")]
    pub without: Vec<Help>,
    /// One action at a time, where small models are not narrowed (--without narrow)
    #[arg(long)]
    pub one_action: bool,
    /// Count the messages of eval/counted.toml instead, which nobody tunes with: their answers are not shown
    #[arg(long, conflicts_with_all = ["wrong", "keep", "prompt"])]
    pub counted: bool,
    /// Print what came wrong
    #[arg(long)]
    pub wrong: bool,
    /// Keep the counts in eval/results/, with this name of the server, and put the table into docs/src/small-models.md
    #[arg(long, value_name = "SERVER")]
    pub keep: Option<String>,
    /// A sentence to stand under the table, such as why a way was not asked
    #[arg(long, value_name = "TEXT", requires = "keep")]
    pub note: Option<String>,
    /// Ask nobody: put the table of the results that are kept into docs/src/small-models.md
    #[arg(long)]
    pub table: bool,
    /// Print the prompt for one utterance, and ask nobody
    #[arg(long, value_name = "ID")]
    pub prompt: Option<String>,
}

/// A help of small models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Help {
    /// They may only choose what the words of the message tell.
    Narrow,
    /// They decide first whether they act, and talk in a request of its own.
    Talk,
    /// They are asked first what a message says in English.
    Gloss,
    /// They are shown how others asked for the like.
    Examples,
}

impl Options {
    fn assist(&self) -> Assist {
        let has = |help| !self.without.contains(&help);
        Assist {
            narrow: has(Help::Narrow),
            talk: has(Help::Talk),
            gloss: has(Help::Gloss),
            examples: has(Help::Examples),
            one_action: self.one_action,
        }
    }
}

/// Does what was asked for.
///
/// # Errors
/// When the model does not answer, or a file can't be read or written.
pub fn run(options: &Options) -> Result<()> {
    if options.table {
        return table::write(&results::kept()?);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match &options.prompt {
        Some(id) => runtime.block_on(show(options, id)),
        None => runtime.block_on(ask(options)),
    }
}

async fn ask(options: &Options) -> Result<()> {
    let homes = Homes::read()?;
    let Options { provider, url, model, home, .. } = options.clone();
    let home = Home::find(home.as_deref())?;
    let server = Server::find(&Wish { provider, url, model }, &home, &folder()).await?;
    let server = server.helped(options.assist());
    if options.talk {
        return talk(options, &server).await;
    }
    let chosen = chosen(options)?;
    let mut rows = Vec::new();
    for asked in ways(options) {
        let run = Run { server: &server, homes: &homes, asked, fresh: options.fresh };
        let records = run.over(&chosen, &folder()).await?;
        for one in records.iter().filter(|one| options.wrong && !one.right) {
            let texts: Vec<&str> = one.steps.iter().map(|step| step.text.as_str()).collect();
            println!("{} {:?}\n  {:?} {texts:?}", one.id, one.say, one.actions);
        }
        rows.push(Row::of(asked, &records));
    }
    println!("\n{}\n\n{}", server.model(), table::rows(&rows));
    options.floor.map_or(Ok(()), |floor| results::reach(&rows, floor))?;
    match &options.keep {
        Some(by) => keep(options, &server, by, rows),
        None => Ok(()),
    }
}

async fn talk(options: &Options, server: &Server) -> Result<()> {
    let is_chosen = |chat: &Chat| options.split.is_none_or(|split| split == chat.split);
    let chats: Vec<Chat> = talk::all()?.into_iter().filter(is_chosen).collect();
    let chats = spread(chats, options.limit.unwrap_or(usize::MAX));
    let asked = ways(options).into_iter().filter(|asked| *asked != Asked::Seed);
    for how in asked.map(How::AsTheAgent).chain([How::Directly]) {
        let run = talk::Run { server, how, fresh: options.fresh };
        run.over(&chats, &folder()).await?;
    }
    Ok(())
}

fn keep(options: &Options, server: &Server, by: &str, row: Vec<Row>) -> Result<()> {
    let kept = Results {
        model: server.model().trim_end_matches(".gguf").to_owned(),
        server: by.to_owned(),
        date: jiff::Zoned::now().date().to_string(),
        command: command(options, server),
        note: options.note.clone(),
        row,
    };
    eprintln!("kept in {}", results::keep(&kept)?.display());
    table::write(&results::kept()?)
}

/// What repeats it.
fn command(options: &Options, server: &Server) -> String {
    let mut command = format!("cargo xtask eval{}", server.options());
    let mut add = |name: &str, value: Option<String>| {
        value.iter().for_each(|value| command.push_str(&format!(" --{name} {value}")));
    };
    options.way.iter().for_each(|way| add("way", Some(way.to_string())));
    add("group", options.group.as_ref().and_then(named));
    add("split", options.split.as_ref().and_then(named));
    add("limit", options.limit.map(|limit| limit.to_string()));
    options.without.iter().for_each(|help| add("without", named(help)));
    if options.one_action {
        command.push_str(" --one-action");
    }
    command
}

/// As it is written on the command line.
fn named<T: ValueEnum>(value: &T) -> Option<String> {
    value.to_possible_value().map(|value| value.get_name().to_owned())
}

fn provider(text: &str) -> Result<ProviderName, String> {
    let known = ProviderName::ALL.into_iter().filter(|name| *name != ProviderName::Offline);
    let names: Vec<&str> = known.clone().map(ProviderName::as_str).collect();
    known
        .into_iter()
        .find(|name| name.as_str() == text)
        .ok_or_else(|| format!("one of {}", names.join(", ")))
}

async fn show(options: &Options, id: &str) -> Result<()> {
    let utterances = all()?;
    let known = utterances.iter().find(|one| one.id == id);
    let utterance = known.with_context(|| format!("there is no utterance {id}"))?;
    for asked in ways(options) {
        let actions = Actions::read(utterance.skills)?;
        let [system, user] = match asked {
            Asked::Seed => [String::new(), crate::seed::prompt(utterance, &actions)],
            _ => crate::run::prompt(utterance, &actions, asked).await?.into(),
        };
        println!("==== {asked}\n{system}\n---- what changes from turn to turn\n{user}\n");
    }
    Ok(())
}

fn ways(options: &Options) -> Vec<Asked> {
    match options.way.as_slice() {
        [] => vec![Asked::Seed, Asked::ToolCode, Asked::Json, Asked::Native],
        chosen => chosen.to_vec(),
    }
}

fn chosen(options: &Options) -> Result<Vec<Utterance>> {
    let of_group = |one: &Utterance| options.group.is_none_or(|group| one.group == group);
    let of_split = |one: &Utterance| options.split.is_none_or(|split| one.split == split);
    let all = if options.counted { counted()? } else { all()? };
    let all: Vec<_> = all.into_iter().filter(|one| of_group(one) && of_split(one)).collect();
    Ok(spread(all, options.limit.unwrap_or(usize::MAX)))
}

/// At most `limit` of `all`, with the same distance between them.
fn spread<T>(all: Vec<T>, limit: usize) -> Vec<T> {
    let (of, limit) = (all.len(), limit.min(all.len()));
    let is_chosen = |at: usize| at * limit / of != (at + 1) * limit / of;
    all.into_iter().enumerate().filter(|(at, _)| is_chosen(*at)).map(|(_, one)| one).collect()
}

/// Where the answers are kept.
fn folder() -> PathBuf {
    root().join("target/eval")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_taken_from_all_parts_of_the_list() {
        let all = all().unwrap();
        let ids =
            |limit| spread(all.clone(), limit).into_iter().map(|one| one.id).collect::<Vec<_>>();
        assert_eq!(ids(12).len(), 12);
        assert_eq!(ids(usize::MAX).len(), all.len());
        assert_eq!((ids(0).len(), spread(Vec::<Utterance>::new(), 3).len()), (0, 0));
        let groups: std::collections::BTreeSet<Group> =
            spread(all.clone(), 12).iter().map(|one| one.group).collect();
        assert_eq!(groups.len(), 4);
    }
}
