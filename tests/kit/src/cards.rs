//! Cards of actions that the tests of several crates need.

use protocol::ActionCard;
use serde_json::json;

/// The local actions as they are described by default, where there is no browser and one channel, and no set is on.
pub fn agent_cards() -> Vec<ActionCard> {
    shipped_cards(&[])
}

/// The same with these sets on.
pub fn shipped_cards(sets: &[&str]) -> Vec<ActionCard> {
    let text = include_str!("../../../workspace/agent_action.json");
    let mut cards: Vec<ActionCard> = serde_json::from_str(text).unwrap();
    cards.retain(|card| card.set.as_ref().is_none_or(|set| sets.contains(&set.as_str())));
    cards.retain(|card| !matches!(card.name.as_str(), "_BROWSER_VISION" | "_BROADCAST_MSG"));
    cards
}

/// Cards like those of the first-party skills.
pub fn router_cards() -> Vec<ActionCard> {
    serde_json::from_value(json!([
        {
            "name": "CREATE_POST",
            "instruction": "Publish a short post on a social network.",
            "params": {
                "platform": {"type": "string", "enum": ["X", "LinkedIn", "Mastodon"]},
                "text": {"type": "string", "maxLength": 3000}
            },
            "effect": "external", "reads": "none", "timeout_ms": 15000,
            "examples": [{"say": "Post 'Hello World' to X.", "params": {"platform": "X", "text": "Hello World"}}]
        },
        {
            "name": "HELLO_WORLD",
            "instruction": "Say hello, to see that skills work.",
            "params": {"name": {"type": "string"}},
            "optional": ["name"], "effect": "none", "reads": "none", "timeout_ms": 5000,
            "examples": [{"say": "Say hello.", "params": {}}]
        },
        {
            "name": "WEB_FETCH",
            "instruction": "Fetch a web page and give its title and readable text.",
            "params": {"url": {"type": "string", "format": "uri", "description": "http(s) address"}},
            "effect": "none", "reads": "public", "timeout_ms": 20000,
            "examples": [{"say": "Fetch https://example.com.", "params": {"url": "https://example.com"}}]
        }
    ]))
    .unwrap()
}
