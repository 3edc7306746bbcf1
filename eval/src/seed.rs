//! The prompt of the first SafeClaw, to compare with: its sections, its order, and actions as whole JSON.
//!
//! The words are our own; what they say, and in which order, is what its design notes say of PROMPT.md. Nothing in it
//! is fenced, and what changes stands before what stays.

use conversation::workspace::SOUL;
use protocol::{ActionCard, Object};
use serde_json::{Value, json};

use crate::cards::Actions;
use crate::utterance::Utterance;

/// The form of an answer and the rules for it, as its notes describe them.
const FORM: &str = r#"## Response format
Reply with an optional message for the user. If a tool has to be called, the reply ends with a block of this form:
<optional message text><tool_code>[{"name": "ACTION_NAME", "params": {"PARAM": "value"}}]</tool_code>

Rules:
1. Between the tags stands one JSON array. Each element has "name", which is one of the tools below, and "params", an object that follows the tool's schema.
2. Several tools are called by several elements of the same array.
3. If no tool is needed, reply in plain text only and write no <tool_code>.
4. Never make up a tool or a parameter that is not listed.
5. Use _MEMORY_WRITE when the user wants something to be remembered.
6. Use the latest action results and the history to understand what the user refers to.

Examples:
Sure, I'll remember that.<tool_code>[{"name": "_MEMORY_WRITE", "params": {"new_memory": {"USER_NAME": "Frankie"}}}]</tool_code>
I will post this for you.<tool_code>[{"name": "CREATE_POST", "params": {"platform": "X", "text": "Hello World"}}]</tool_code>"#;

/// The whole prompt for one utterance.
#[must_use]
pub fn prompt(utterance: &Utterance, actions: &Actions) -> String {
    let artifact =
        if utterance.seen.is_empty() { "{}".to_owned() } else { pretty(&json!(utterance.seen)) };
    format!(
        "# Identity\n{}\n\n# Memory\n{{}}\n\n# Artifact (latest action results)\n{artifact}\n\n\
         # Input history\n[]\n\n# Agent actions (run locally)\n{}\n\n\
         # Router actions (sent to the router)\n{}\n\n{FORM}\n\n# User message\n{}\n",
        SOUL.trim(),
        pretty(&described(&actions.local)),
        pretty(&described(&actions.routed)),
        utterance.say,
    )
}

/// Name, instruction and parameters: all that its files hold of an action.
fn described(cards: &[ActionCard]) -> Value {
    let one = |card: &ActionCard| {
        let mut fields = Object::new();
        fields.insert("name".to_owned(), json!(card.name));
        fields.insert("instruction".to_owned(), json!(card.instruction));
        fields.insert("params".to_owned(), json!(card.params));
        Value::Object(fields)
    };
    Value::Array(cards.iter().map(one).collect())
}

fn pretty(value: &Value) -> String {
    // JSON values always have a JSON form.
    serde_json::to_string_pretty(value).unwrap_or_default()
}
