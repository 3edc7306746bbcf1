//! `_ADD_SCHEDULE`: has something said or done later.
//!
//! What a model only has said once is harmless, unless others' text may have asked for it. What it would do later, or again and
//! again, a person is asked about, and so is everything once others' text has come in.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use broker::Requester;
use conversation::workspace::urls;
use protocol::{ActionCard, Code, Done, Effect, Object, Stopped};
use schedule::{Book, NewJob, When};
use serde::Deserialize;
use serde_json::json;
use session::Caller;

use super::LocalAction;
use super::permission::Permission;

/// Adds jobs for the owner.
pub struct AddSchedule {
    card: ActionCard,
    book: Arc<Book>,
    permission: Permission,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    when: String,
    text: String,
    #[serde(default)]
    agent: bool,
}

impl AddSchedule {
    /// The action on this book; `None` only if its built-in card is broken. The router behind `requester` permits what
    /// is more than a reminder.
    #[must_use]
    pub fn new(book: Arc<Book>, requester: Arc<dyn Requester>, timeout: Duration) -> Option<Self> {
        let permission = Permission::new(requester, timeout).ok()?;
        Some(Self { card: super::card("_ADD_SCHEDULE")?, book, permission })
    }
}

#[async_trait]
impl LocalAction for AddSchedule {
    fn card(&self) -> &ActionCard {
        &self.card
    }

    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped> {
        let asked = params.clone();
        let Params { when, text, agent } = super::params(params)?;
        let book = Arc::clone(&self.book);
        let when = When::read(&when, book.zone(), book.now()).map_err(|error| bad(&error))?;
        let is_again = matches!(when, When::Again(_));
        let typed = caller.entered.typed();
        let new = NewJob {
            typed: urls(&text)
                .filter(|url| typed.iter().any(|typed| typed == url))
                .map(str::to_owned)
                .collect(),
            text,
            when,
            is_agentic: agent,
            by: caller.principal.clone(),
            is_models: true,
            bits: caller.entered.taint(),
            watch: None,
        };
        new.check().map_err(|error| bad(&error))?;
        if !caller.session.is_owner() {
            return Err(Stopped::new(Code::Owner, "only the owner is reminded"));
        }
        if agent || is_again || caller.entered.taint().untrusted {
            let effect = (Effect::External, ["when", "text"].as_slice());
            self.permission.ask_for(effect, &self.card.name, asked, caller).await?;
        }
        let keeper = Arc::clone(&book);
        let added = tokio::task::spawn_blocking(move || keeper.add(new)).await;
        let added = added.map_err(|error| Stopped::new(Code::Internal, error.to_string()))?;
        let added = added.map_err(|error| bad(&error))?;
        if let Some(error) = added.unsaved {
            let message = format!("it counts until this chat ends: {error}");
            return Err(Stopped::new(Code::Internal, message).maybe_executed());
        }
        book.remark().into_iter().for_each(|remark| caller.notice(remark.to_owned()));
        let due = book.zone().at(added.job.next).to_string();
        let result = Object::from_iter([
            ("job".to_owned(), json!(added.job.id)),
            ("due".to_owned(), json!(due)),
        ]);
        let text = added.job.agreed(book.now(), book.zone());
        Ok(Done { result, text: Some(text), ..Done::default() })
    }
}

fn bad(why: &impl ToString) -> Stopped {
    Stopped::new(Code::BadParams, why.to_string())
}
