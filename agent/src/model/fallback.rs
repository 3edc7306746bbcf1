//! Answers without a language model when the language model can't.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::{Ask, Completion, Listener, Model, ModelError, Offline, Progress};
use crate::notice::Notice;

/// A model with [`Offline`] behind it.
///
/// What has been shown can't be taken back, so a model that fails after its first words fails for good.
pub struct Fallback<M> {
    primary: M,
    offline: Offline,
    /// The failure that people have heard of: the same one is said once, not in every turn.
    said: Mutex<Option<ModelError>>,
}

impl<M: Model> Fallback<M> {
    /// `primary` as long as it answers, `offline` when it does not.
    #[must_use]
    pub fn new(primary: M, offline: Offline) -> Self {
        Self { primary, offline, said: Mutex::default() }
    }
}

impl<M> Fallback<M> {
    /// The same, when people have heard of `failure` already.
    #[must_use]
    pub fn after(self, failure: Option<ModelError>) -> Self {
        Self { said: Mutex::new(failure), ..self }
    }

    /// Whether the state of the primary has changed to `failure` since it was told last.
    fn is_news(&self, failure: Option<ModelError>) -> bool {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = *said != failure;
        *said = failure;
        is_news
    }
}

#[async_trait]
impl<M: Model> Model for Fallback<M> {
    fn name(&self) -> String {
        self.primary.name()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        progress: &mut Listener<'_>,
    ) -> Result<Completion, ModelError> {
        let mut has_begun = false;
        let mut watched = |step: Progress<'_>| {
            has_begun |= matches!(step, Progress::Piece(_));
            progress(step);
        };
        let error = match self.primary.complete(ask, &mut watched).await {
            Ok(completion) => {
                self.is_news(None);
                return Ok(completion);
            }
            Err(error) if has_begun => return Err(error),
            Err(error) => error,
        };
        let Ok(completion) = self.offline.complete(ask, progress).await else { return Err(error) };
        let notice = Notice::new(format!("{error}; answering without a language model"));
        if self.is_news(Some(error)) {
            progress(Progress::Notice(notice));
        }
        Ok(completion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TurnParts;
    use crate::workspace::Memory;

    /// Says `.0`, then fails.
    struct Failing(&'static str);

    #[async_trait]
    impl Model for Failing {
        fn name(&self) -> String {
            "failing".to_owned()
        }
        async fn complete(
            &self,
            _: &Ask<'_>,
            progress: &mut Listener<'_>,
        ) -> Result<Completion, ModelError> {
            if !self.0.is_empty() {
                progress(Progress::Piece(self.0));
            }
            Err(not_pulled())
        }
    }

    fn not_pulled() -> ModelError {
        ModelError::UnknownModel {
            address: "127.0.0.1:11434".to_owned(),
            model: "llama3.1:8B".to_owned(),
            mend: "fetch it with `ollama pull llama3.1:8B`".to_owned(),
        }
    }

    /// What each of two completions said, besides words.
    async fn notices(says: &'static str, is_turn: bool) -> [Result<Vec<String>, ModelError>; 2] {
        let model = Fallback::new(Failing(says), Offline::new("llama3.1:8B"));
        [notices_of(&model, is_turn).await, notices_of(&model, is_turn).await]
    }

    async fn notices_of(model: &dyn Model, is_turn: bool) -> Result<Vec<String>, ModelError> {
        let memory = Memory::default();
        let turn = TurnParts { message: "hello", cards: [&[], &[]], so_far: &[], memory: &memory };
        let mut ask = Ask::plain("");
        ask.turn = is_turn.then_some(turn);
        let mut said = Vec::new();
        let mut hear = |progress: Progress<'_>| {
            if let Progress::Notice(notice) = progress {
                said.push(notice.to_string());
            }
        };
        model.complete(&ask, &mut hear).await.map(|_| said)
    }

    #[tokio::test]
    async fn the_notice_names_the_failure_and_the_command_that_mends_it_once() {
        let [first, second] = notices("", true).await;
        insta::assert_snapshot!(
            first.unwrap().concat(),
            @"127.0.0.1:11434 does not have the model llama3.1:8B; fetch it with `ollama pull llama3.1:8B`; answering without a language model"
        );
        assert_eq!(second.unwrap(), [""; 0]);
    }

    #[tokio::test]
    async fn a_failure_is_told_when_words_were_shown_or_a_language_model_is_needed() {
        assert_eq!(notices("Well, ", true).await[0], Err(not_pulled()));
        assert_eq!(notices("", false).await[0], Err(not_pulled()));
    }
}
