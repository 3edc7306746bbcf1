//! What the tests of several modules need.

use std::sync::Arc;

use protocol::{ActionCard, Principal, SessionKey, Taint};
use serde_json::json;

use crate::message::Origin;
use crate::session::Caller;
use crate::workspace::{AGENT_ACTIONS, Cards, Entered, SessionFiles};

/// The local actions as they are described by default, where there is no browser and one channel, and no set is on.
pub(crate) fn agent_cards() -> Vec<ActionCard> {
    let mut cards = Cards::built_in(AGENT_ACTIONS).0;
    cards.retain(|card| card.set.is_none());
    cards.retain(|card| !matches!(card.name.as_str(), "_BROWSER_VISION" | "_BROADCAST_MSG"));
    cards
}

/// Who asks, in a session with these files that `TEST` has brought these bits into.
pub(crate) fn caller(files: &Arc<SessionFiles>, taint: Taint) -> Caller {
    let mut entered = Entered::nothing();
    entered.raise(taint, "TEST");
    let (session, principal) = ("owner".to_owned(), "console:owner".to_owned());
    Caller {
        session: SessionKey::new(session).unwrap(),
        principal: Principal::new(principal).unwrap(),
        origin: Origin::Person,
        files: Arc::clone(files),
        entered,
        heard: None,
    }
}

/// Cards like those of the first-party skills.
pub(crate) fn router_cards() -> Vec<ActionCard> {
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

/// Nothing was said before.
pub(crate) fn no_history() -> &'static crate::workspace::History {
    static NONE: std::sync::LazyLock<crate::workspace::History> =
        std::sync::LazyLock::new(Default::default);
    &NONE
}
