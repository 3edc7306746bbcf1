//! What the model can ask for. A name that starts with `_` is run here, by one of the few local actions;
//! everything else goes to the router.

mod actions;
mod handed_over;
mod permission;
mod reserved;
mod routed;
mod sets;
mod veil;

mod acts;
mod add_schedule;
mod apart;
mod broadcast_msg;
mod browser_vision;
mod llm_summary;
mod memory_write;
mod recall_memory;

#[cfg(test)]
mod testing;

use async_trait::async_trait;
use conversation::workspace::{AGENT_ACTIONS, Cards};
use protocol::{ActionCard, Code, Done, Object, Stopped};
use session::Caller;

pub use actions::Actions;
pub use acts::{Acts, ActsBook, ActsOf};
pub use add_schedule::AddSchedule;
pub use apart::ApartReader;
pub use broadcast_msg::BroadcastMsg;
pub use browser_vision::BrowserVision;
pub use handed_over::hand_over;
pub use llm_summary::LlmSummary;
pub use memory_write::MemoryWrite;
pub use recall_memory::RecallMemory;
pub use reserved::OwnersLine;
pub use sets::Sets;
pub use sets::known as known_sets;
pub use sets::{ACTS, RECALL};
pub use veil::Veil;

/// An action that the agent runs itself, because it reaches nothing but the conversation's own files and the model.
#[async_trait]
pub trait LocalAction: Send + Sync {
    /// Its name, schema, effect and built-in description.
    fn card(&self) -> &ActionCard;

    /// Runs it for whoever asks.
    ///
    /// # Errors
    /// [`Stopped`] says why it did not run or not to its end, in words for the user and the model.
    async fn run(&self, params: Object, caller: &Caller) -> Result<Done, Stopped>;

    /// What it did, in a sentence for people; none if its result's text says it behind the action's name.
    fn sentence(&self, _done: &Done) -> Option<String> {
        None
    }
}

/// The cards of `actions` as the model should see them: which actions exist, what they take and what
/// they do is the code's word; `described` (agent_action.json) says it in the owner's words and with the
/// owner's examples.
#[must_use]
pub fn described(actions: &[&dyn LocalAction], described: &Cards) -> Vec<ActionCard> {
    let words = |card: &ActionCard| match described.0.iter().find(|own| own.name == card.name) {
        Some(own) => ActionCard {
            instruction: own.instruction.clone(),
            examples: own.examples.clone(),
            ..card.clone()
        },
        None => card.clone(),
    };
    actions.iter().map(|action| words(action.card())).collect()
}

/// What the owner should hear of `described`: it may say how an action is described, but not what there is.
#[must_use]
pub fn without_code(described: &Cards) -> Vec<String> {
    let built_in = Cards::built_in(AGENT_ACTIONS).0;
    let names = described.0.iter().map(|card| &card.name);
    let unknown = names.filter(|name| !built_in.iter().any(|card| card.name == **name));
    let told = |name| {
        format!(
            "agent_action.json describes {name}, which is no action of the agent's, so nobody is offered it; \
             `{}` makes a skill",
            home::router_command("new-skill")
        )
    };
    unknown.map(told).collect()
}

/// The built-in card of a local action.
fn card(name: &str) -> Option<ActionCard> {
    Cards::built_in(AGENT_ACTIONS).0.into_iter().find(|card| card.name.as_str() == name)
}

