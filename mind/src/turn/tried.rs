//! What a turn has tried by now: who asks for the same again and gets the same again goes round in a circle.

use answer::Action;
use conversation::observation::Observation;
use protocol::Object;

/// Fields of a reply that differ although it says the same.
const OF_THE_WIRE: [&str; 4] = ["v", "message_id", "key_id", "mac"];

/// The steps of a turn: what was asked for in each, and what it brought.
#[derive(Debug, Default)]
pub(super) struct Tried(Vec<(Vec<Action>, Vec<Object>)>);

impl Tried {
    /// Takes in that `asked` has brought `brought`, and says whether it did so before. Who looks again whether something has
    /// changed goes on as long as it does.
    pub(super) fn again(&mut self, asked: Vec<Action>, brought: &[Observation]) -> bool {
        let mut brought: Vec<Object> = brought.iter().map(said).collect();
        // They come in the order in which they end.
        brought.sort_by_cached_key(|fields| serde_json::to_string(fields).unwrap_or_default());
        let step = (asked, brought);
        let is_known = self.0.contains(&step);
        if !is_known {
            self.0.push(step);
        }
        is_known
    }
}

fn said(seen: &Observation) -> Object {
    let mut fields = seen.fields.clone();
    fields.retain(|name, _| !OF_THE_WIRE.contains(&name.as_str()));
    fields
}
