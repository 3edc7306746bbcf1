//! A model for tests that says what it was told to, and when it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::{Ask, Completion, Listed, Listener, Lists, Model, ModelError, Progress};

/// Says one thing after the other; when none is left, it thinks for ever.
#[derive(Clone)]
pub(crate) struct Scripted {
    name: String,
    says: Arc<Mutex<VecDeque<Result<String, ModelError>>>>,
    asked: Arc<Mutex<Vec<Instant>>>,
    begins: &'static str,
    takes: Duration,
    offers: &'static [&'static str],
    fails: Option<(Instant, ModelError)>,
}

impl Scripted {
    pub(crate) fn new<const N: usize>(
        name: &str,
        says: [Result<&'static str, ModelError>; N],
    ) -> Self {
        let says = says.into_iter().map(|said| said.map(str::to_owned)).collect();
        Self {
            name: name.to_owned(),
            says: Arc::new(Mutex::new(says)),
            asked: Arc::default(),
            begins: "",
            takes: Duration::ZERO,
            offers: &[],
            fails: None,
        }
    }

    /// The same, which says `begins` before each failure.
    pub(crate) fn beginning_with(self, begins: &'static str) -> Self {
        Self { begins, ..self }
    }

    /// The same, which takes so long for each.
    pub(crate) fn taking(self, takes: Duration) -> Self {
        Self { takes, ..self }
    }

    /// The same, which fails with `error` for so long from now on, before it says anything else.
    pub(crate) fn failing_for(self, time: Duration, error: ModelError) -> Self {
        Self { fails: Some((Instant::now() + time, error)), ..self }
    }

    /// The same, whose server has these models.
    pub(crate) fn offering(self, offers: &'static [&'static str]) -> Self {
        Self { offers, ..self }
    }

    /// When it was asked.
    pub(crate) fn asked(&self) -> Vec<Instant> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn complete(
        &self,
        _: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        self.asked.lock().unwrap().push(Instant::now());
        tokio::time::sleep(self.takes).await;
        if let Some((_, error)) = self.fails.as_ref().filter(|(until, _)| Instant::now() < *until) {
            return Err(error.clone());
        }
        let next = self.says.lock().unwrap().pop_front();
        match next {
            None => std::future::pending().await,
            Some(Ok(text)) => {
                progress(Progress::Piece(&text));
                Ok(Completion::new(text))
            }
            Some(Err(error)) => {
                progress(Progress::Piece(self.begins));
                Err(error)
            }
        }
    }
}

#[async_trait]
impl Lists for Scripted {
    async fn models(&self) -> Result<Vec<Listed>, ModelError> {
        let listed = |name: &&str| Listed { name: (*name).to_owned(), ..Listed::default() };
        Ok(self.offers.iter().map(listed).collect())
    }

    fn address(&self) -> String {
        self.name.clone()
    }

    fn is_near(&self) -> bool {
        true
    }

    fn unknown(&self) -> ModelError {
        ModelError::NeedsModel
    }

    fn ask_anew(&self) {}
}

/// Keeps all that the owner is told, words and notices.
pub(crate) fn hear(heard: &mut Vec<String>) -> impl FnMut(Progress<'_>) + Send {
    hear_as(heard, true)
}

/// Keeps all that the owner, or a guest, is told.
pub(crate) fn hear_as(heard: &mut Vec<String>, is_owner: bool) -> impl FnMut(Progress<'_>) + Send {
    move |step| match step {
        Progress::Piece("")
        | Progress::Waiting { .. }
        | Progress::Asked { .. }
        | Progress::Prompt(_)
        | Progress::WordsAlone => {}
        Progress::Piece(piece) => heard.push(piece.to_owned()),
        Progress::Notice(notice) => heard.extend(notice.told_to(is_owner).map(str::to_owned)),
    }
}

/// A server that has too much to do.
pub(crate) fn busy(retry_after: Option<Duration>) -> ModelError {
    let (address, words) = ("a".to_owned(), "slow down".to_owned());
    ModelError::Busy { address, status: 429, words, retry_after }
}

/// A server that fails.
pub(crate) fn broken() -> ModelError {
    let [address, words] = ["a", "boom"].map(str::to_owned);
    ModelError::Status { address, status: 500, words }
}

/// Nothing listens.
pub(crate) fn gone(address: &str) -> ModelError {
    ModelError::Unreachable {
        address: address.to_owned(),
        reason: "connection refused".to_owned(),
        mend: "start it with `ollama serve`".to_owned(),
    }
}

/// A prompt that is too long.
pub(crate) fn overrun() -> ModelError {
    let [address, model, words] = ["a", "m", "9000 tokens"].map(str::to_owned);
    ModelError::Overrun { address, model, words }
}

/// A message that is too long.
pub(crate) fn too_long() -> ModelError {
    let [address, model] = ["a", "m"].map(str::to_owned);
    ModelError::TooLong { address, model, tokens: 66_700, room: 4_900, window: 8_192 }
}

/// A model that the server does not have.
pub(crate) fn unknown(address: &str) -> ModelError {
    ModelError::UnknownModel {
        address: address.to_owned(),
        model: "m".to_owned(),
        mend: "fetch it with `ollama pull m`".to_owned(),
    }
}
