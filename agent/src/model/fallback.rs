//! Answers without a language model when the language model can't.

use async_trait::async_trait;

use super::{Ask, Completion, Model, ModelError, Offline};
use crate::notice::Notice;

/// A model with [`Offline`] behind it.
///
/// What has been shown can't be taken back, so a model that fails after its first words fails for good.
pub struct Fallback<M> {
    primary: M,
    offline: Offline,
}

impl<M: Model> Fallback<M> {
    /// `primary` as long as it answers, `offline` when it does not.
    #[must_use]
    pub fn new(primary: M, offline: Offline) -> Self {
        Self { primary, offline }
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
            Ok(completion) => return Ok(completion),
            Err(error) if has_begun => return Err(error),
            Err(error) => error,
        };
        let Ok(completion) = self.offline.complete(ask, words).await else { return Err(error) };
        let notice = Notice::new(format!("{error}; answering without a language model"));
        Ok(Completion { notice: Some(notice), ..completion })
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
    async fn a_failure_is_told_when_words_were_shown_or_a_language_model_is_needed() {
        let expected = Err(ModelError::NotPulled { model: "llama3.1:8B".to_owned() });
        assert_eq!(answer("Well, ", true).await, expected);
        assert_eq!(answer("", false).await, expected);
    }
}
