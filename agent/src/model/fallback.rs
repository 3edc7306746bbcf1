//! Answers without a language model when the language model can't.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::{Ask, Completion, Model, ModelError, Offline};
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
    fn name(&self) -> &str {
        self.primary.name()
    }

    async fn complete(
        &self,
        ask: &Ask<'_>,
        words: &mut (dyn for<'w> FnMut(&'w str) + Send),
    ) -> Result<Completion, ModelError> {
        let mut has_begun = false;
        let mut watched = |piece: &str| {
            has_begun = true;
            words(piece);
        };
        let error = match self.primary.complete(ask, &mut watched).await {
            Ok(completion) => {
                self.is_news(None);
                return Ok(completion);
            }
            Err(error) if has_begun => return Err(error),
            Err(error) => error,
        };
        let Ok(completion) = self.offline.complete(ask, words).await else { return Err(error) };
        let notice = Notice::new(format!("{error}; answering without a language model"));
        Ok(Completion { notice: self.is_news(Some(error)).then_some(notice), ..completion })
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
        fn name(&self) -> &'static str {
            "failing"
        }
        async fn complete(
            &self,
            _: &Ask<'_>,
            words: &mut (dyn for<'w> FnMut(&'w str) + Send),
        ) -> Result<Completion, ModelError> {
            if !self.0.is_empty() {
                words(self.0);
            }
            Err(ModelError::NotPulled { model: "llama3.1:8B".to_owned() })
        }
    }

    async fn answer(says: &'static str, is_turn: bool) -> Result<Completion, ModelError> {
        let memory = Memory::default();
        let turn = TurnParts { message: "hello", cards: [&[], &[]], so_far: &[], memory: &memory };
        let ask = Ask { prompt: "", turn: is_turn.then_some(turn) };
        let model = Fallback::new(Failing(says), Offline::new("llama3.1:8B"));
        model.complete(&ask, &mut |_| {}).await
    }

    #[tokio::test]
    async fn the_notice_names_the_failure_and_the_command_that_mends_it() {
        insta::assert_snapshot!(
            answer("", true).await.unwrap().notice.unwrap(),
            @"Ollama does not have the model llama3.1:8B; fetch it with `ollama pull llama3.1:8B`; answering without a language model"
        );
    }

    #[tokio::test]
    async fn the_same_failure_is_said_once() {
        let model = Fallback::new(Failing(""), Offline::new("llama3.1:8B"));
        let memory = Memory::default();
        let turn = TurnParts { message: "hello", cards: [&[], &[]], so_far: &[], memory: &memory };
        let ask = Ask { prompt: "", turn: Some(turn) };
        let mut said = Vec::new();
        for _ in 0..2 {
            said.push(model.complete(&ask, &mut |_| {}).await.unwrap().notice.is_some());
        }
        assert_eq!(said, [true, false]);
    }

    #[tokio::test]
    async fn a_failure_is_told_when_words_were_shown_or_a_language_model_is_needed() {
        let expected = Err(ModelError::NotPulled { model: "llama3.1:8B".to_owned() });
        assert_eq!(answer("Well, ", true).await, expected);
        assert_eq!(answer("", false).await, expected);
    }
}
