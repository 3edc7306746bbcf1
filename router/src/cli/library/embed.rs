//! `library embed`: which server tells what a text means, tried before it is kept.

use std::io::IsTerminal;
use std::sync::Arc;

use clap::Args;
use egress::Target;
use home::Home;
use protocol::ActionName;
use serde_json::{Value, json};

use super::worker::Worker;
use super::{LibraryCliError, plain};
use crate::catalog::{Found, Skill, scan};
use crate::cli::wishes;
use crate::config::{RouterConfig, Settings};
use crate::runner::gate::Gates;
use crate::sandbox::SelfCommand;

/// The action, and the process whose wishes these are.
const SKILL: &str = "EMBED_DOCS";
const PROCESS: &str = "MEANING";

/// After so many seconds a call says how far it is.
const PATIENCE: u64 = 2;

/// What stands behind `library embed`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Embed {
    /// Who serves the model, its name, and behind an @ the address, if it is not Ollama's usual one on this machine. Without
    /// it, this says what is set.
    model: Option<String>,
    /// Find papers by their words alone, and forget the vectors with the next model.
    #[arg(long, conflicts_with = "model")]
    off: bool,
}

const EXAMPLES: &str = "\
  library embed ollama:nomic-embed-text
  library embed openai:bge-m3@http://127.0.0.1:8080/v1

All passages go to that server, and so does every question to the library. A key for it stands in router/.env as EMBED_KEY. No \
model is fetched: for Ollama, `ollama pull nomic-embed-text` does that.";

/// A model and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    api: &'static str,
    model: String,
    url: String,
}

pub(super) async fn run(home: &Home, me: &SelfCommand, wish: Embed) -> Result<(), LibraryCliError> {
    set(home, me, if wish.off { Some("off") } else { wish.model.as_deref() }).await
}

/// Makes what `wish` names the embedder, once it has answered; `off` for none. Without a wish it says what is set.
///
/// # Errors
/// When it names no model, or the model does not answer; then nothing has changed.
async fn set(home: &Home, me: &SelfCommand, wish: Option<&str>) -> Result<(), LibraryCliError> {
    match wish {
        None => home::say!("{}", told(home)?),
        Some("off" | "none") => {
            wishes::change(home, |skills| {
                skills.shift_remove(PROCESS);
            })?;
            home::say!("papers are found by their words alone");
        }
        Some(named) => turn_on(home, me, &Place::read(named)?).await?,
    }
    Ok(())
}

fn told(home: &Home) -> Result<String, LibraryCliError> {
    let config = wishes::read(home)?;
    let set = &config["skills"][PROCESS]["settings"];
    let turn_on = home::router_command("library embed ollama:nomic-embed-text");
    Ok(match (set["embed_model"].as_str(), set["embed_url"].as_str()) {
        (Some(model), Some(url)) => format!("{model} at {url} tells what a text means"),
        _ => format!("papers are found by their words alone: `{turn_on}` adds their meaning"),
    })
}

async fn turn_on(home: &Home, me: &SelfCommand, place: &Place) -> Result<(), LibraryCliError> {
    let worker = Worker::open(home, me).await?;
    let (wish, said) = match tried(&worker, home, place, false).await {
        Ok(said) => (place.wish(false)?, said),
        // Whoever writes the address of a machine in the own network means it.
        Err(LibraryCliError::Refused(why)) if why.contains("which is not public") => {
            (place.wish(true)?, tried(&worker, home, place, true).await?)
        }
        Err(error) => return Err(error),
    };
    wishes::change(home, |skills| {
        skills.insert(PROCESS.to_owned(), wish);
    })?;
    home::say!(
        "{} answered with vectors of {} numbers: papers are found by their meaning, too",
        place.model,
        plain(&said["numbers"])
    );
    work(home, &worker).await
}

/// Has the model answer once, before anything is kept; where it `stays` in the own network, that is allowed.
async fn tried(
    worker: &Worker,
    home: &Home,
    place: &Place,
    stays: bool,
) -> Result<Value, LibraryCliError> {
    let settings = Settings::look(home).map_err(|error| refused(&error.to_string()))?;
    let mut config = settings.config;
    let wish = serde_json::from_value(place.wish(stays)?);
    config.skills.insert(PROCESS.to_owned(), wish.map_err(|error| refused(&error.to_string()))?);
    let skill = skill(home, &config)?;
    let asked = worker.ask_out(&skill, &Gates::new(settings.secrets), json!({"wait": 0})).await;
    asked.map_err(|error| refused(&format!("{error}; nothing was changed")))
}

