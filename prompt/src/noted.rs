//! What was noted of this and of earlier conversations: the newest notes that fit.

use answer::sanitize::tame;
use async_trait::async_trait;

use super::Step;
use super::section::{Part, Section, Source};

/// How large the notes are in a prompt, in bytes.
const ROOM: usize = 2_400;

/// memory.md, without what is set aside.
pub(super) struct Noted;

#[async_trait]
impl Source for Noted {
    fn name(&self) -> &'static str {
        "NOTES"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let notes = step.notes.filter(|notes| !notes.text(ROOM).is_empty())?;
        let write = move |room| vec![Part::marked("notes", tame(&notes.text(room)))];
        let section = Section::written(move |manner| write(manner.room));
        let section = section.tainted(notes.taint(), "memory.md").at_most(ROOM);
        Some(section.making_room(20, 0, "older notes"))
    }
}
