//! Who the agent is.

use async_trait::async_trait;

use super::Step;
use super::section::{Section, Source};

/// SOUL.md, as it stands.
pub(super) struct Soul;

#[async_trait]
impl Source for Soul {
    fn name(&self) -> &'static str {
        "SOUL_CONTENT"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        Some(Section::owners(step.soul).stable())
    }
}
