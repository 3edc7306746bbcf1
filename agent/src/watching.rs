//! Looks at what is watched, in an account of its own: what a look brings enters no conversation before it is told.

use std::collections::BTreeSet;
use std::sync::Arc;

use action::ApartReader;
use answer::Action;
use async_trait::async_trait;
use channel::clock::{Looked, Looks};
use conversation::workspace::SessionFiles;
use mind::Mind;
use model::{Model, Usage};
use prompt::Fence;
use protocol::{Principal, Reads, SessionKey, Taint};
use schedule::{Due, News, Watch};
use session::Caller;

/// Looks for the jobs of one agent.
pub(crate) struct Looker {
    mind: Arc<Mind>,
    files: Arc<SessionFiles>,
    reader: ApartReader,
    /// How often a day a model may be asked whether a change is what was meant.
    questions: u32,
}

impl Looker {
    /// Looks with what `mind` can do.
    pub(crate) fn new(mind: Arc<Mind>, questions: u32) -> Self {
        let files = Arc::new(mind.workspace.session_files(&SessionKey::owner()));
        let seed = uuid::Uuid::new_v4().as_u64_pair().0;
        let model: Arc<dyn Model> = Arc::clone(&mind.model) as _;
        let reader = ApartReader::new(model, Fence::new(seed), BTreeSet::new());
        Self { mind, files, reader, questions }
    }

    /// Whether `change` is what the owner wants to hear of; the reason why nobody knows, if nobody does.
    async fn is_meant(&self, condition: &str, change: &str) -> Result<bool, String> {
        let Some(book) = &self.mind.book else { return Err("there is no clock".to_owned()) };
        book.may_ask(self.questions).map_err(|key| {
            format!("watches have asked the model as often as they may today ({key})")
        })?;
        let took = |usage: &Usage| book.took(mind::tokens(usage));
        self.reader.is_so(condition, change, took).await
    }
}

#[async_trait]
impl Looks for Looker {
    async fn look(&self, due: &Due, mut watch: Watch) -> Looked {
        let cards = self.mind.cards();
        let card = cards.iter().flat_map(|cards| &cards.0).find(|card| card.name == watch.action);
        let reads = card.map_or(Reads::PUBLIC, |card| card.reads);
        // Every id is such a name.
        let Ok(principal) = Principal::new(format!("clock:{}", due.id)) else {
            return Looked { watch, brings: Taint::CLEAN };
        };
        let caller = Caller::of_a_job(&self.files, principal, due.bits, (due.made, &due.typed));
        let action = Action { name: watch.action.clone(), params: watch.params.clone() };
        let observation = self.mind.actions.run(action, &caller, &cards).await;
        let looked = observation.brought();
        let news = watch.takes(looked.as_deref().map_err(Clone::clone));
        let (id, what) = (&due.id, watch.what());
        watch.news = match news {
            News::None => None,
            News::Failed(why) => Some(format!(
                "Watch {id} saw nothing: {why}. It goes on with {what}; /cancel {id} ends it."
            )),
            News::Changed(change) => {
                let told = format!("Watch {id} has seen a change: {what}\n{change}");
                match &watch.only_when {
                    None => Some(told),
                    Some(condition) => match self.is_meant(condition, &change).await {
                        Ok(true) => Some(told),
                        Ok(false) => None,
                        Err(why) => {
                            Some(format!("{told}\n(nobody could tell whether it is so: {why})"))
                        }
                    },
                }
            }
        };
        watch.brings = observation.brings(reads);
        Looked { brings: watch.brings, watch }
    }
}
