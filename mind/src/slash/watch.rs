//! `/watch PATTERN ACTION {json} [only when ...]`: looks again and again, and says something only when what it sees has changed.

use std::sync::Arc;

use answer::Action;
use async_trait::async_trait;
use conversation::workspace::urls;
use protocol::{ActionName, Effect, Millis, Object};
use schedule::{NewJob, Pattern, Watch, When};
use serde_json::Value;
use session::Caller;

use super::cron::fields;
use super::perform::{At, Perform, Read};
use super::remind::OFF;
use crate::turn;

/// What is said of a command that can't be read.
const USAGE: &str = "say when, and what is looked at: /watch 0 9 * * 1-5 WEB_FETCH {\"url\": \"https://example.com\"} only when the price fell";

#[derive(Debug, PartialEq)]
struct StartWatch {
    pattern: String,
    action: Action,
    only_when: Option<String>,
    /// The addresses in it.
    typed: Vec<String>,
}

pub(super) fn read(rest: &str) -> Read {
    Ok(Arc::new(wish(rest)?))
}

fn wish(rest: &str) -> Result<StartWatch, String> {
    let (pattern, rest) = fields(rest);
    let (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    if name.is_empty() {
        return Err(USAGE.to_owned());
    }
    let name = ActionName::new(name).map_err(|_| USAGE.to_owned())?;
    let (params, rest) = object(rest.trim_start())?;
    let only_when = match rest.trim() {
        "" => None,
        rest => Some(
            rest.strip_prefix("only when")
                .map(str::trim)
                .filter(|it| !it.is_empty())
                .ok_or(USAGE)?,
        ),
    };
    let typed =
        params.values().filter_map(Value::as_str).flat_map(urls).map(str::to_owned).collect();
    let action = Action { name, params };
    Ok(StartWatch { pattern, action, only_when: only_when.map(str::to_owned), typed })
}

/// The JSON object at the beginning of a text, and what stands behind it.
fn object(text: &str) -> Result<(Object, &str), String> {
    if !text.starts_with('{') {
        return Ok((Object::new(), text));
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Object>();
    match values.next() {
        Some(Ok(params)) => Ok((params, text.get(values.byte_offset()..).unwrap_or_default())),
        Some(Err(error)) => Err(format!("the parameters are no JSON object: {error}")),
        None => Ok((Object::new(), "")),
    }
}

#[async_trait]
impl Perform for StartWatch {
    async fn perform(&self, at: At<'_>) {
        let Some(book) = at.mind.book.clone() else { return at.notice(OFF) };
        let pattern = match Pattern::read(&self.pattern, book.zone(), book.now()) {
            Ok(pattern) => pattern,
            Err(error) => return at.notice(error.to_string()),
        };
        let cards = at.mind.cards();
        let card =
            cards.iter().flat_map(|cards| &cards.0).find(|card| card.name == self.action.name);
        if let Some(card) = card.filter(|card| card.effect != Effect::None) {
            return at.notice(format!("a watch only looks, and {} does something", card.name));
        }
        let now = Millis::of_this_machine();
        let bits = at.session.entered.taint();
        let (principal, files) = (at.session.principal.clone(), &at.session.files);
        let caller = Caller::of_a_job(files, principal.clone(), bits, (now, &self.typed));
        let first = turn::run(at.mind, at.outbox, &caller, self.action.clone(), &cards).await;
        let seen = match first.brought() {
            Ok(seen) => seen,
            Err(why) => {
                return at.notice(format!(
                    "nothing is watched, because the first look brought nothing: {why}"
                ));
            }
        };
        let Action { name, params } = self.action.clone();
        let watch = Watch::new(name, params, self.only_when.clone(), &seen);
        let new = NewJob {
            text: watch.what(),
            when: When::Again(pattern),
            is_agentic: false,
            by: principal,
            is_models: false,
            bits,
            typed: self.typed.clone(),
            watch: Some(watch),
        };
        super::remind::add(&at, &book, new).await;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pattern_an_action_its_parameters_and_a_condition() {
        let wish = wish(
            "0 9 * * 1-5 WEB_FETCH {\"url\": \"https://a.example/x\"} only when it is {cheap}",
        )
        .unwrap();
        assert_eq!(wish.pattern, "0 9 * * 1-5");
        assert_eq!(Value::Object(wish.action.params), json!({"url": "https://a.example/x"}));
        assert_eq!(wish.only_when.as_deref(), Some("it is {cheap}"));
        assert_eq!(wish.typed, ["https://a.example/x"]);
        let bare = super::wish("* * * * * NEWS").unwrap();
        assert_eq!((bare.action.params.len(), bare.only_when), (0, None));
    }

    #[test]
    fn what_is_wrong_is_told_with_what_is_right() {
        for wrong in
            ["", "0 9 * *", "0 9 * * *", "0 9 * * * web fetch", "0 9 * * * WEB_FETCH {} when"]
        {
            assert!(wish(wrong).unwrap_err().contains("/watch 0 9"), "{wrong}");
        }
        assert!(wish("0 9 * * * WEB_FETCH {\"url\": }").unwrap_err().contains("no JSON object"));
    }
}
