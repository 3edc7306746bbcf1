//! What the agent knows: the newest facts that fit.

use answer::sanitize::{fit, indented, one_line, tame};
use async_trait::async_trait;
use conversation::workspace::Memory;
use protocol::Taint;

use super::Step;
use super::section::{Part, Section, Source};

/// How much of one value is shown, in bytes.
const VALUE: usize = 400;

/// memory.json, one line a key.
pub(super) struct Facts;

#[async_trait]
impl Source for Facts {
    fn name(&self) -> &'static str {
        "MEMORY_CONTENT"
    }

    async fn section<'a>(&self, step: &Step<'a>) -> Option<Section<'a>> {
        let facts = step.memory;
        let taint = Taint { untrusted: false, private: facts.holds_private() };
        let write = move |room| vec![Part::marked("memory", lines(facts, room))];
        let section =
            Section::written(move |manner| write(manner.room)).tainted(taint, "memory.json");
        Some(section.at_most(3_000).making_room(30, 0, "older memory"))
    }
}

/// The newest entries that fit, in the order of the file.
fn lines(memory: &Memory, room: usize) -> String {
    let mut lines = Vec::new();
    let mut size = 0;
    for (key, value) in memory.facts.iter().rev() {
        let value = fit(&Memory::shown(value), VALUE);
        let line = format!("{}: {}", tame(&one_line(key)), indented(&value));
        size += line.len() + 1;
        if size > room {
            let older = memory.facts.len() - lines.len();
            lines.push(format!("[... {older} older entries are not shown]"));
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n")
}
