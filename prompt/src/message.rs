//! What the user says now, whole.

use answer::sanitize::tame;
use async_trait::async_trait;

use super::section::{Part, Section, Source};
use super::{Gloss, Step, gloss, template};

/// The message.
pub(super) struct Message;

#[async_trait]
impl Source for Message {
    fn name(&self) -> &'static str {
        template::MESSAGE
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let message = step.message;
        Some(Section::written(move |manner| {
            vec![match manner.fit.gloss {
                Gloss::Wanted => Part::own(gloss::request(message)),
                _ => Part::marked("message", tame(message)),
            }]
        }))
    }
}
