//! `_BROWSER_VISION`: looks at a web page and keeps what was seen.

mod kept;
mod slot;

use std::sync::Arc;
use std::time::Duration;

use answer::sanitize::one_line;
use async_trait::async_trait;
use broker::Requester;
use eyes::{Eyes, Look, LookError, Seen};
use protocol::{ActionCard, Code, Done, Millis, Object, Reads, Stopped};
use serde::Deserialize;
use serde_json::json;
use session::Caller;
use url::Url;

use super::LocalAction;
use super::permission::Permission;
use kept::Kept;
use slot::Slots;

/// How long one look may take.
const LIMIT: Duration = Duration::from_secs(60);

/// How long an address may be, in characters, as for WEB_FETCH.
const ADDRESS: usize = 2_048;

/// How long a question may be, in characters.
const QUESTION: usize = 2_000;

/// How much of a page's text is shown at once, in characters; all of it is in the file.
const BEGINNING: usize = 2_000;

/// How long a title is told, in characters.
const TITLE: usize = 200;

/// What asks for the picture alone.
const PICTURE: [&str; 4] = ["picture", "screenshot", "image", "show"];

/// Opens a page in a browser, saves its text, its HTML and its picture below the output folder of whoever asks, and has the text
/// read for an answer.
pub struct BrowserVision {
    card: ActionCard,
    eyes: Arc<Eyes>,
    permission: Permission,
    slots: Slots,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    url: String,
    question: Option<String>,
}

impl BrowserVision {
    /// The action with these eyes, if there is a browser behind them. The router behind `requester` permits each look.
    #[must_use]
    pub fn new(eyes: Arc<Eyes>, requester: Arc<dyn Requester>, timeout: Duration) -> Option<Self> {
        let card = super::card("_BROWSER_VISION").filter(|_| eyes.is_open())?;
        let permission = Permission::new(requester, timeout).ok()?;
        Some(Self { card, eyes, permission, slots: Slots::default() })
    }

    async fn see(&self, url: Url, caller: &Caller) -> Result<Seen, Stopped> {
        caller.working(format!("looking at {}", one_line(url.as_str())));
        let look = Look { url, limit: LIMIT };
        self.eyes.look(look).await.map_err(|error| stopped(&error))
    }
}

#[async_trait]
impl LocalAction for BrowserVision {
    fn card(&self) -> &ActionCard {
        &self.card
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        let Params { url, question } = super::params(params)?;
        let url = address(&url)?;
        if question.as_ref().is_some_and(|question| question.chars().count() > QUESTION) {
            let message = format!("question: it has at most {QUESTION} characters");
            return Err(Stopped::new(Code::BadParams, message));
        }
        let slot = self.slots.take();
        let asked = Object::from_iter([("url".to_owned(), json!(url.as_str()))]);
        self.permission.ask(&self.card.name, asked, caller).await?;
        let seen = self.see(url, caller).await?;
        let kept = Kept::of(&caller.files, slot.number(), &seen).await?;
        if let Some(picture) = kept.picture.as_ref().filter(|_| wants_picture(question.as_deref()))
        {
            caller.show(caller.files.folder().join(picture));
        }
        Ok(done(&seen, &kept, question))
    }
}

/// The address that is meant; people leave out `https://`.
fn address(text: &str) -> Result<Url, Stopped> {
    let wrong = |why: &str| Stopped::new(Code::BadParams, format!("url: {why}"));
    let text = text.trim();
    if text.chars().count() > ADDRESS {
        return Err(wrong("it is too long"));
    }
    let url = Url::parse(text).ok().filter(|url| url.has_host() || !text.contains('.'));
    let url = url.or_else(|| Url::parse(&format!("https://{text}")).ok());
    let url = url.ok_or_else(|| wrong("it is no address, such as https://example.com"))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some_and(|host| host.contains(['.', ':'])) => Ok(url),
        "http" | "https" => Err(wrong("it names no host, such as example.com")),
        _ => Err(wrong("only http: and https: are looked at")),
    }
}

fn stopped(error: &LookError) -> Stopped {
    let code = match error {
        LookError::Refused(..) => Code::Policy,
        LookError::NoBrowser(_) => Code::Disabled,
        LookError::Slow(..) => Code::Timeout,
        // Its words may be the page's.
        LookError::Browser(_) | LookError::Page(..) | LookError::Unreached(..) => Code::SkillFailed,
    };
    let stopped = Stopped::new(code, error.to_string());
    match error {
        LookError::Unreached(..) => stopped.bringing(Reads::NONE),
        _ => stopped,
    }
}

/// Whether the picture alone is wanted: "Show me ...".
fn wants_picture(question: Option<&str>) -> bool {
    question.is_some_and(|said| PICTURE.contains(&said.trim().to_ascii_lowercase().as_str()))
}

fn done(seen: &Seen, kept: &Kept, question: Option<String>) -> Done {
    let title: String = one_line(&seen.title).chars().take(TITLE).collect();
    let beginning: String = seen.text.chars().take(BEGINNING).collect();
    let mut result = Object::from_iter([
        ("url".to_owned(), json!(seen.url)),
        ("http_status".to_owned(), json!(seen.status)),
        ("title".to_owned(), json!(title)),
        ("language".to_owned(), json!(seen.language)),
        ("time".to_owned(), json!(Millis::of_this_machine())),
        ("picture".to_owned(), json!(kept.picture)),
        ("text_file".to_owned(), json!(kept.text)),
        ("beginning".to_owned(), json!(beginning)),
        ("remarks".to_owned(), json!(seen.remarks)),
    ]);
    if !wants_picture(question.as_deref()) {
        let mut params = Object::from_iter([("content".to_owned(), json!(kept.text))]);
        params.extend(question.map(|question| ("question".to_owned(), json!(question))));
        params.extend(kept.glance.as_ref().map(|glance| ("picture".to_owned(), json!(glance))));
        let follow_up = json!({"name": "_LLM_SUMMARY", "params": params});
        result.insert("follow_up".to_owned(), follow_up);
    }
    let picture = kept.picture.as_ref().map(|picture| format!("picture in {picture}, "));
    let picture = picture.unwrap_or_default();
    let mut text = format!("saw {}: {picture}text in {}", one_line(&seen.url), kept.text);
    for remark in &seen.remarks {
        text.push('\n');
        text.push_str(&one_line(remark));
    }
    Done { result, text: Some(text), ..Done::default() }
}

#[cfg(test)]
mod tests;
