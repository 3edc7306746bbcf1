//! `/model`: who thinks, what else there is, and another one for all chats.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use conversation::message::Outgoing;
use model::{Chain, Listed, Model, Progress};
use session::Outbox;
use settings::{Target, TargetError};

use super::in_force;
use super::perform::{At, Perform, Read};
use crate::Mind;

/// How long `/model` waits for a server to say what it is.
const DESCRIBE: Duration = Duration::from_secs(1);

/// What is wanted of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ModelWish {
    /// To see who thinks.
    Show,
    /// To see what the server has.
    List,
    /// That those which stand in may read what is private, or may not.
    Trust(bool),
    /// Another one.
    Change {
        /// A target, or a model at the same place.
        target: String,
        /// Whether the settings are changed, too.
        keep: bool,
    },
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest)?))
}

/// Reads what stands behind `/model`.
fn wish(rest: &str) -> Result<ModelWish, String> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match words.as_slice() {
        [] => Ok(ModelWish::Show),
        ["list"] => Ok(ModelWish::List),
        ["trust"] => Ok(ModelWish::Trust(true)),
        ["distrust"] => Ok(ModelWish::Trust(false)),
        [target] | [target, "--keep"] | ["--keep", target] if !target.starts_with('-') => {
            Ok(ModelWish::Change { target: (*target).to_owned(), keep: words.len() == 2 })
        }
        _ => Err("say /model, /model list, /model TARGET or /model TARGET --keep, such as /model \
                  ollama:qwen2.5:3b"
            .to_owned()),
    }
}

#[async_trait]
impl Perform for ModelWish {
    async fn perform(&self, at: At<'_>) {
        let said = match self {
            Self::Show => Ok(shown(at.mind).await),
            Self::List => listed(at.mind).await,
            Self::Trust(trusts) => trusted(at.mind, *trusts),
            Self::Change { target, keep } => match meant(at.mind, target) {
                Ok(target) => changed(at.mind, target, *keep, at.outbox).await,
                Err(error) => Err(error.to_string()),
            },
        };
        match said {
            Ok(text) => at.text(text),
            Err(why) => at.notice(why),
        }
    }
}

fn meant(mind: &Mind, target: &str) -> Result<Target, TargetError> {
    Target::meant(target, &mind.model.first())
}

async fn shown(mind: &Mind) -> String {
    // Who is slow to say what it is has its window guessed for now.
    let _ = tokio::time::timeout(DESCRIBE, mind.model.describe()).await;
    let holds = mind.model.in_force().map(|holds| format!("{}\n", in_force::lines(&holds)));
    format!(
        "{} (provider {})\n{}{}\n/model list shows what is there; /model TARGET asks another in all chats \
         until the agent ends, and with --keep in later ones, too.",
        mind.model.name(),
        mind.model.first().provider,
        holds.unwrap_or_default(),
        standings(&mind.model.chain()),
    )
}

/// The chain, one line for each link.
pub(super) fn standings(chain: &Chain) -> String {
    let mut text = "asked in this order:".to_owned();
    for (at, link) in chain.links().iter().enumerate() {
        // Writing to a String can't fail.
        let _ = write!(text, "\n  {}. {}", at + 1, link.name());
        if !link.is_offline() {
            let _ = write!(text, ": {}", link.standing());
        }
        if at > 0 && !link.may_read_private() {
            text.push_str("; reads nothing private (/model trust lets it)");
        }
        if let Some(way) = link.in_force().as_ref().and_then(in_force::fallen) {
            let _ = write!(text, "; asked with {way}");
        }
    }
    text
}

/// Lets the models outside of the house that stand in read what is private, or none.
fn trusted(mind: &Mind, trusts: bool) -> Result<String, String> {
    let chain = mind.model.chain();
    let outside: Vec<Target> =
        chain.links().iter().skip(1).filter_map(|link| link.outside().cloned()).collect();
    if outside.is_empty() {
        return Err("no model outside of your network stands in for another".to_owned());
    }
    let names = outside.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let maker = mind.model.maker();
    let kept: &[Target] = if trusts { &outside } else { &[] };
    maker.trusted.set(kept);
    let told = match trusts {
        true => format!(
            "{names} may read what is private, when it stands in; /model distrust takes that back"
        ),
        false => format!("{names} is not asked any more where something private would be read"),
    };
    settings::keep_trusted(&maker.chosen, kept)
        .map_err(|error| format!("{told}, until the agent ends; not kept: {error}"))?;
    Ok(told)
}

async fn listed(mind: &Mind) -> Result<String, String> {
    let models = mind.model.models().await.map_err(|error| error.to_string())?;
    let line = |model: &Listed| {
        let parameters = model.parameters.map(|count| format!("{} parameters", rounded(count)));
        let window = model.window.map(|window| format!("{} tokens", grouped(window)));
        match parameters.into_iter().chain(window).collect::<Vec<_>>()[..] {
            [] => model.name.clone(),
            ref known => format!("{} ({})", model.name, known.join(", ")),
        }
    };
    match models.as_slice() {
        [] => Ok(format!("{} has no models", mind.model.first().provider)),
        models => Ok(models.iter().map(line).collect::<Vec<_>>().join("\n")),
    }
}

async fn changed(
    mind: &Mind,
    target: Target,
    keep: bool,
    outbox: &Outbox,
) -> Result<String, String> {
    let what = format!("asking {target}");
    outbox.say(Outgoing::Working(what.clone()));
    let mut hear = |step: Progress<'_>| outbox.say_progress(&what, &step);
    let before = mind.model.name();
    let proof = mind.model.change(target.clone(), &mut hear).await;
    let proof = proof.map_err(|error| format!("{error}; it stays {before}"))?;
    let proven = proof.map_or_else(
        || "from now on sentences are matched with those of /actions".to_owned(),
        |proof| proof.to_string(),
    );
    if !keep {
        return Ok(format!(
            "{proven}; that is for all chats until the agent ends, --keep makes it last"
        ));
    }
    let file = &mind.model.maker().chosen;
    settings::keep(file, &mind.model.first()).map_err(|error| {
        format!("{proven}, in all chats until the agent ends; not kept: {error}")
    })?;
    Ok(format!("{proven}; kept for every start from now on"))
}

/// A count of parameters as models are named by it: `3.1 B`, `494 M`.
fn rounded(count: u64) -> String {
    let millions = count.div_ceil(1_000_000);
    match millions {
        0..1_000 => format!("{millions} M"),
        _ => format!("{}.{} B", millions / 1_000, millions % 1_000 / 100),
    }
}

/// A count with commas between thousands.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let change = |keep| Ok(ModelWish::Change { target: "ollama:a".to_owned(), keep });
        assert_eq!(wish(""), Ok(ModelWish::Show));
        assert_eq!(wish("list"), Ok(ModelWish::List));
        assert_eq!(wish("ollama:a"), change(false));
        assert_eq!(wish("ollama:a --keep"), change(true));
        assert_eq!(wish(" --keep  ollama:a"), change(true));
        for wrong in ["--keep", "a b", "a --kep", "a --keep b"] {
            assert!(wish(wrong).unwrap_err().contains("/model TARGET --keep"), "{wrong}");
        }
    }

    #[test]
    fn thousands_are_told_apart() {
        let told = [0, 12, 999, 1_240, 8_192, 131_072, 1_000_000].map(grouped);
        assert_eq!(told, ["0", "12", "999", "1,240", "8,192", "131,072", "1,000,000"]);
    }
}
