//! What a skill's result carries beside the result itself: panels of the screen, and what it brings.

use protocol::{Object, Reads};
use serde_json::Value;

use crate::call::Call;

/// The key under which a result says what it brings.
const BRINGS: &str = "_brings";

/// The key under which a skill that shows panels has them.
const SCREEN: &str = "screen";

/// How many panels one result may show.
const PANELS: usize = 8;

/// The longest text of a panel, in bytes.
const CONTENT: usize = 64 * 1024;

/// Takes the panels out of the result of a skill with `shows = true`: `{"name": {"content": "text"}}`. What has another
/// form stays in the result.
pub(crate) fn screen(call: &Call, result: &mut Object) -> Object {
    let is_screen = |value: &Value| value.as_object().is_some_and(are_panels);
    if !call.skill.shows || !result.get(SCREEN).is_some_and(is_screen) {
        return Object::new();
    }
    match result.shift_remove(SCREEN) {
        Some(Value::Object(panels)) => panels,
        _ => Object::new(),
    }
}

fn are_panels(panels: &Object) -> bool {
    let is_name = |name: &str| {
        (1..=64).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b))
    };
    let is_panel = |panel: &Value| {
        panel.get("content").and_then(Value::as_str).is_some_and(|text| text.len() <= CONTENT)
    };
    panels.len() <= PANELS && panels.iter().all(|(name, panel)| is_name(name) && is_panel(panel))
}

/// Takes out of the result what it says that it brings: a first-party skill knows best, and any other can only add to
/// what its manifest says.
pub(crate) fn brings(call: &Call, result: &mut Object) -> Option<Reads> {
    let said: Reads = serde_json::from_value(result.shift_remove(BRINGS)?).ok()?;
    let usual = call.reads();
    let all = Reads { public: said.public || usual.public, private: said.private || usual.private };
    let brings = if call.skill.first_party { said } else { all };
    (brings != usual).then_some(brings)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn panels(value: Value) -> bool {
        are_panels(value.as_object().unwrap())
    }

    #[test]
    fn panels_have_names_and_bounded_texts() {
        assert!(panels(json!({"bash": {"content": "x", "title": "Bash"}})));
        for bad in [
            json!({"bash": "x"}),
            json!({"bash": {"content": 1}}),
            json!({"two words": {"content": "x"}}),
            json!({"": {"content": "x"}}),
            json!({"bash": {"content": "x".repeat(CONTENT + 1)}}),
        ] {
            assert!(!panels(bad.clone()), "{bad}");
        }
        let many: Object =
            (0..=PANELS).map(|n| (format!("p{n}"), json!({"content": "x"}))).collect();
        assert!(!are_panels(&many));
    }
}
