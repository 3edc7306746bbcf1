//! What actions have brought: in the latest turn that acted, and in this one.

use answer::sanitize::fit;
use async_trait::async_trait;
use protocol::Object;

use super::section::{Part, Section, Source};
use super::{Gloss, Step, next, template};

/// Fields of a reply that are not for a model: those of the wire, because a small one has better things to read,
/// the question to a person, whose code nobody else should be able to dictate, and the screen, which has a section of its own.
const NOT_SHOWN: [&str; 7] = ["v", "message_id", "key_id", "mac", "approval", "screen", "_brings"];

/// artifact.json, one line an observation. What it has brought entered the conversation when it came, and its bits are kept
/// beside it.
pub(super) struct Earlier;

#[async_trait]
impl Source for Earlier {
    fn name(&self) -> &'static str {
        "ARTIFACT"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let observed = step.artifact.0.iter().collect::<Vec<_>>();
        let section = Section::written(move |manner| {
            vec![Part::marked("results", lines(&observed, manner.room))]
        });
        Some(section.at_most(3_000).making_room(20, 0, "a part of earlier results"))
    }
}

/// What this turn has brought by now, and what to do next. It stands behind the message, so that all before it stays as it was.
pub(super) struct SoFar;

#[async_trait]
impl Source for SoFar {
    fn name(&self) -> &'static str {
        template::MESSAGE
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let so_far = step.so_far;
        if so_far.is_empty() {
            return None;
        }
        let section = Section::written(move |manner| {
            if manner.fit.gloss == Gloss::Wanted {
                return Vec::new();
            }
            let fields: Vec<&Object> = so_far.iter().map(|seen| &seen.fields).collect();
            if manner.fit.talk {
                let results = Part::marked("results", lines(&fields, manner.room));
                return vec![results, Part::own(TELL)];
            }
            vec![
                Part::own("You have already acted on this message, with these results:"),
                Part::marked("results", lines(&fields, manner.room)),
                Part::own(next::steps(so_far)),
            ]
        });
        Some(section.at_most(8_000).making_room(50, 400, "a part of the results"))
    }
}

/// What is to be done with results by a model that talks.
const TELL: &str = "These are the results of what the message asks for. Answer it from them.";

/// One line an observation, each with its share of the room.
fn lines(observations: &[&Object], room: usize) -> String {
    let share = room / observations.len().max(1);
    let line = |fields: &&Object| {
        let mut told = Object::clone(fields);
        told.retain(|key, _| !NOT_SHOWN.contains(&key.as_str()));
        // Objects of JSON values always have a JSON form.
        fit(&serde_json::to_string(&told).unwrap_or_default(), share)
    };
    observations.iter().map(line).collect::<Vec<_>>().join("\n")
}
