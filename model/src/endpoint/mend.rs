//! What is changed in a request that was refused, before it is asked once more.

use llm::{Format, Refusal};

use super::plan::Plan;
use super::{Endpoint, Failure};
use crate::{Ask, ModelError, Way};
use answer::formats;

/// What was changed by now for one ask.
#[derive(Debug, Default)]
pub(super) struct Mending {
    /// What happened to the first request whose way was not taken.
    pub(super) form: Option<String>,
    /// What happened to the picture, if it was not for want of room.
    pub(super) blind: Option<String>,
    /// The prompt was too long once.
    overran: bool,
}

impl Endpoint {
    /// The way in which `ask`, perhaps without its picture, is asked after `plan` has failed; `None` if nothing mends that.
    pub(super) fn mended(
        &self,
        failure: &Failure,
        plan: &Plan<'_>,
        ask: &mut Ask<'_>,
        mending: &mut Mending,
    ) -> Option<Way> {
        if plan.picture.is_some() && may_refuse_picture(failure) {
            tracing::info!(error = %failure.error, "the model is asked without the picture");
            // One that has no room for it may have some the next time.
            let is_blind = !matches!(failure.refusal, Refusal::Overrun(_));
            mending.blind = is_blind.then(|| befallen("a picture", &failure.error));
            *ask = ask.with_picture(None);
            return Some(plan.way);
        }
        match failure.refusal {
            Refusal::Overrun(said) if !mending.overran => {
                mending.overran = true;
                self.memo.overran(plan.size, plan.fits, said);
                // Only a prompt that is written for the model can be written shorter.
                ask.turn.map(|_| plan.way)
            }
            // Nobody knew that it thinks; now there is room for that.
            _ if matches!(failure.error, ModelError::OnlyThought { .. }) && self.memo.thought() => {
                Some(plan.way)
            }
            Refusal::Temperature if self.memo.takes_temperature() => {
                self.memo.refused_temperature();
                Some(plan.way)
            }
            _ if lacks_memory(&failure.error)
                && self.window.is_none()
                && self.memo.shrink(plan.size.window) =>
            {
                tracing::info!(error = %failure.error, "the model is asked with a smaller window");
                Some(plan.way)
            }
            _ if refuses_form(failure) && plan.format != Format::Free && self.way.is_none() => {
                let next = formats::next(plan.way)?;
                let words = || befallen(&plan.way.to_string(), &failure.error);
                mending.form.get_or_insert_with(words);
                Some(next)
            }
            _ => {
                if is_lost(&failure.error) {
                    self.memo.lost();
                }
                None
            }
        }
    }
}

/// What happened to something that was sent, for people: `json was answered with 400: no grammar`.
fn befallen(sent: &str, error: &ModelError) -> String {
    match error {
        ModelError::Status { status, words, .. } => {
            format!("{sent} was answered with {status}: {words}")
        }
        other => format!("{sent} failed: {}", other.what()),
    }
}

/// Whether the machine of the server has no room for what was asked: Ollama says "model requires more system memory", its
/// runner "out of memory".
fn lacks_memory(error: &ModelError) -> bool {
    match error {
        ModelError::Status { status: 500.., words, .. } | ModelError::Server { words, .. } => {
            words.to_lowercase().contains("memory")
        }
        _ => false,
    }
}

/// Whether the server may be started anew, or exchanged, before it is asked again.
fn is_lost(error: &ModelError) -> bool {
    matches!(
        error,
        ModelError::Unreachable { .. } | ModelError::Transport { .. } | ModelError::Cut { .. }
    )
}

/// Whether the server may have refused because it does not know schemas or tools.
fn refuses_form(failure: &Failure) -> bool {
    let is_likely = matches!(failure.error, ModelError::Status { status: 400 | 422 | 501, .. });
    failure.refusal == Refusal::Format || is_likely
}

/// Whether the server may have refused because of the picture: it has no room, says so, or does not say what it was.
fn may_refuse_picture(failure: &Failure) -> bool {
    let is_likely =
        matches!(failure.error, ModelError::Status { status: 400 | 415 | 422 | 501, .. });
    match failure.refusal {
        Refusal::Busy | Refusal::WrongKey => false,
        Refusal::Overrun(_) => true,
        _ => failure.of_pictures || is_likely,
    }
}