/// Reads the parameters of a local action, none missing and none too many.
fn params<T: serde::de::DeserializeOwned>(params: Object) -> Result<T, Stopped> {
    serde_json::from_value(params.into()).map_err(|error| {
        Stopped::new(Code::BadParams, format!("the parameters don't fit: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use protocol::Taint;
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::caller;
    use conversation::workspace::SessionFiles;
    use document::Clock;
    use model::Offline;
    use prompt::Fence;
    use schedule::{Book, Zone};
    use session::Lines;

    /// What is right for each local action; a new one has to say so here.
    fn right(name: &str) -> Value {
        match name {
            "_MEMORY_WRITE" => json!({"new_memory": {"name": "Frankie"}}),
            "_LLM_SUMMARY" => json!({"content": "output/page.txt"}),
            "_BROWSER_VISION" => json!({"url": "https://example.com"}),
            "_ADD_SCHEDULE" => json!({"when": "2h", "text": "call Max"}),
            "_ACTS" => json!({}),
            "_RECALL_MEMORY" => json!({"query": "the blue pot"}),
            "_BROADCAST_MSG" => json!({"message": "Dinner is ready."}),
            other => panic!("what does {other} take?"),
        }
    }

    fn all() -> Vec<Box<dyn LocalAction>> {
        let summary = LlmSummary::new(Arc::new(Offline::new("test")), Fence::new(1));
        let place = eyes::Place::Remote("http://127.0.0.1:1".parse().unwrap());
        let eyes = Arc::new(eyes::Eyes::new(place, eyes::Network::new(&[]).unwrap()));
        let ending = tokio_util::sync::CancellationToken::new();
        let (router, _responder, _publisher) = broker::memory::pair(ending);
        let timeout = std::time::Duration::from_secs(1);
        let router = Arc::new(router);
        let vision = BrowserVision::new(eyes, router.clone(), timeout);
        let folder = tempfile::tempdir().unwrap();
        let workspace = conversation::workspace::Workspace::open(folder.path());
        let book = Book::open(
            workspace.folder().join("scheduler.json"),
            workspace.notices(),
            Zone::utc(),
            Clock::default(),
            true,
        );
        let schedule = AddSchedule::new(Arc::new(book), router.clone(), timeout);
        let broadcast = BroadcastMsg::new(Lines::default(), router.clone(), timeout);
        vec![
            Box::new(MemoryWrite::new().unwrap()),
            Box::new(summary.unwrap()),
            Box::new(vision.unwrap()),
            Box::new(broadcast.unwrap()),
            Box::new(schedule.unwrap()),
            Box::new(RecallMemory::new().unwrap()),
            Box::new(Acts::new(router, timeout).unwrap()),
        ]
    }

    #[tokio::test]
    async fn the_owners_words_count_as_soon_as_they_are_others() {
        let (router, _responder, _publisher) = broker::memory::pair(Default::default());
        let actions = Actions::new(all(), Arc::new(router), std::time::Duration::from_secs(1));
        let actions = actions.unwrap();
        let words = |instruction: &str| {
            let mut words = Cards::built_in(AGENT_ACTIONS);
            words.0[0].instruction = instruction.to_owned();
            Arc::new(words)
        };
        let read = |words: &Arc<Cards>| actions.local_cards(Arc::clone(words));
        let (one, other) = (words("Keep it."), words("Note it."));
        assert_eq!(read(&one).0[0].instruction, "Keep it.");
        assert!(Arc::ptr_eq(&read(&one), &read(&one)), "the same words are read once");
        assert_eq!(read(&other).0[0].instruction, "Note it.");
        assert_eq!(read(&one).0[0].instruction, "Keep it.");
    }

    #[tokio::test]
    async fn local_actions_are_a_closed_set_and_take_nothing_but_what_they_say() {
        let folder = tempfile::tempdir().unwrap();
        let files = Arc::new(SessionFiles::open(folder.path()));
        let actions = all();
        let names: Vec<String> =
            actions.iter().map(|action| action.card().name.to_string()).collect();
        let cards = Cards::built_in(AGENT_ACTIONS).0;
        assert_eq!(names, cards.iter().map(|card| card.name.to_string()).collect::<Vec<_>>());
        for action in actions {
            let name = action.card().name.as_str();
            let right = right(name).as_object().unwrap().clone();
            let card = action.card();
            let wants_one = right.keys().any(|key| !card.optional.contains(key));
            let mut wrong: Vec<Object> = wants_one.then(Object::new).into_iter().collect();
            let mut more = right.clone();
            more.insert("more".to_owned(), json!(1));
            wrong.push(more);
            for key in right.keys() {
                for value in
                    [json!(null), json!(1), json!(true), json!([]), json!(["x"]), json!("\0")]
                {
                    let mut other = right.clone();
                    other.insert(key.clone(), value);
                    wrong.push(other);
                }
                let long = json!("x".repeat(100_000));
                let long = if right[key].is_object() { json!({"x": long}) } else { long };
                wrong.push(Object::from_iter([(key.clone(), long)]));
            }
            for params in wrong {
                let shown = Value::from(params.clone()).to_string();
                let shown: String = shown.chars().take(80).collect();
                let ended = action.run(params, &caller(&files, Taint::CLEAN)).await;
                let stopped = ended.expect_err(&shown);
                assert_eq!(stopped.code, Code::BadParams, "{name} {shown}");
            }
        }
        assert!(files.memory.read().facts.is_empty());
    }
}