/// Has what has no vector yet be worked on, and says how far it is; nothing where no embedder is set.
pub(super) async fn work(home: &Home, worker: &Worker) -> Result<(), LibraryCliError> {
    let settings = Settings::look(home).map_err(|error| refused(&error.to_string()))?;
    if !settings.config.skills.contains_key(PROCESS) {
        return Ok(());
    }
    let skill = skill(home, &settings.config)?;
    let gates = Gates::new(settings.secrets);
    let is_seen = std::io::stderr().is_terminal();
    let mut told = Value::Null;
    loop {
        told =
            worker.ask_out(&skill, &gates, json!({"wait": PATIENCE, "from": told["at"]})).await?;
        let number = |key: &str| told[key].as_u64().unwrap_or(0);
        if is_seen {
            let (done, all) = (number("embedded"), number("passages"));
            home::say_on_stderr!(
                "{done} of {all} passages ... (after Ctrl-C the rest follows by itself)"
            );
        }
        if number("left") == 0 {
            let refused = number("refused");
            let more =
                if refused > 0 { format!("; the model took {refused} not") } else { String::new() };
            let embedded = number("embedded");
            home::say!("{embedded} passages can be found by their meaning{more}");
            return Ok(());
        }
    }
}

fn skill(home: &Home, config: &RouterConfig) -> Result<Arc<Skill>, LibraryCliError> {
    let found = scan(&home.router_skills(), config, &Found::default());
    let name = ActionName::new(SKILL).map_err(|error| refused(&error.to_string()))?;
    found.skills.get(&name).cloned().ok_or_else(|| {
        let why = found.broken_folder(&name).map(ToString::to_string);
        refused(
            &why.unwrap_or_else(|| {
                "router/skills has no embed_docs: it was removed here".to_owned()
            }),
        )
    })
}

impl Place {
    /// Reads `ollama:NAME`, `ollama:NAME@URL` or `openai:NAME@URL`.
    fn read(text: &str) -> Result<Self, LibraryCliError> {
        let wrong = || {
            refused(&format!(
                "{:?} names no model: write ollama:nomic-embed-text, or openai:NAME@http://127.0.0.1:8080/v1",
                text.split('@').next().unwrap_or_default()
            ))
        };
        let (api, rest) = text.trim().split_once(':').ok_or_else(wrong)?;
        let at = ["@http://", "@https://"].iter().find_map(|begin| rest.find(begin));
        let (model, url) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + 1..])));
        let (api, usual) = match api {
            "ollama" => ("ollama", "http://127.0.0.1:11434"),
            "openai" => ("openai", "https://api.openai.com/v1"),
            _ => return Err(wrong()),
        };
        let url = url.unwrap_or(usual).trim_end_matches('/').to_owned();
        let is_address = url.parse::<Target>().is_ok() && !url.contains(['?', '#']);
        if model.is_empty() || model.contains(char::is_whitespace) || !is_address {
            return Err(wrong());
        }
        Ok(Self { api, model: model.to_owned(), url })
    }

    /// What router/config.json says of it.
    fn wish(&self, stays: bool) -> Result<Value, LibraryCliError> {
        let target = self.url.parse::<Target>().map_err(|error| refused(&error.to_string()))?;
        let mut wish = json!({"settings": {
            "embed_url": self.url, "embed_model": self.model, "embed_api": self.api,
        }});
        if stays {
            wish["allow_private"] = json!([target.origin().endpoint.to_string()]);
        }
        Ok(wish)
    }
}

fn refused(why: &str) -> LibraryCliError {
    LibraryCliError::Refused(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_read_with_its_place() {
        let read = |text: &str| Place::read(text).map(|place| (place.api, place.model, place.url));
        let usual = "http://127.0.0.1:11434".to_owned();
        assert_eq!(
            read("ollama:nomic-embed-text:v1.5").unwrap(),
            ("ollama", "nomic-embed-text:v1.5".to_owned(), usual)
        );
        assert_eq!(
            read("openai:bge@m3@http://127.0.0.1:8080/v1/").unwrap(),
            ("openai", "bge@m3".to_owned(), "http://127.0.0.1:8080/v1".to_owned())
        );
        for wrong in [
            "",
            "nomic",
            "ollama:",
            "other:x",
            "openai:x@http://",
            "openai:a b",
            "openai:x@https://h/?key=1",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
