//! What stands last: what is wrong with the first try, and how to answer if the template has words of its own for that.

use answer::formats;
use answer::sanitize::fit;
use async_trait::async_trait;

use super::section::{Part, Section, Source};
use super::{Gloss, Step, template};

/// How much is told of what is wrong, in bytes.
const REPAIR: usize = 1_000;

/// The last words.
pub(super) struct Closing;

#[async_trait]
impl Source for Closing {
    fn name(&self) -> &'static str {
        template::MESSAGE
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let repair = step.repair.map(|error| {
            let error = fit(error, REPAIR);
            Part::own(format!("Your last answer could not be read: {error}. Write it again."))
        });
        Some(Section::written(move |manner| {
            if manner.fit.gloss == Gloss::Wanted || manner.fit.talk {
                return Vec::new();
            }
            let line = if manner.has_place { None } else { formats::in_one_line(manner.fit.way) };
            repair.iter().cloned().chain(line.map(Part::own)).collect()
        }))
    }
}
