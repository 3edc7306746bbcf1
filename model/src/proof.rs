//! Whether a model answers: one small real completion before anybody relies on it.

use std::fmt;
use std::time::Duration;

use home::nearest;
use tokio::time::Instant;

use super::{Ask, Listener, Lists, ModelError, Progress};

/// What is asked: little to read, little to write.
const QUESTION: &str = "Answer with one word: ready";

/// How many of a server's models are named when none is like the one that was asked for.
const NAMED: usize = 8;

/// That a model has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Who has.
    pub by: String,
    /// From asking to the first token.
    pub first_token: Duration,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} answers, the first token after {}", self.by, seconds(self.first_token))
    }
}

/// A short time, for people.
#[must_use]
pub fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Has `model` answer once. Its words are shown to nobody; `progress` hears the rest. Somebody has chosen it, so what
/// its server refused before is asked for anew from then on.
///
/// # Errors
/// What is wrong with it. A model that the server does not have is told with those that it has.
pub async fn prove(model: &dyn Lists, progress: &mut Listener<'_>) -> Result<Proof, ModelError> {
    let began = Instant::now();
    let mut first = None;
    let mut watched = |step: Progress<'_>| match step {
        Progress::Piece(_) => {
            first.get_or_insert_with(|| began.elapsed());
        }
        other => progress(other),
    };
    match model.complete(&Ask::plain(QUESTION), &mut watched).await {
        Ok(completion) => {
            model.ask_anew();
            let first_token = completion.usage.first_token.or(first);
            let first_token = first_token.unwrap_or_else(|| began.elapsed());
            Ok(Proof { by: model.name(), first_token })
        }
        Err(error) => Err(with_names(model, error).await),
    }
}

/// Adds the models that there are to the news that one is not.
async fn with_names(model: &dyn Lists, error: ModelError) -> ModelError {
    let ModelError::UnknownModel { address, model: wanted, mend } = error else { return error };
    let listed = model.models().await.unwrap_or_default();
    let names = || listed.iter().map(|model| model.name.as_str());
    let others = match nearest(&wanted, names()) {
        Some(near) => format!(", or did you mean {near}?"),
        None if listed.is_empty() => String::new(),
        None => {
            let first: Vec<&str> = names().take(NAMED).collect();
            let more = if listed.len() > NAMED { " and others" } else { "" };
            format!(", or take one that it has: {}{more}", first.join(", "))
        }
    };
    ModelError::UnknownModel { address, model: wanted, mend: format!("{mend}{others}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scripted::{Scripted, hear, unknown};

    async fn proven(model: &Scripted) -> Result<Proof, ModelError> {
        let mut heard = Vec::new();
        let proof = prove(model, &mut hear(&mut heard)).await;
        assert_eq!(heard, [""; 0]);
        proof
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_to_the_first_token_is_told() {
        let model = Scripted::new("m at a", [Ok("ready")]).taking(Duration::from_millis(820));
        let proof = proven(&model).await.unwrap();
        insta::assert_snapshot!(proof, @"m at a answers, the first token after 0.82 s");
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_is_not_there_is_told_with_what_is() {
        let model = Scripted::new("m at a", [Err(unknown("a")), Err(unknown("a"))]);
        let error = proven(&model.clone().offering(&["qwen", "llama"])).await.unwrap_err();
        insta::assert_snapshot!(error, @"a does not have the model m; fetch it with `ollama pull m`, or take one that it has: qwen, llama");
        let error = proven(&model.offering(&["qwen", "m1"])).await.unwrap_err();
        insta::assert_snapshot!(error, @"a does not have the model m; fetch it with `ollama pull m`, or did you mean m1?");
    }
}
