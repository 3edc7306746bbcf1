//! `/business setup|show|clear`: what customers are told, and when a person is called.

use std::sync::Arc;

use async_trait::async_trait;
use business::{Answered, Profile, Setup};

use super::perform::{At, Perform, Read};

/// What is wanted of the business.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BusinessWish {
    Setup,
    Show,
    Clear,
    /// An answer to the question of the set-up that waits.
    Answer(String),
}

pub(super) fn read(rest: &str) -> Read {
    match rest.to_lowercase().as_str() {
        "" | "show" => Ok(Arc::new(BusinessWish::Show)),
        "setup" => Ok(Arc::new(BusinessWish::Setup)),
        "clear" => Ok(Arc::new(BusinessWish::Clear)),
        _ => Err("say /business setup, /business show or /business clear".to_owned()),
    }
}

/// The answer to the question of the set-up that waits.
pub(super) fn answer(text: String) -> Arc<dyn Perform> {
    Arc::new(BusinessWish::Answer(text))
}

#[async_trait]
impl Perform for BusinessWish {
    async fn perform(&self, at: At<'_>) {
        let reception = &at.mind.reception;
        match self {
            Self::Show if reception.profile().is_set() => at.text(reception.profile().shown()),
            Self::Show => at.text("No business is set up; /business setup does that."),
            Self::Setup => {
                let (setup, question) = Setup::begin(Profile::clone(&reception.profile()));
                at.session.setup = Some(setup);
                at.text(question);
            }
            Self::Clear => match reception.set_profile(Profile::default()) {
                Ok(()) => at.text(
                    "No business is set up any more. /mode personal refuses strangers again.",
                ),
                Err(error) => at.notice(error.to_string()),
            },
            Self::Answer(text) => answered(at, text),
        }
    }
}

fn answered(at: At<'_>, text: &str) {
    let Some(mut setup) = at.session.setup.take() else { return };
    match setup.answer(text) {
        Answered::Ask(question) => {
            at.session.setup = Some(setup);
            at.text(question);
        }
        Answered::Cancelled => at.text("Nothing was changed."),
        Answered::Done(profile) => match at.mind.reception.set_profile(*profile) {
            Ok(()) => at.text("It is set. /mode business has strangers answered as customers."),
            Err(error) => at.notice(error.to_string()),
        },
    }
}
