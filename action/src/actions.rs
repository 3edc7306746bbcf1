//! All actions together: the local ones and the way to the router.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use answer::Action;
use broker::Requester;
use conversation::observation::Observation;
use conversation::workspace::{Cards, SessionFiles};
use protocol::{ActionCard, ActionName, Code, NameError, Object, Stopped};
use serde_json::Value;
use session::Caller;

use super::LocalAction;
use super::apart::ApartReader;
use super::handed_over::hand_over;
use super::reserved::OwnersLine;
use super::routed::Routed;
use super::veil::Veil;

/// What the agent can do: a closed set of its own actions, and whatever the router can run.
pub struct Actions {
    local: Vec<Box<dyn LocalAction>>,
    routed: Routed,
    described: Mutex<Option<Described>>,
    /// What people ask of the router themselves.
    pub owner: OwnersLine,
    reader: Option<Arc<ApartReader>>,
    veil: Option<Arc<Veil>>,
}

/// The local actions' cards, with the owner's words that are in them.
struct Described {
    words: Arc<Cards>,
    cards: Arc<Cards>,
}

impl Actions {
    /// These local actions, and a router that is given at least `timeout` for a reply.
    ///
    /// # Errors
    /// Never in practice: the names of the router's own requests follow the grammar.
    pub fn new(
        local: Vec<Box<dyn LocalAction>>,
        requester: Arc<dyn Requester>,
        timeout: Duration,
    ) -> Result<Self, NameError> {
        let owner = OwnersLine::new(Arc::clone(&requester), timeout)?;
        let routed = Routed::new(requester, timeout);
        Ok(Self { local, routed, described: Mutex::default(), owner, reader: None, veil: None })
    }

    /// The same, with whoever reads results apart that the owner wants to have read so.
    #[must_use]
    pub fn with_reader(self, reader: Arc<ApartReader>) -> Self {
        Self { reader: Some(reader), ..self }
    }

    /// The same, with whoever takes secrets out of what is remembered.
    #[must_use]
    pub fn with_veil(self, veil: Arc<Veil>) -> Self {
        Self { veil: Some(veil), ..self }
    }

    /// `note` with no secret in it.
    ///
    /// # Errors
    /// When it is too large to be looked at.
    pub async fn without_secrets(&self, note: &str, caller: &Caller) -> Result<String, Stopped> {
        let Some(veil) = &self.veil else { return Ok(note.to_owned()) };
        let texts = Object::from_iter([("note".to_owned(), Value::from(note))]);
        let texts = veil.over(texts, caller).await?;
        Ok(texts.get("note").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// What the conversation is shown of `seen`.
    pub async fn read_apart(&self, seen: Observation, caller: &Caller) -> Observation {
        match &self.reader {
            Some(reader) => reader.instead_of(seen, caller).await,
            None => seen,
        }
    }

    /// The same where nobody can wait.
    pub fn set_aside(&self, seen: Observation, files: &SessionFiles) -> Observation {
        match &self.reader {
            Some(reader) => reader.set_aside(seen, files),
            None => seen,
        }
    }

    /// The local actions' cards, in the owner's words.
    #[must_use]
    pub fn local_cards(&self, words: Arc<Cards>) -> Arc<Cards> {
        // Poisoned, it is still whole.
        let mut described = self.described.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(earlier) = described.as_ref().filter(|one| Arc::ptr_eq(&one.words, &words)) {
            return Arc::clone(&earlier.cards);
        }
        let local: Vec<&dyn LocalAction> = self.local.iter().map(AsRef::as_ref).collect();
        let cards = Arc::new(Cards(super::described(&local, &words)));
        *described = Some(Described { words, cards: Arc::clone(&cards) });
        cards
    }

    /// Runs `action` and tells how it ended. `cards` are all that can be asked for.
    pub async fn run(
        &self,
        action: Action,
        caller: &Caller,
        cards: &[Arc<Cards>; 2],
    ) -> Observation {
        let held = action.clone();
        let Action { name, params } = action;
        if name.is_local() {
            // Whatever set is off is offered to nobody, and not there for a model that names it all the same.
            let is_offered = cards[0].0.iter().any(|card| card.name == name);
            let local = self.local.iter().find(|local| local.card().name == name);
            let Some(local) = local.filter(|_| is_offered) else {
                let stopped = unknown(&name, &cards[0].0);
                return Observation::of_local(name, Err(stopped)).holding(held);
            };
            let result = local.run(params, caller).await;
            let sentence = result.as_ref().ok().and_then(|done| local.sentence(done));
            return Observation { sentence, ..Observation::of_local(name, result).holding(held) };
        }
        match cards[1].0.iter().find(|card| card.name == name && !name.is_reserved()) {
            Some(card) => {
                let patience = card.timeout_ms.map(Duration::from_millis);
                let observation = self.routed.run(name, params, caller, patience).await;
                hand_over(observation, &caller.files, caller.heard.as_ref()).holding(held)
            }
            // Only what a catalogue names goes to the router: its own requests are not for the model.
            None => {
                let stopped = unknown(&name, &cards[1].0);
                Observation::of_local(name, Err(stopped))
            }
        }
    }
}

fn unknown(name: &ActionName, cards: &[ActionCard]) -> Stopped {
    let names = cards.iter().map(|card| card.name.as_str());
    let near = home::nearest(name.as_str(), names);
    let hint = match near {
        Some(near) => format!("did you mean {near}?"),
        // The router offers no skill that is switched off or not what was pinned.
        None => {
            let list = home::router_command("skills");
            format!("`{list}` says which there are, and why one does not run")
        }
    };
    Stopped::new(Code::UnknownAction, format!("there is no action {name}; {hint}"))
}
